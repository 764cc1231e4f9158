-- Ids in the upper half of the unsigned range: shown and ordered with a sign, found in either form, inserted without one.

CREATE TABLE t(title text, n int)
----
0 rows affected

INSERT INTO t(id,title,n) VALUES (1,'one',1),(9223372036854775807,'last below',2)
----
2 rows affected

INSERT INTO t(id,title,n) VALUES (9223372036854775808,'first above',3),('18446744073709551615','last of all',4)
----
2 rows affected

SELECT id, UINT64(id), n FROM t ORDER BY id ASC
----
-9223372036854775808	9223372036854775808	3
-1	18446744073709551615	4
1	1	1
9223372036854775807	9223372036854775807	2

SELECT n FROM t WHERE id=18446744073709551615
----
4

SELECT n FROM t WHERE id=-1
----
4

SELECT n FROM t WHERE id='18446744073709551615'
----
4

SELECT n FROM t WHERE 9223372036854775808=id
----
3

SELECT n FROM t WHERE id IN (18446744073709551615,1,'9223372036854775808') ORDER BY n ASC
----
1
3
4

SELECT n FROM t WHERE id NOT IN (18446744073709551615,1) ORDER BY n ASC
----
2
3

SELECT n FROM t WHERE id<>18446744073709551615 ORDER BY n ASC
----
1
2
3

SELECT n FROM t WHERE MATCH('last') AND id=18446744073709551615
----
4

SELECT n FROM t WHERE UINT64(id)>9223372036854775807 ORDER BY n ASC
----
3
4

SELECT n FROM t WHERE id<0 ORDER BY n ASC
----
3
4

UPDATE t SET n=40 WHERE id=18446744073709551615
----
1 row affected

REPLACE INTO t(id,title,n) VALUES (9223372036854775808,'first above',30)
----
1 row affected

SELECT n FROM t WHERE id=9223372036854775808
----
30

-- What is shown is not what is inserted: a sign is an error that tells the number.
INSERT INTO t(id,title,n) VALUES (-1,'x',5)
----
error 1064: table t: row 1, column 'id': -1 is negative: an id has no sign, and the one that is shown so is 18446744073709551615

REPLACE INTO t(id,title,n) VALUES ('-9223372036854775808','x',5)
----
error 1064: table t: row 1, column 'id': '-9223372036854775808' is no document id

INSERT INTO t(id,title,n) VALUES (18446744073709551616,'x',5)
----
error 1064: number 18446744073709551616 is out of range [-9223372036854775808..9223372036854775807]

INSERT INTO t(id,title,n) VALUES (18446744073709551615,'x',5)
----
error 1064: duplicate id '-1'

DELETE FROM t WHERE id IN (18446744073709551615,9223372036854775808)
----
2 rows affected

SELECT id FROM t ORDER BY id ASC
----
1
9223372036854775807
