-- DELETE by every kind of WHERE.

CREATE TABLE t(title text, n int, f float, s string, m multi, j json)
----
0 rows affected

INSERT INTO t(id,title,n,f,s,m,j) VALUES (1,'one common',10,0.5,'a',(1,2),'{"k":"x","n":1}'),(2,'two common',20,1.5,'b',(2,3),'{"k":"y","n":2}'),(3,'three common',30,2.5,'c',(3,4),'{"k":"z","n":3}'),(4,'four common',40,3.5,'d',(4,5),'{"k":"x","n":4}'),(5,'five common',50,4.5,'e',(5,6),'{"k":"y","n":5}'),(6,'six common',60,5.5,'f',(6,7),'{"n":6}')
----
6 rows affected

INSERT INTO t(id,title,n,f,s,m,j) VALUES (7,'seven common',70,6.5,'g',(7,8),'{"k":"x","n":7}'),(8,'eight common',80,7.5,'h',(8,9),'{"k":"y","n":8}'),(9,'nine common',90,8.5,'i',(),'{"n":9}'),(10,'ten common',100,9.5,'j',(10),'{"n":10}'),(11,'eleven common',110,10.5,'k',(10),NULL),(12,'twelve common',120,11.5,'l',(10),NULL)
----
6 rows affected

DELETE FROM t WHERE id=1
----
1 row affected

DELETE FROM t WHERE id=1
----
0 rows affected

DELETE FROM t WHERE id IN (2,3,1000)
----
2 rows affected

SELECT id FROM t ORDER BY id ASC
----
4
5
6
7
8
9
10
11
12

DELETE FROM t WHERE MATCH('four | nosuch')
----
1 row affected

DELETE FROM t WHERE j.k='y' AND j.n=5
----
1 row affected

DELETE FROM t WHERE m=6
----
1 row affected

DELETE FROM t WHERE s='g'
----
1 row affected

SELECT id FROM t WHERE MATCH('common') ORDER BY id ASC
----
8
9
10
11
12

DELETE FROM t WHERE f>7 AND f<8
----
1 row affected

DELETE FROM t WHERE MATCH('common') AND n BETWEEN 85 AND 95
----
1 row affected

DELETE FROM t WHERE id>10 AND id<12
----
1 row affected

SELECT id FROM t ORDER BY id ASC
----
10
12

DELETE FROM t WHERE n=10 OR s='l'
----
1 row affected

SELECT COUNT(*) FROM t
----
1

DELETE FROM t WHERE id>0
----
1 row affected

SELECT COUNT(*) FROM t
----
0

SELECT id FROM t WHERE MATCH('common')
----
no rows

-- A table that is empty takes rows again.
INSERT INTO t(id,title) VALUES (1,'back')
----
1 row affected

SELECT id,title,n FROM t
----
1	back	0

DELETE FROM t
----
error 1064: DELETE needs a WHERE; TRUNCATE TABLE t empties the table

DELETE FROM t WHERE nosuch=1
----
error 1064: table t: unknown column: nosuch

DELETE FROM nosuch WHERE id=1
----
error 1064: unknown table 'nosuch' in delete request

DELETE FROM t WHERE MATCH('"')
----
error 1064: table t: P08: syntax error, unexpected $end near ''

SELECT COUNT(*) FROM t
----
1
