-- What the session remembers, and what the server tells about itself.
-- one chunk is enough

CREATE TABLE t(n int)
----
0 rows affected

INSERT INTO t(id,n) VALUES (7,1),(9,2)
----
2 rows affected

-- same session
SELECT LAST_INSERT_ID()
----
7,9

SET @list=(9,7,9); SELECT id FROM t WHERE id IN @list ORDER BY id ASC
----
0 rows affected
+
7
9

SET NAMES utf8mb4
----
0 rows affected

SET sql_mode='ANSI'
----
0 rows affected

-- same session
SELECT @@sql_mode
----
ANSI

SHOW VARIABLES LIKE 'autocommit'
----
autocommit	1

SELECT @@nosuch
----
error 1064: unknown variable: @@nosuch

SELECT @nosuch
----
NULL

SHOW DATABASES
----
information_schema
Manticore

USE anything
----
0 rows affected

SELECT DATABASE()
----
Manticore

SHOW GLOBAL VARIABLES LIKE 'rt_merge_iops'
----
rt_merge_iops	0

SET GLOBAL rt_merge_iops=40
----
0 rows affected

-- same session
SHOW GLOBAL VARIABLES LIKE 'rt_merge_iops'
----
rt_merge_iops	40

-- same session
SET GLOBAL rt_merge_iops=0
----
0 rows affected

-- same session
SELECT nonsense FROM t; SHOW WARNINGS
----
error 1064: table t: unknown column: nonsense

SHOW WARNINGS
----
no rows
