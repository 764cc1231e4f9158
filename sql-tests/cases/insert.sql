-- INSERT: columns in any order, several rows, ids.

CREATE TABLE t(title text, n int, m multi)
----
0 rows affected

INSERT INTO t(n,title,id) VALUES (5,'five',50),(6,'six',60)
----
2 rows affected

-- Without a list: id and all columns in order of declaration.
INSERT INTO t VALUES (70,'seven',7,(7,77))
----
1 row affected

INSERT INTO t (N, Title, ID) VALUES (8,'eight',80)
----
1 row affected

SELECT id,title,n,m FROM t ORDER BY id ASC
----
50	five	5	''
60	six	6	''
70	seven	7	7,77
80	eight	8	''

-- Ids that are not given, or 0, are made, all different, and different from those that are there.
INSERT INTO t(title,n) VALUES ('auto',1),('auto',2),('auto',3)
----
3 rows affected

INSERT INTO t(id,title,n) VALUES (0,'auto',4),(0,'auto',5)
----
2 rows affected

INSERT INTO t VALUES (0,'auto',6,())
----
1 row affected

SELECT COUNT(*), COUNT(DISTINCT id), MIN(n), MAX(n) FROM t WHERE MATCH('auto')
----
6	6	1	6

SELECT COUNT(*) FROM t WHERE id<=0
----
0

-- Ids grow with every call, also after a restart.
SELECT n FROM t WHERE MATCH('auto') ORDER BY id ASC
----
1
2
3
4
5
6

INSERT INTO t(title,n) VALUES ('auto',7)
----
1 row affected

SELECT n FROM t WHERE MATCH('auto') ORDER BY id DESC LIMIT 2
----
7
6

-- A thousand rows in one statement.
INSERT INTO t(id,title,n) VALUES @{1001..2000:(#,'bulk w#',#)}
----
1000 rows affected

SELECT COUNT(*), MIN(id), MAX(id), SUM(n) FROM t WHERE MATCH('bulk')
----
1000	1001	2000	1500500

SELECT id FROM t WHERE MATCH('w1500')
----
1500

-- Comments and odd spacing are of no matter; a trailing semicolon neither.
/* first */ INSERT   INTO t ( id , n )
  VALUES ( 90 , 9 ) , ( 91 , -- to the end of the line
  9 ) ;
----
2 rows affected

SELECT COUNT(*) FROM t WHERE id IN (90,91)
----
2

-- The greatest ids.
INSERT INTO t(id,n) VALUES (9223372036854775807,1)
----
1 row affected

SELECT id FROM t WHERE id=9223372036854775807
----
9223372036854775807

INSERT INTO t(id,n) VALUES (1,2,3)
----
error 1064: table t: wrong number of values in row 1: 2 expected, 3 given

INSERT INTO t(id,n) VALUES (1,2),(3)
----
error 1064: table t: wrong number of values in row 2: 2 expected, 1 given

INSERT INTO t(id,n,n) VALUES (1,2,3)
----
error 1064: table t: column 'n' is given twice

INSERT INTO t(id,nosuch) VALUES (1,2)
----
error 1064: unknown column: 'nosuch'

INSERT INTO t(id,n) VALUES (-5,2)
----
error 1064: table t: row 1, column 'id': -5 is negative: an id has no sign, and the one that is shown so is 18446744073709551611

INSERT INTO t(id,n) VALUES (1,1+1)
----
error 1064: P01: syntax error, unexpected '+', expecting ')' near '+1)'

INSERT INTO nosuch(id) VALUES (1)
----
error 1064: table 'nosuch' absent

SELECT COUNT(*) FROM t WHERE id<50
----
0
