-- Statements that make no sense get an error with a reason, and nothing else happens.
-- one chunk is enough

CREATE TABLE t(title text, n int, s string, m multi, j json)
----
0 rows affected

INSERT INTO t(id,title,n,s) VALUES (1,'kept',1,'s')
----
1 row affected

NONSENSE
----
error 1064: P01: syntax error, unknown statement 'NONSENSE' near 'NONSENSE'

SELEC id FROM t
----
error 1064: P01: syntax error, unknown statement 'SELEC', did you mean SELECT? near 'SELEC id FROM t'

SELECT
----
error 1064: P01: syntax error, unexpected end of query, expecting expression near ''

SELECT FROM t
----
error 1064: P01: syntax error, unexpected FROM, expecting expression near 'FROM t'

SELECT id FROM
----
error 1064: P01: syntax error, unexpected end of query, expecting table name near ''

SELECT id t WHERE
----
error 1064: P01: syntax error, unexpected end of query, expecting expression near ''

SELECT id FROM t WHERE
----
error 1064: P01: syntax error, unexpected end of query, expecting expression near ''

SELECT id FROM t WHERE n=
----
error 1064: P01: syntax error, unexpected end of query, expecting expression near ''

SELECT id FROM t WHERE (n=1
----
error 1064: P01: syntax error, unexpected end of query, expecting ',' near ''

SELECT id FROM t WHERE n=1)
----
error 1064: P01: syntax error, unexpected ')', expecting end of query near ')'

SELECT id FROM t WHERE s='unclosed
----
error 1064: P01: syntax error, unexpected string without an end, expecting expression near ''unclosed'

SELECT id, FROM t
----
error 1064: P01: syntax error, unexpected FROM, expecting expression near 'FROM t'

SELECT id FROM t ORDER BY
----
error 1064: P01: syntax error, unexpected end of query, expecting expression near ''

SELECT id FROM t LIMIT x
----
error 1064: P01: syntax error, unexpected identifier, expecting integer near 'x'

SELECT id FROM t OPTION
----
error 1064: P01: syntax error, unexpected end of query, expecting option name near ''

SELECT id FROM t OPTION ranker
----
error 1064: P01: syntax error, unexpected end of query, expecting '=' near ''

SELECT nosuch FROM t
----
error 1064: table t: unknown column: nosuch

SELECT nosuch(n) FROM t
----
error 1064: unknown function: nosuch

SELECT id FROM t GROUP BY title
----
error 1064: table t: group-by attribute 'title' not found: it is a full-text field, not an attribute

SELECT id FROM t WHERE title='kept'
----
error 1064: table t: unsupported filter on field 'title' (filters are supported only on attributes, not stored fields)

SELECT id FROM t ORDER BY title ASC
----
error 1064: table t: sort-by attribute 'title' not found: it is a full-text field, not an attribute

SELECT id FROM t WHERE n LIKE 'a%'
----
error 1064: table t: LIKE needs a string: column 'n' is a number

INSERT INTO t
----
error 1064: P01: syntax error, unexpected end of query, expecting VALUES near ''

INSERT INTO t VALUES
----
error 1064: P01: syntax error, unexpected end of query, expecting '(' near ''

