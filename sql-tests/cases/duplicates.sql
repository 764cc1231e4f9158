-- INSERT of an id that exists is refused and changes nothing, wherever the id stands in the statement and wherever the row is.

CREATE TABLE t(title text, n int)
----
0 rows affected

INSERT INTO t(id,title,n) VALUES (900,'old',1),(5,'five',5)
----
2 rows affected

INSERT INTO t(id,title,n) VALUES (5,'again',6)
----
error 1064: duplicate id '5'

-- As the 900th row of 1 000.
INSERT INTO t(id,title,n) VALUES @{1..4:(100#,'new',0)},@{1..895:(2000#,'new',0)},(900,'new',0),@{1..100:(3000#,'new',0)}
----
error 1064: duplicate id '900'

SELECT id,title,n FROM t ORDER BY id ASC
----
5	five	5
900	old	1

SELECT COUNT(*) FROM t WHERE MATCH('new')
----
0

-- Twice in one statement.
INSERT INTO t(id,title,n) VALUES (10,'a',1),(11,'b',1),(10,'c',1)
----
error 1064: duplicate id '10'

SELECT COUNT(*) FROM t
----
2

-- A deleted id is free again.
DELETE FROM t WHERE id=5
----
1 row affected

INSERT INTO t(id,title,n) VALUES (5,'back',7)
----
1 row affected

SELECT id,title,n FROM t ORDER BY id ASC
----
5	back	7
900	old	1

INSERT INTO t(id,title,n) VALUES (5,'again',6)
----
error 1064: duplicate id '5'

SELECT title FROM t WHERE id=5
----
back
