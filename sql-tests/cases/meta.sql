-- SHOW META of the last SELECT.

CREATE TABLE t(title text, body text, n int)
----
0 rows affected

INSERT INTO t(id,title,body,n) VALUES @{1..30:(#,'common w#','text',#)}
----
30 rows affected

INSERT INTO t(id,title,body,n) VALUES @{31..60:(#,'common w#','common text',#)}
----
30 rows affected

SELECT id FROM t WHERE MATCH('common') LIMIT 2
----
31
32

SHOW META LIKE 'total%'
----
total	60
total_found	60
total_relation	eq

SELECT id FROM t WHERE MATCH('common w5') LIMIT 2
----
5

SHOW META LIKE '%[%'
----
keyword[0]	common
docs[0]	60
hits[0]	90
keyword[1]	w5
docs[1]	1
hits[1]	1

SELECT id FROM t WHERE MATCH('nosuch common')
----
no rows

SHOW META LIKE 'docs%'
----
docs[0]	0
docs[1]	60

SELECT id FROM t WHERE n>50 LIMIT 1 OPTION max_matches=5
----
51

SHOW META LIKE 'total%'
----
total	5
total_found	10
total_relation	eq

SELECT id FROM t LIMIT 0
----
no rows

SHOW META LIKE 'total_found'
----
total_found	60

SELECT n%3 AS g, COUNT(*) FROM t GROUP BY g ORDER BY g ASC
----
0	20
1	20
2	20

SHOW META LIKE 'total%'
----
total	3
total_found	3
total_relation	eq

-- After a search that failed, and after what could not be read.
CREATE TABLE e(title text)
----
0 rows affected

INSERT INTO e(id,title) VALUES (1,'a')
----
1 row affected

SELECT id FROM e WHERE MATCH('a')
----
1

SELECT nosuch FROM e
----
error 1064: table e: unknown column: nosuch

-- same session
SHOW META
----
error	table e: unknown column: nosuch
total	0
total_found	0
total_relation	eq
time	0.000

SELECT id FROM e WHERE MATCH('(')
----
error 1064: table e: P08: syntax error, unexpected $end near ''

-- same session
SHOW META
----
error	table e: P08: syntax error, unexpected $end near ''
total	0
total_found	0
total_relation	eq
time	0.000

SELECT id FROM nosuch
----
error 1064: unknown local table(s) 'nosuch' in search request

-- same session
SHOW META LIKE 'error'
----
error	unknown local table(s) 'nosuch' in search request
