-- Text as it comes: quotes, escapes, letters of the world, long values.

CREATE TABLE t(title text, s string)
----
0 rows affected

INSERT INTO t(id,title,s) VALUES (1,'it''s','a\'b'),(2,"double","say \"hi\""),(3,'back\\slash','100%_')
----
3 rows affected

INSERT INTO t(id,title,s) VALUES (4,'line\nfeed\ttab','\r\0z'),(5,'Ünïcödé Привет 北京 😀','ß')
----
2 rows affected

SELECT id,title,s FROM t WHERE id<=3 ORDER BY id ASC
----
1	it's	a'b
2	double	say "hi"
3	back\\slash	100%_

SELECT title FROM t WHERE id=4
----
line\nfeed\ttab

SELECT title,s FROM t WHERE id=5
----
Ünïcödé Привет 北京 😀	ß

-- Leading and trailing spaces are part of a value.
INSERT INTO t(id,title,s) VALUES (6,'  padded  ','  x ')
----
1 row affected

SELECT CONCAT('[',s,']') FROM t WHERE id=6
----
[  x ]

SELECT id FROM t WHERE MATCH('padded')
----
6

-- A value of 100 000 bytes.
INSERT INTO t(id,title,s) VALUES (7,'@{50000*a }end','@{1000*0123456789}')
----
1 row affected

SELECT LENGTH(s) FROM t WHERE id=7
----
10000

SELECT id FROM t WHERE MATCH('"a end"')
----
7

SELECT id FROM t WHERE s='say "hi"'
----
2

SELECT id FROM t WHERE s='a\'b'
----
1

SELECT id FROM t WHERE s IN ('100%_','  x ') ORDER BY id ASC
----
3
6

-- A word of any length is found by itself.
INSERT INTO t(id,title) VALUES (8,'@{40*w}')
----
1 row affected

SELECT id FROM t WHERE MATCH('@{40*w}')
----
8
