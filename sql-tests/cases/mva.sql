-- Sets of numbers: each number once, ascending; filters on any and on all of them.

CREATE TABLE t(title text, m multi, w multi64)
----
0 rows affected

INSERT INTO t(id,title,m,w) VALUES (1,'a',(3,1,2),(10000000000,-1)),(2,'b',(5),(0)),(3,'c',(),())
----
3 rows affected

INSERT INTO t(id,title,m,w) VALUES (4,'d',(1,5,9,5,1),(7,-9223372036854775808,9223372036854775807)),(5,'e',(4294967295,0),(1))
----
2 rows affected

SELECT id,m,w FROM t ORDER BY id ASC
----
1	1,2,3	-1,10000000000
2	5	0
3	''	''
4	1,5,9	-9223372036854775808,7,9223372036854775807
5	0,4294967295	1

-- A bare comparison asks for any of them.
SELECT id FROM t WHERE m=1 ORDER BY id ASC
----
1
4

SELECT id FROM t WHERE ANY(m)=5 ORDER BY id ASC
----
2
4

SELECT id FROM t WHERE m IN (2,9) ORDER BY id ASC
----
1
4

SELECT id FROM t WHERE ANY(m)>5 ORDER BY id ASC
----
4
5

SELECT id FROM t WHERE m BETWEEN 6 AND 10
----
4

SELECT id FROM t WHERE w=10000000000
----
1

SELECT id FROM t WHERE w<0 ORDER BY id ASC
----
1
4

-- All of them. A set without numbers fits nothing.
SELECT id FROM t WHERE ALL(m)>1 ORDER BY id ASC
----
2

SELECT id FROM t WHERE ALL(m) IN (1,2,3) ORDER BY id ASC
----
1

-- Two conditions may be met by two numbers.
SELECT id FROM t WHERE m=1 AND m=9
----
4

SELECT id FROM t WHERE m NOT IN (1,5) ORDER BY id ASC
----
1
4
5

SELECT id, LENGTH(m), LEAST(m), GREATEST(m) FROM t WHERE id IN (1,4) ORDER BY id ASC
----
1	3	1	3
4	3	1	9

SELECT GROUPBY() g, COUNT(*) FROM t GROUP BY m ORDER BY g ASC
----
0	1
1	2
2	1
3	1
5	2
9	1
4294967295	1

SELECT COUNT(DISTINCT m) FROM t
----
7

SELECT id FROM t ORDER BY m ASC
----
3
5
1
4
2

UPDATE t SET m=(100,50) WHERE m=5
----
2 rows affected

SELECT id,m FROM t WHERE m=50 ORDER BY id ASC
----
2	50,100
4	50,100

DELETE FROM t WHERE w=1
----
1 row affected

SELECT id FROM t WHERE m=4294967295
----
no rows
