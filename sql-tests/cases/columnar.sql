-- Attributes kept in columns: how they are asked for, and that they answer as others do.
-- one chunk is enough

CREATE TABLE c(title text, n int, price float engine='rowwise', s string fast_fetch='0', m multi64, j json) engine='columnar'
----
0 rows affected

DESC c
----
id	bigint	''
title	text	indexed stored
n	uint	columnar
price	float	''
s	string	columnar
m	mva64	columnar
j	json	''

SHOW CREATE TABLE c
----
c	CREATE TABLE c (\nid bigint,\ntitle text,\nn integer,\nprice float engine='rowwise',\ns string,\nm multi64,\nj json\n) engine='columnar'

CREATE TABLE m(a int engine='columnar', b int, t text indexed attribute engine='columnar', j json engine='columnar') engine='rowwise'
----
0 rows affected, 1 warning

SHOW WARNINGS
----
warning	1105	column 'j': JSON is not columnar, it stays in rows

DESC m
----
id	bigint	''
a	uint	columnar
b	uint	''
t	string	indexed attribute columnar
j	json	''

CREATE TABLE x(a text engine='columnar')
----
error 1064: table 'x': CREATE TABLE failed: engine (column 'a') says how an attribute is kept, and this column is none

CREATE TABLE x(a int engine='diagonal')
----
error 1064: table 'x': CREATE TABLE failed: engine='diagonal' (column 'a'): 'rowwise' or 'columnar' expected

CREATE TABLE x(a int) engine='diagonal'
----
error 1064: table 'x': CREATE TABLE failed: engine='diagonal': 'rowwise' or 'columnar' expected

CREATE TABLE x(a int engine='columnar' fast_fetch='1')
----
error 1064: table 'x': CREATE TABLE failed: fast_fetch='1' (column 'a') is not built yet

ALTER TABLE c engine='rowwise'
----
error 1064: engine is chosen when a table is created: the attributes of its chunks are not kept anew

INSERT INTO c(id,title,n,price,s,m,j) VALUES @{1..2500:(#,'word w#',#,#.5,'s#',(#,9000000000000000000),'[#]')}
----
2500 rows affected

INSERT INTO c(id,title,n,price,s,m,j) VALUES (3000,'last word',4294967295,-0.25,'',(),'{}')
----
1 row affected

SELECT * FROM c WHERE id IN (1,2500,3000)
----
1	word w1	1	1.500000	s1	1,9000000000000000000	[1]
2500	word w2500	2500	2500.500000	s2500	2500,9000000000000000000	[2500]
3000	last word	4294967295	-0.250000	''	''	{}

-- Blocks whose values are all elsewhere are passed over.
SELECT id FROM c WHERE n=2049
----
2049

SELECT COUNT(*), MIN(n), MAX(n) FROM c WHERE n>=1000 AND n<1010
----
10	1000	1009

SELECT id FROM c WHERE n IN (5,2050,7777)
----
5
2050

SELECT COUNT(*) FROM c WHERE n NOT IN (1,2)
----
2499

SELECT COUNT(*) FROM c WHERE n<>3
----
2500

SELECT id, price, s, m FROM c WHERE s='s77' OR price<0 ORDER BY id ASC
----
77	77.500000	s77	77,9000000000000000000
3000	-0.250000	''	''

SELECT id FROM c WHERE j[0]=1234
----
1234

SELECT id FROM c WHERE ANY(m)=1500
----
1500

SELECT n % 3 g, COUNT(*), SUM(n) FROM c WHERE MATCH('word') GROUP BY g ORDER BY g ASC
----
0	834	4296009378
1	834	1042917
2	833	1041250

-- UPDATEd values count, wherever their block's others are.
UPDATE c SET n=7777, s='new', m=(1) WHERE id=1200
----
1 row affected

SELECT id, n, s, m FROM c WHERE n=7777
----
1200	7777	new	1

SELECT COUNT(*) FROM c WHERE n=1200
----
0

REPLACE INTO c(id,title,n) VALUES (1201,'word again',1201)
----
1 row affected

DELETE FROM c WHERE n BETWEEN 1 AND 1100
----
1100 rows affected

SELECT COUNT(*), MIN(n) FROM c
----
1401	1101

INSERT INTO m(id,a,b,t,j) VALUES (1,10,20,'text of m','{"x":[1,2]}'),(2,11,21,'',''),(18446744073709551615,0,0,'end',NULL)
----
3 rows affected

SELECT * FROM m
----
-1	0	0	end	NULL
1	10	20	text of m	{"x":[1,2]}
2	11	21	''	NULL

SELECT * FROM m WHERE id=18446744073709551615
----
-1	0	0	end	NULL

INSERT INTO m(id,a) VALUES (1,1)
----
error 1064: duplicate id '1'

SELECT a, t FROM m WHERE MATCH('text')
----
10	text of m
