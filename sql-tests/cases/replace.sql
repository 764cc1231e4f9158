-- REPLACE: the whole row is another; what is not named is at its default.

CREATE TABLE t(title text, n int, s string, m multi, j json)
----
0 rows affected

INSERT INTO t(id,title,n,s,m,j) VALUES (1,'black tea',10,'one',(1,2),'{"a":1}'),(2,'green tea',20,'two',(3),'{"a":2}')
----
2 rows affected

REPLACE INTO t(id,title,n) VALUES (1,'white coffee',11)
----
1 row affected

SELECT id,title,n,s,m,j FROM t ORDER BY id ASC
----
1	white coffee	11	''	''	NULL
2	green tea	20	two	3	{"a":2}

-- A replaced row is found by its new words only.
SELECT id FROM t WHERE MATCH('black')
----
no rows

SELECT id FROM t WHERE MATCH('tea')
----
2

SELECT id FROM t WHERE MATCH('coffee')
----
1

-- Of ids that are new it makes rows.
REPLACE INTO t(id,title,n) VALUES (3,'new',30),(2,'red wine',21)
----
2 rows affected

-- The last of several rows with one id stays.
REPLACE INTO t(id,title,n) VALUES (4,'first',1),(4,'second',2),(4,'third',3)
----
3 rows affected

SELECT id,title,n FROM t ORDER BY id ASC
----
1	white coffee	11
2	red wine	21
3	new	30
4	third	3

SELECT id FROM t WHERE MATCH('first | second | green')
----
no rows

REPLACE INTO t VALUES (1,'again',12,'s',(9),'{}')
----
1 row affected

REPLACE INTO t VALUES (1,'and again',13,'s',(9),'{}')
----
1 row affected

SELECT * FROM t WHERE id=1
----
1	and again	13	s	9	{}

SELECT COUNT(*) FROM t
----
4

-- Without an id it is an INSERT.
REPLACE INTO t(title,n) VALUES ('fresh',99)
----
1 row affected

SELECT title FROM t WHERE n=99
----
fresh

REPLACE INTO t(id,title,n) VALUES (1,'x','y')
----
error 1064: table t: row 1, column 'n': 'y' is no whole number

SELECT title FROM t WHERE id=1
----
and again
