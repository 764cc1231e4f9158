-- TRUNCATE and DROP leave nothing behind, and the name is free again.

CREATE TABLE t(title text, n int)
----
0 rows affected

INSERT INTO t(id,title,n) VALUES (1,'old one',1),(2,'old two',2)
----
2 rows affected

INSERT INTO t(id,title,n) VALUES (3,'old three',3)
----
1 row affected

DELETE FROM t WHERE id=2
----
1 row affected

UPDATE t SET n=30 WHERE id=3
----
1 row affected

SELECT id,n FROM t ORDER BY id ASC
----
1	1
3	30

TRUNCATE TABLE t
----
0 rows affected

SELECT COUNT(*) FROM t
----
0

SELECT id FROM t WHERE MATCH('old')
----
no rows

-- The ids are free.
INSERT INTO t(id,title,n) VALUES (1,'new one',10)
----
1 row affected

INSERT INTO t(id,title,n) VALUES (3,'new three',31)
----
1 row affected

SELECT id,title,n FROM t ORDER BY id ASC
----
1	new one	10
3	new three	31

TRUNCATE TABLE t
----
0 rows affected

TRUNCATE TABLE t
----
0 rows affected

SELECT COUNT(*) FROM t
----
0

DROP TABLE t
----
0 rows affected

SELECT id FROM t
----
error 1064: unknown local table(s) 't' in search request

INSERT INTO t(id) VALUES (1)
----
error 1064: table 't' absent

DROP TABLE t
----
error 1064: DROP TABLE failed: unknown table 't'

DROP TABLE IF EXISTS t
----
0 rows affected

-- The same name with other columns.
CREATE TABLE t(other string, title text)
----
0 rows affected

SELECT COUNT(*) FROM t
----
0

INSERT INTO t(id,other,title) VALUES (1,'s','fresh')
----
1 row affected

SELECT * FROM t
----
1	s	fresh

SELECT id FROM t WHERE MATCH('old | new | fresh')
----
1

TRUNCATE TABLE nosuch
----
error 1064: TRUNCATE RTINDEX requires an existing RT table: no such table 'nosuch'
