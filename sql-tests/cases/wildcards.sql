-- Wildcards where prefixes or infixes are indexed.

CREATE TABLE p(f text) min_prefix_len='3'
----
0 rows affected

CREATE TABLE i(f text) min_infix_len='2'
----
0 rows affected

CREATE TABLE plain(f text)
----
0 rows affected

INSERT INTO p(id,f) VALUES (1,'tea'),(2,'teapot'),(3,'team spirit'),(4,'steam')
----
4 rows affected

INSERT INTO p(id,f) VALUES (5,'ten'),(6,'teatime tea')
----
2 rows affected

INSERT INTO i(id,f) VALUES (1,'tea'),(2,'teapot'),(3,'team spirit'),(4,'steam')
----
4 rows affected

INSERT INTO i(id,f) VALUES (5,'ten'),(6,'teatime tea')
----
2 rows affected

INSERT INTO plain(id,f) VALUES (1,'tea'),(2,'teapot')
----
2 rows affected

INSERT INTO plain(id,f) VALUES (3,'tea* literal')
----
1 row affected

SELECT id FROM p WHERE MATCH('tea*') ORDER BY id ASC
----
1
2
3
6

SELECT id FROM p WHERE MATCH('teap*') ORDER BY id ASC
----
2

SELECT id FROM p WHERE MATCH('tea* -teapot') ORDER BY id ASC
----
1
3
6

SELECT id FROM p WHERE MATCH('"tea* spirit"') ORDER BY id ASC
----
3

SELECT id FROM i WHERE MATCH('*ea*') ORDER BY id ASC
----
1
2
3
4
6

SELECT id FROM i WHERE MATCH('*eam') ORDER BY id ASC
----
3
4

SELECT id FROM i WHERE MATCH('*pot') ORDER BY id ASC
----
2

SELECT id FROM i WHERE MATCH('te*') ORDER BY id ASC
----
1
2
3
5
6

SELECT id FROM i WHERE MATCH('te?') ORDER BY id ASC
----
1
5
6

-- A wildcard is one word, of which the rows with any of its words are the rows.
SELECT id, weight() FROM p WHERE MATCH('tea*')
----
1	1466
2	1466
3	1466
6	1453

SELECT id FROM plain WHERE MATCH('tea') ORDER BY id ASC
----
1
3

SELECT id FROM p WHERE MATCH('tea') ORDER BY id ASC
----
1
6
