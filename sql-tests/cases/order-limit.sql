-- ORDER BY several keys, LIMIT and OFFSET. Every order ends with id, so that it is the same in every weather.

CREATE TABLE t(title text, a int, f float, s string, j json)
----
0 rows affected

INSERT INTO t(id,title,a,f,s,j) VALUES (1,'x',2,1.5,'delta','{"k":3}'),(2,'x y',1,0.5,'Alpha','{"k":1}'),(3,'x',2,-1.5,'charlie','{"k":2}'),(4,'y',1,2.5,'bravo','{"k":"z"}')
----
4 rows affected

INSERT INTO t(id,title,a,f,s,j) VALUES (5,'x',3,0.5,'Echo','{}'),(6,'y',2,1.5,'bravo','{"k":10}'),(7,'x',1,9.5,'','{"k":1.5}')
----
3 rows affected

SELECT id FROM t ORDER BY a ASC, id DESC
----
7
4
2
6
3
1
5

SELECT id, a, f FROM t ORDER BY a DESC, f ASC
----
5	3	0.500000
3	2	-1.500000
1	2	1.500000
6	2	1.500000
2	1	0.500000
4	1	2.500000
7	1	9.500000

SELECT id, s FROM t ORDER BY s ASC
----
7	''
2	Alpha
4	bravo
6	bravo
3	charlie
1	delta
5	Echo

SELECT id FROM t ORDER BY s DESC, f DESC, id ASC LIMIT 3
----
5
1
3

SELECT id, a*10+id AS x FROM t ORDER BY x DESC LIMIT 3
----
5	35
6	26
3	23

-- Ascending is what is meant where nothing is said.
SELECT id FROM t ORDER BY f LIMIT 2
----
3
2

SELECT id FROM t ORDER BY id DESC LIMIT 2
----
7
6

-- Without ORDER BY: by weight, then by id.
SELECT id FROM t WHERE MATCH('x')
----
1
2
3
5
7

SELECT id FROM t
----
1
2
3
4
5
6
7

SELECT id FROM t WHERE MATCH('x') ORDER BY a ASC, weight() DESC
----
2
7
1
3
5

SELECT id FROM t LIMIT 3
----
1
2
3

SELECT id FROM t LIMIT 3 OFFSET 2
----
3
4
5

SELECT id FROM t LIMIT 5,10
----
6
7

SELECT id FROM t ORDER BY id ASC LIMIT 100 OFFSET 7
----
no rows

SELECT id FROM t LIMIT 0
----
no rows

SELECT COUNT(*) FROM t LIMIT 1
----
7

-- Twenty rows where nothing is said.
CREATE TABLE many(n int)
----
0 rows affected

INSERT INTO many(id,n) VALUES @{1..1200:(#,#)}
----
1200 rows affected

INSERT INTO many(id,n) VALUES @{1201..1500:(#,#)}
----
300 rows affected

SELECT COUNT(*) FROM many
----
1500

SELECT id FROM many ORDER BY n DESC
----
1500
1499
1498
1497
1496
1495
1494
1493
1492
1491
1490
1489
1488
1487
1486
1485
1484
1483
1482
1481

SELECT id FROM many ORDER BY id ASC LIMIT 998,5
----
999
1000

SELECT id FROM many ORDER BY id ASC LIMIT 1400,2 OPTION max_matches=2000
----
1401
1402

SELECT id FROM many ORDER BY id ASC LIMIT 1000,2
----
error 1064: offset out of bounds (offset=1000, max_matches=1000)

SELECT id FROM many ORDER BY id ASC LIMIT 3 OPTION max_matches=2
----
1
2

SELECT id FROM t ORDER BY nosuch ASC
----
error 1064: table t: sort-by attribute 'nosuch' not found

SELECT id FROM t LIMIT -1
----
error 1064: P01: syntax error, unexpected '-', expecting integer near '-1'

SELECT id FROM t ORDER BY id ASC OPTION max_matches=0
----
error 1064: option max_matches must be 1 or more