INSERT INTO t(id,n) VALUES (2,3
----
error 1064: P01: syntax error, unexpected end of query, expecting ')' near ''

INSERT INTO t(id,n) VALUES ()
----
error 1064: table t: wrong number of values in row 1: 2 expected, 0 given

INSERT INTO t(id,title) VALUES (2,'unclosed)
----
error 1064: P01: syntax error, unexpected string without an end, expecting value near ''unclosed)'

INSERT INTO t(id,n) VALUES (2,@x)
----
error 1064: P01: syntax error, unexpected @variable, expecting value near '@x)'

INSERT INTO t(id,m) VALUES (2,(1,'x'))
----
error 1064: table t: row 1: VALUES takes literals only

UPDATE t SET n=5
----
error 1064: UPDATE needs a WHERE; WHERE id>0 means every row

UPDATE t SET WHERE id=1
----
error 1064: P01: syntax error, unexpected WHERE, expecting column near 'WHERE id=1'

UPDATE t SET m=(1,'x') WHERE id=1
----
error 1064: table t: column 'm': SET takes a literal, expressions are not supported

UPDATE t SET j.a='text' WHERE id=1
----
error 1064: table t: column 'j': only numbers can be set inside a json attribute, set the whole attribute instead

UPDATE t SET n=n+1 WHERE id=1
----
error 1064: table t: column 'n': SET takes a literal, expressions are not supported

CREATE TABLE
----
error 1064: P01: syntax error, unexpected end of query, expecting table name near ''

CREATE TABLE x(
----
error 1064: P01: syntax error, unexpected end of query, expecting column name near ''

CREATE TABLE x()
----
error 1064: P01: syntax error, unexpected ')', expecting column name near ')'

CREATE TABLE x(a nosuchtype)
----
error 1064: table 'x': CREATE TABLE failed: unknown type 'nosuchtype' of column 'a'

CREATE TABLE x(a int, a text)
----
error 1064: table 'x': CREATE TABLE failed: duplicate column name 'a'

CREATE TABLE x(id text)
----
error 1064: table 'x': CREATE TABLE failed: the column id is a plain bigint

CREATE TABLE x(a int indexed)
----
error 1064: table 'x': CREATE TABLE failed: column 'a' of type int can be neither indexed nor stored

CREATE TABLE x(a text) nosuch='1'
----
error 1064: table 'x': CREATE TABLE failed: unknown text option 'nosuch'

CREATE TABLE x(a text) rt_mem_limit='1'
----
error 1064: table 'x': CREATE TABLE failed: rt_mem_limit='1': a size of 64K or more expected

CREATE TABLE x(a text) optimize_cutoff='-3'
----
error 1064: table 'x': CREATE TABLE failed: optimize_cutoff='-3': a number from 1 expected

CREATE TABLE x(a text) rt_mem_limit='999999999999999999999G'
----
error 1064: table 'x': CREATE TABLE failed: rt_mem_limit='999999999999999999999G': a size of 64K or more expected

CREATE TABLE x(a text) min_infix_len='1000000'
----
error 1064: table 'x': CREATE TABLE failed: min_infix_len: a number from 0 to 42 expected, not '1000000'

CREATE TABLE x(a text) preopen='1'
----
error 1064: table 'x': CREATE TABLE failed: the table setting preopen is not built yet

CREATE TABLE `../evil`(a text)
----
error 1064: there is no database '' to create a table in

CREATE TABLE `a b`(a text)
----
error 1064: 'a b' cannot be the name of a table: letters, digits and _ are allowed, a digit not first

CREATE TABLE 1a(a text)
----
error 1064: '1a' cannot be the name of a table: letters, digits and _ are allowed, a digit not first

CREATE TABLE @{129*a}(a text)
----
error 1064: the name of a table has at most 128 characters

CREATE TABLE x(`a b` int)
----
error 1064: table 'x': CREATE TABLE failed: 'a b' cannot be the name of a column: letters, digits and _ are allowed, a digit not first

-- Long names of columns are allowed.
CREATE TABLE x(@{300*c} int)
----
0 rows affected

DROP TABLE x
----
0 rows affected

DROP TABLE `../evil`
----
error 1064: DROP TABLE failed: unknown table '../evil'

SHOW NOSUCH
----
error 1064: P01: syntax error, unknown thing to show 'NOSUCH' near 'NOSUCH'

SHOW TABLE nosuch STATUS
----
error 1064: SHOW TABLE STATUS requires an existing table: no such table 'nosuch'

FLUSH NOSUCH t
----
error 1064: P01: syntax error, unknown thing to flush 'NOSUCH' near 'NOSUCH t'

FLUSH RAMCHUNK nosuch
----
error 1064: FLUSH RAMCHUNK requires an existing RT table: no such table 'nosuch'

OPTIMIZE TABLE nosuch
----
error 1064: OPTIMIZE TABLE requires an existing RT, distributed, or shard table: no such table 'nosuch'

OPTIMIZE TABLE t OPTION cutoff=0
----
error 1064: option cutoff takes a number from 1

OPTIMIZE TABLE t OPTION cutoff=-1
----
error 1064: option cutoff takes a number from 1

OPTIMIZE TABLE t OPTION sync=maybe
----
error 1064: option sync takes 0 or 1

OPTIMIZE TABLE t OPTION nosuch=1
----
error 1064: unknown option 'nosuch'

CALL NOSUCH('a')
----
error 1064: P01: syntax error, unknown procedure 'NOSUCH' near 'NOSUCH('a')'

CALL KEYWORDS('a')
----
error 1064: P01: syntax error, unexpected ')', expecting ',' near ')'

KILL abc
----
error 1064: P01: syntax error, unexpected identifier, expecting integer near 'abc'

KILL 99999
----
error 1094: unknown thread id: 99999

SET GLOBAL nosuch=1
----
error 1193: unknown variable 'nosuch'

SET GLOBAL rt_mem_limit='lots'
----
error 1231: rt_mem_limit = lots: a size from 64K to 1T expected

SET GLOBAL optimize_cutoff=0
----
error 1231: optimize_cutoff = 0: a number from 1 to 10000 expected

-- Bytes that are no UTF-8.
-- bytes
SELECT id FROM t WHERE MATCH('\xff')
----
error 1064: the query is not valid UTF-8 at byte 30

-- bytes
INSERT INTO t(id,title) VALUES (2,'\xc3\x28')
----
error 1064: the query is not valid UTF-8 at byte 35

-- Numbers beyond all types.
SELECT id FROM t WHERE n=99999999999999999999999
----
error 1064: number 99999999999999999999999 is out of range [-9223372036854775808..9223372036854775807]

-- Which id is meant is clear; which of two comes first is not.
SELECT id FROM t WHERE id>18446744073709551615
----
error 1064: number 18446744073709551615 is out of range [-9223372036854775808..9223372036854775807]: compare UINT64(id) instead

SELECT id FROM t WHERE id BETWEEN 5 AND '9223372036854775808'
----
error 1064: number 9223372036854775808 is out of range [-9223372036854775808..9223372036854775807]: compare UINT64(id) instead

SELECT id FROM t WHERE id=18446744073709551616
----
error 1064: number 18446744073709551616 is out of range [-9223372036854775808..9223372036854775807]

SELECT id FROM t WHERE id IN (-9223372036854775809)
----
error 1064: number -9223372036854775809 is out of range [-9223372036854775808..9223372036854775807]

SELECT id FROM t WHERE n='18446744073709551616'
----
error 1064: number 18446744073709551616 is out of range [-9223372036854775808..9223372036854775807]

SELECT id FROM t LIMIT 99999999999999999999
----
error 1064: number 99999999999999999999 is out of range [-9223372036854775808..9223372036854775807]

INSERT INTO t(id,n) VALUES (99999999999999999999,1)
----
error 1064: number 99999999999999999999 is out of range [-9223372036854775808..9223372036854775807]

-- Brackets without end.
SELECT @{500*(}1@{500*)}
----
error 1064: P01: nested deeper than 200 levels near '(((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((('

SELECT id FROM t WHERE @{500*NOT }n=1
----
error 1064: P01: nested deeper than 200 levels near 'NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT NOT '

SELECT 1; ; SELECT 2
----
1
+
2

SELECT 1; NONSENSE; SELECT 2
----
1
+
error 1064: P01: syntax error, unknown statement 'NONSENSE' near 'NONSENSE; SELECT 2'

-- All that is left of it.
SELECT id,title,n,s,m,j FROM t ORDER BY id ASC
----
1	kept	1	s	''	NULL

SHOW TABLES
----
t	rt

-- Words that are nobody's are mistakes; words of the dialect that are missing say so.
SELECT q.id FROM t AS q
----
error 1064: another name for a table (FROM t AS name) is not built yet

SELECT id FROM t UNION SELECT 1
----
error 1064: UNION is not built yet

SELECT (SELECT 1)
----
error 1064: a subquery is not built yet

SELECT id FROM t WHERE id IN (SELECT id FROM t)
----
error 1064: a subquery is not built yet

SHOW TABELS
----
error 1064: P01: syntax error, unknown thing to show 'TABELS', did you mean TABLES? near 'TABELS'

SHOW PLAN
----
error 1064: SHOW PLAN is not built yet

CALL KEYWORD('a','t')
----
error 1064: P01: syntax error, unknown procedure 'KEYWORD', did you mean KEYWORDS? near 'KEYWORD('a','t')'

CALL SUGGEST('a','t')
----
error 1064: CALL SUGGEST is not built yet

ALTER TABLE t RENAM x
----
error 1064: P01: syntax error, unknown alteration 'RENAM', did you mean RENAME? near 'RENAM x'

OPTIMIZE t
----
error 1064: P01: syntax error, unexpected identifier, expecting TABLE near 't'

-- Kinds in messages.
SELECT title+1 FROM t
----
error 1064: table t: arithmetic needs numbers: column 'title' is a string

SELECT -title FROM t
----
error 1064: table t: '-' needs numbers: column 'title' is a string

-- Numbers past all types in options and paths.
SELECT id FROM t OPTION cutoff=99999999999999999999
----
error 1064: number 99999999999999999999 is out of range [-9223372036854775808..9223372036854775807]

OPTIMIZE TABLE t OPTION cutoff=-99999999999999999999
----
error 1064: number -99999999999999999999 is out of range [-9223372036854775808..9223372036854775807]

-- Names that are empty.
CREATE TABLE x(`` int)
----
error 1064: table 'x': CREATE TABLE failed: '' cannot be the name of a column: letters, digits and _ are allowed, a digit not first

CREATE TABLE x(```a` int)
----
error 1064: table 'x': CREATE TABLE failed: '' cannot be the name of a column: letters, digits and _ are allowed, a digit not first

-- More keys than a group has, more columns than a table has.
SELECT COUNT(*) FROM t GROUP BY n@{64*,n}
----
error 1064: GROUP BY takes at most 64 keys, 65 given

SELECT COUNT(*) FROM t GROUP BY n@{63*,n}
----
1

CREATE TABLE x(@{1..4097:c# int})
----
error 1064: table 'x': CREATE TABLE failed: a table has at most 4096 columns, not 4097
