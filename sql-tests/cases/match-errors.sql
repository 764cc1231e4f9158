-- Malformed queries and those that nothing can enumerate.
-- one chunk is enough

CREATE TABLE t(title text, body text)
----
0 rows affected

INSERT INTO t(id,title,body) VALUES (1,'hello','world'),(2,'goodbye','world')
----
2 rows affected

SELECT id FROM t WHERE MATCH('hello (')
----
error 1064: table t: P08: syntax error, unexpected $end near ''

SELECT id FROM t WHERE MATCH('hello )')
----
error 1064: table t: P08: syntax error, unexpected ')' near ')'

SELECT id FROM t WHERE MATCH('"hello')
----
error 1064: table t: P08: syntax error, unexpected $end near ''

SELECT id FROM t WHERE MATCH('| hello')
----
error 1064: table t: P08: syntax error, unexpected '|' near '| hello'

SELECT id FROM t WHERE MATCH('hello |')
----
error 1064: table t: P08: syntax error, unexpected $end near ''

SELECT id FROM t WHERE MATCH('@nosuch hello')
----
error 1064: table t: query error: no field 'nosuch' found in schema

SELECT id FROM t WHERE MATCH('@(title,nosuch) hello')
----
error 1064: table t: query error: no field 'nosuch' found in schema

-- Said to be lenient, it leaves the field out.
SELECT id FROM t WHERE MATCH('@@relaxed @(title,nosuch) hello')
----
1

SELECT id FROM t WHERE MATCH('-hello')
----
error 1064: table t: query error: query is non-computable (single NOT operator)

SELECT id FROM t WHERE MATCH('hello | -world')
----
error 1064: table t: P08: syntax error, unexpected '-' near '-world'

-- Allowed by an option.
SELECT id FROM t WHERE MATCH('-hello') OPTION not_terms_only_allowed=1
----
2

SELECT id FROM t WHERE MATCH('"hello world"/')
----
error 1064: table t: P08: syntax error, a quorum is a number of 1 or more, or a share between 0.0 and 1.0 near '/'

SELECT id FROM t WHERE MATCH('"hello world"/0')
----
error 1064: table t: P08: syntax error, a quorum is a number of 1 or more, or a share between 0.0 and 1.0 near '/0'

SELECT id FROM t WHERE MATCH('"hello world"~')
----
error 1064: table t: P08: syntax error, a proximity is a number of 1 or more near '~'

SELECT id FROM t WHERE MATCH('hello') AND MATCH('world')
----
error 1064: P01: too many MATCH() clauses near ')'

SELECT id FROM t WHERE MATCH('hello') OR id=2
----
error 1064: MATCH() can only be one of the conditions of WHERE that AND joins

SELECT id FROM t WHERE NOT MATCH('hello')
----
error 1064: MATCH() can only be one of the conditions of WHERE that AND joins

SELECT id FROM t WHERE MATCH(1)
----
error 1064: P01: syntax error, unexpected integer, expecting string near '1)'

-- Many brackets do not harm.
SELECT id FROM t WHERE MATCH('@{2000*(}hello@{2000*)}')
----
error 1064: table t: query too deep (at most 100 levels)

SELECT id FROM t WHERE MATCH('@{20*(}hello@{20*)}')
----
1

-- A limit to a text that is stored and not searched is right, and there is nothing to find.
CREATE TABLE kept(title text, body text stored, n int)
----
0 rows affected

INSERT INTO kept(id,title,body) VALUES (1,'x name','x words'),(2,'y','x words')
----
2 rows affected

SELECT id FROM kept WHERE MATCH('@body x')
----
no rows

SELECT id FROM kept WHERE MATCH('@(title,body) x')
----
1

SELECT id FROM kept WHERE MATCH('@!body x')
----
1

SELECT id FROM kept WHERE MATCH('@(body,nosuch) x')
----
error 1064: table kept: query error: no field 'nosuch' found in schema

SELECT id FROM kept WHERE MATCH('@n x')
----
error 1064: table kept: query error: no field 'n' found in schema
