-- BEGIN … COMMIT: nobody sees anything before, everybody sees all of it after.

CREATE TABLE t(title text, n int)
----
0 rows affected

INSERT INTO t(id,title,n) VALUES (1,'one',1),(2,'two',2),(3,'three',3)
----
3 rows affected

BEGIN
----
0 rows affected

INSERT INTO t(id,title,n) VALUES (4,'four',4)
----
1 row affected

REPLACE INTO t(id,title,n) VALUES (1,'uno',11)
----
1 row affected

DELETE FROM t WHERE id=2
----
1 row affected

-- Not even the client itself.
SELECT id,title FROM t ORDER BY id ASC
----
1	one
2	two
3	three

COMMIT
----
0 rows affected

SELECT id,title,n FROM t ORDER BY id ASC
----
1	uno	11
3	three	3
4	four	4

SELECT id FROM t WHERE MATCH('one|two')
----
no rows

BEGIN; INSERT INTO t(id,title,n) VALUES (5,'five',5); DELETE FROM t WHERE id=4; ROLLBACK
----
0 rows affected
+
1 row affected
+
1 row affected
+
0 rows affected

SELECT id FROM t ORDER BY id ASC
----
1
3
4

START TRANSACTION
----
0 rows affected

INSERT INTO t(id,title,n) VALUES (6,'six',6)
----
1 row affected

COMMIT
----
0 rows affected

-- A row that is made and deleted in one transaction.
BEGIN; INSERT INTO t(id,title,n) VALUES (7,'seven',7); REPLACE INTO t(id,title,n) VALUES (7,'sette',70); COMMIT
----
0 rows affected
+
1 row affected
+
1 row affected
+
0 rows affected

SELECT id,title,n FROM t WHERE id>=6 ORDER BY id ASC
----
6	six	6
7	sette	70

-- A duplicate fails the whole of it, at COMMIT; nothing is pending then.
BEGIN; INSERT INTO t(id,title,n) VALUES (8,'eight',8); INSERT INTO t(id,title,n) VALUES (1,'uno',1)
----
0 rows affected
+
1 row affected
+
1 row affected

COMMIT
----
error 1064: duplicate id '1'

COMMIT
----
0 rows affected

SELECT COUNT(*) FROM t WHERE id=8
----
0

-- autocommit=0: writes wait until COMMIT, which begins the next transaction.
SET autocommit=0
----
0 rows affected

INSERT INTO t(id,title,n) VALUES (9,'nine',9)
----
1 row affected

SELECT COUNT(*) FROM t WHERE id=9
----
0

COMMIT
----
0 rows affected

SELECT COUNT(*) FROM t WHERE id=9
----
1

DELETE FROM t WHERE id=9
----
1 row affected

ROLLBACK
----
0 rows affected

SELECT COUNT(*) FROM t WHERE id=9
----
1

INSERT INTO t(id,title,n) VALUES (10,'ten',10)
----
1 row affected

SET autocommit=1
----
0 rows affected

SELECT id FROM t ORDER BY id ASC
----
1
3
4
6
7
9
10

-- COMMIT and ROLLBACK with nothing pending are no errors.
COMMIT; ROLLBACK; COMMIT
----
0 rows affected
+
0 rows affected
+
0 rows affected

-- FLUSH, OPTIMIZE and CHECK are about what is committed: what is pending stays so, and can still be rolled back.
SET autocommit=0; INSERT INTO t(id,title,n) VALUES (20,'twenty',20)
----
0 rows affected
+
1 row affected

-- same session
FLUSH RAMCHUNK t; FLUSH TABLE t; OPTIMIZE TABLE t OPTION sync=1; CHECK TABLE t
----
0 rows affected
+
0 rows affected
+
0 rows affected
+
t	check	status	OK

-- same session
SELECT COUNT(*) FROM t WHERE id=20
----
0

-- same session
ROLLBACK; SELECT COUNT(*) FROM t WHERE id=20
----
0 rows affected
+
0

-- same session
INSERT INTO t(id,title,n) VALUES (21,'twenty-one',21); FLUSH RAMCHUNK t; COMMIT; SELECT id FROM t WHERE MATCH('twenty')
----
1 row affected
+
0 rows affected
+
0 rows affected
+
21

-- DDL commits what is pending, of whichever table.
-- same session
INSERT INTO t(id,title,n) VALUES (22,'twenty-two',22); CREATE TABLE other(n int); ROLLBACK; SELECT COUNT(*) FROM t WHERE id=22
----
1 row affected
+
0 rows affected
+
0 rows affected
+
1

-- same session
INSERT INTO t(id,title,n) VALUES (23,'twenty-three',23); ALTER TABLE t optimize_cutoff='3'; ROLLBACK; SELECT COUNT(*) FROM t WHERE id=23
----
1 row affected
+
0 rows affected
+
0 rows affected
+
1

-- same session
INSERT INTO t(id,title,n) VALUES (24,'twenty-four',24); DROP TABLE other; ROLLBACK; SELECT COUNT(*) FROM t WHERE id=24
----
1 row affected
+
0 rows affected
+
0 rows affected
+
1

-- Also where the statement itself then fails.
-- same session
INSERT INTO t(id,title,n) VALUES (25,'twenty-five',25); DROP TABLE nosuch
----
1 row affected
+
error 1064: DROP TABLE failed: unknown table 'nosuch'

-- same session
ROLLBACK; SELECT COUNT(*) FROM t WHERE id=25
----
0 rows affected
+
1

-- same session
INSERT INTO t(id,title,n) VALUES (26,'twenty-six',26); BEGIN; ROLLBACK; SELECT COUNT(*) FROM t WHERE id=26
----
1 row affected
+
0 rows affected
+
0 rows affected
+
1

-- same session
INSERT INTO t(id,title,n) VALUES (27,'twenty-seven',27); LOCK TABLES t READ; UNLOCK TABLES; ROLLBACK; SELECT COUNT(*) FROM t WHERE id=27
----
1 row affected
+
0 rows affected
+
0 rows affected
+
0 rows affected
+
1

-- What is pending of the table that is emptied is committed and emptied too.
-- same session
INSERT INTO t(id,title,n) VALUES (28,'twenty-eight',28); TRUNCATE TABLE t; COMMIT; SELECT COUNT(*) FROM t; SET autocommit=1
----
1 row affected
+
0 rows affected
+
0 rows affected
+
0
+
0 rows affected
