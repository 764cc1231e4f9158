-- LOCK TABLES: a table does not change while it is locked for reading.

CREATE TABLE t(title text, n int)
----
0 rows affected

CREATE TABLE u(n int)
----
0 rows affected

INSERT INTO t(id,title,n) VALUES (1,'one',1),(2,'two',2)
----
2 rows affected

INSERT INTO t(id,title,n) VALUES (3,'three',3)
----
1 row affected

SELECT id FROM t ORDER BY id ASC
----
1
2
3

LOCK TABLES nosuch READ
----
error 1064: Table nosuch absent, or not suitable for lock

-- same session
LOCK TABLES t READ
----
0 rows affected

-- same session
SHOW LOCKS
----
rt	t	read	Count: 1

-- same session
INSERT INTO t(id,title,n) VALUES (4,'four',4)
----
error 1064: table 't' is locked

-- same session
REPLACE INTO t(id,title,n) VALUES (1,'uno',1)
----
error 1064: table 't' is locked

-- same session
UPDATE t SET n=5 WHERE id=1
----
error 1064: table 't' is locked

-- same session
DELETE FROM t WHERE id=1
----
error 1064: table 't' is locked

-- same session
TRUNCATE TABLE t
----
error 1064: table 't' is locked

-- In a transaction too, at once.
-- same session
BEGIN; INSERT INTO t(id,n) VALUES (9,9)
----
0 rows affected
+
error 1064: table 't' is locked

-- same session
ROLLBACK
----
0 rows affected

-- Reading goes on, and so do other tables and what keeps the rows as they are.
-- same session
SELECT id,n FROM t WHERE MATCH('one|three') ORDER BY id ASC
----
1	1
3	3

-- same session
FLUSH RAMCHUNK t; OPTIMIZE TABLE t OPTION sync=1; CHECK TABLE t
----
0 rows affected
+
0 rows affected
+
t	check	status	OK

-- same session
INSERT INTO u(id,n) VALUES (1,1)
----
1 row affected

-- A lock for writing is not there; the locks of before are given back.
-- same session
LOCK TABLES t WRITE, `u` READ LOCAL
----
0 rows affected, 1 warning

-- same session
SHOW WARNINGS
----
warning	1000	table 't': write lock is not implemented

-- same session
SHOW LOCKS
----
rt	u	read	Count: 1

-- same session
INSERT INTO u(id,n) VALUES (2,2)
----
error 1064: table 'u' is locked

-- same session
UNLOCK TABLES
----
0 rows affected

-- same session
SHOW LOCKS
----
no rows

INSERT INTO u(id,n) VALUES (2,2)
----
1 row affected

-- DDL is not stopped by locks.
LOCK TABLES u READ; DROP TABLE u; CREATE TABLE u(n int); INSERT INTO u(id,n) VALUES (1,1); SHOW LOCKS
----
0 rows affected
+
0 rows affected
+
0 rows affected
+
1 row affected
+
no rows

LOCK TABLES t
----
error 1064: P01: syntax error, unexpected end of query, expecting READ or WRITE near ''

LOCK TABLES t READ,
----
error 1064: P01: syntax error, unexpected end of query, expecting table name near ''

UNLOCK
----
error 1064: P01: syntax error, unexpected end of query, expecting TABLES near ''
