-- The operators of MATCH over two fields.

CREATE TABLE t(title text, body text, n int)
----
0 rows affected

INSERT INTO t(id,title,body,n) VALUES (1,'hello world','the quick brown fox jumps over the lazy dog',1),(2,'hello','a lazy brown dog sleeps',2),(3,'world peace','quick quick slow',3)
----
3 rows affected

INSERT INTO t(id,title,body,n) VALUES (4,'brown fox','hello from the other side of the world',4),(5,'empty body','',5),(6,'','only a body here',6)
----
3 rows affected

-- Words are joined by AND.
SELECT id FROM t WHERE MATCH('hello world') ORDER BY id ASC
----
1
4

SELECT id FROM t WHERE MATCH('HELLO, WORLD.') ORDER BY id ASC
----
1
4

SELECT id FROM t WHERE MATCH('nosuchword') ORDER BY id ASC
----
no rows

SELECT id FROM t WHERE MATCH('hello | peace') ORDER BY id ASC
----
1
2
3
4

SELECT id FROM t WHERE MATCH('hello -world') ORDER BY id ASC
----
2

SELECT id FROM t WHERE MATCH('hello !world') ORDER BY id ASC
----
2

-- OR binds tighter than AND.
SELECT id FROM t WHERE MATCH('lazy hello|sleeps') ORDER BY id ASC
----
1
2

SELECT id FROM t WHERE MATCH('(quick brown) | (other side)') ORDER BY id ASC
----
1
4

SELECT id FROM t WHERE MATCH('brown -(fox | sleeps)') ORDER BY id ASC
----
no rows

SELECT id FROM t WHERE MATCH('brown -(fox sleeps)') ORDER BY id ASC
----
1
2
4

-- An empty query finds everything.
SELECT id FROM t WHERE MATCH('') ORDER BY id ASC
----
1
2
3
4
5
6

-- Fields.
SELECT id FROM t WHERE MATCH('@title hello') ORDER BY id ASC
----
1
2

SELECT id FROM t WHERE MATCH('@body hello') ORDER BY id ASC
----
4

SELECT id FROM t WHERE MATCH('@title world @body quick') ORDER BY id ASC
----
1
3

SELECT id FROM t WHERE MATCH('@(title,body) brown fox') ORDER BY id ASC
----
1
4

SELECT id FROM t WHERE MATCH('@!title hello') ORDER BY id ASC
----
4

SELECT id FROM t WHERE MATCH('@!(title,body) hello') ORDER BY id ASC
----
no rows

SELECT id FROM t WHERE MATCH('@* hello') ORDER BY id ASC
----
1
2
4

SELECT id FROM t WHERE MATCH('@body[3] brown') ORDER BY id ASC
----
1
2

SELECT id FROM t WHERE MATCH('@body[2] brown') ORDER BY id ASC
----
no rows

-- A limit holds to the next one, and only inside its brackets.
SELECT id FROM t WHERE MATCH('(@title brown) hello') ORDER BY id ASC
----
4

-- Phrases.
SELECT id FROM t WHERE MATCH('"quick brown fox"') ORDER BY id ASC
----
1

SELECT id FROM t WHERE MATCH('"brown quick"') ORDER BY id ASC
----
no rows

SELECT id FROM t WHERE MATCH('"hello world"') ORDER BY id ASC
----
1

-- A phrase does not run from one field into the next.
SELECT id FROM t WHERE MATCH('"world the"') ORDER BY id ASC
----
no rows

SELECT id FROM t WHERE MATCH('"the * fox"') ORDER BY id ASC
----
no rows

SELECT id FROM t WHERE MATCH('"the * * fox"') ORDER BY id ASC
----
1

SELECT id FROM t WHERE MATCH('"hello world" | "lazy brown"') ORDER BY id ASC
----
1
2

SELECT id FROM t WHERE MATCH('dog -"lazy dog"') ORDER BY id ASC
----
2

-- Proximity: the words within a span that is at most so much longer.
SELECT id FROM t WHERE MATCH('"quick fox"~1') ORDER BY id ASC
----
no rows

SELECT id FROM t WHERE MATCH('"quick fox"~2') ORDER BY id ASC
----
1

SELECT id FROM t WHERE MATCH('"fox quick"~5') ORDER BY id ASC
----
1

SELECT id FROM t WHERE MATCH('"hello world"~10') ORDER BY id ASC
----
1
4

-- Quorum: at least so many of the words, or such a share of them.
SELECT id FROM t WHERE MATCH('"quick brown lazy nosuch"/3') ORDER BY id ASC
----
1

SELECT id FROM t WHERE MATCH('"quick brown lazy nosuch"/2') ORDER BY id ASC
----
1
2

SELECT id FROM t WHERE MATCH('"quick brown lazy nosuch"/0.5') ORDER BY id ASC
----
1
2

SELECT id FROM t WHERE MATCH('"quick peace"/1') ORDER BY id ASC
----
1
3

-- The start and the end of a field.
SELECT id FROM t WHERE MATCH('^hello') ORDER BY id ASC
----
1
2
4

SELECT id FROM t WHERE MATCH('world$') ORDER BY id ASC
----
1
4

SELECT id FROM t WHERE MATCH('^hello$') ORDER BY id ASC
----
2

SELECT id FROM t WHERE MATCH('@body ^the') ORDER BY id ASC
----
1

SELECT id FROM t WHERE MATCH('"^quick quick"') ORDER BY id ASC
----
3

-- A word twice.
SELECT id FROM t WHERE MATCH('"quick quick"') ORDER BY id ASC
----
3

SELECT id FROM t WHERE MATCH('quick quick') ORDER BY id ASC
----
1
3

-- With filters.
SELECT id FROM t WHERE MATCH('hello') AND n>1 ORDER BY id ASC
----
2
4

SELECT id FROM t WHERE n<4 AND MATCH('brown') AND id<>1 ORDER BY id ASC
----
2

-- Special characters are words' bounds when they are escaped.
SELECT id FROM t WHERE MATCH('hello \\-world') ORDER BY id ASC
----
1
4

SELECT id FROM t WHERE MATCH('hello\\!') ORDER BY id ASC
----
1
2
4
