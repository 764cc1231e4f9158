-- Every column type: what goes in comes out, in the form that the dialect prints.

CREATE TABLE t(title text, s string, u int, u2 uint, b bigint, f float, flag bool, ts timestamp, m multi, m64 multi64, j json)
----
0 rows affected

INSERT INTO t(id,title,s,u,u2,b,f,flag,ts,m,m64,j) VALUES (1,'Green Tea','Leaf',4294967295,7,-9223372036854775808,1.5,1,1700000000,(3,1,2,3),(-5,9223372036854775807,-5),'{"a":1,"b":[1,2.5,"x",null,true],"c":{"d":"e"}}')
----
1 row affected

-- The least that a row may say: all else is zero or empty, json is NULL.
INSERT INTO t(id) VALUES (2)
----
1 row affected

INSERT INTO t(id,title,s,u,u2,b,f,flag,ts,m,m64,j) VALUES (3,'','',0,0,9223372036854775807,-0.25,0,0,(),(),'{}'), (4,'x','y',1,1,-1,1000000,'true',4294967295,(4294967295),(1),'[]')
----
2 rows affected

-- headings
SELECT * FROM t ORDER BY id ASC
----
id	title	s	u	u2	b	f	flag	ts	m	m64	j
1	Green Tea	Leaf	4294967295	7	-9223372036854775808	1.500000	1	1700000000	1,2,3	-5,9223372036854775807	{"a":1,"b":[1,2.500000,"x",null,true],"c":{"d":"e"}}
2	''	''	0	0	0	0.000000	0	0	''	''	NULL
3	''	''	0	0	9223372036854775807	-0.250000	0	0	''	''	{}
4	x	y	1	1	-1	1000000.000000	1	4294967295	4294967295	1	[]

-- Numbers in quotes, as drivers send them; whole numbers in a float; a float in a whole number loses what is behind the point.
INSERT INTO t(id,u,b,f,m,ts) VALUES ('5','42','-42','2.25','3,1','10'), (6,5.9,-5.9,7,9,'11')
----
2 rows affected

SELECT id,u,b,f,m,ts FROM t WHERE id>=5 ORDER BY id ASC
----
5	42	-42	2.250000	1,3	10
6	5	-5	7.000000	9	11

-- NULL is the default of the column.
INSERT INTO t(id,title,s,u,b,f,flag,m,j) VALUES (7,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL)
----
1 row affected

SELECT title,s,u,b,f,flag,m,j FROM t WHERE id=7
----
''	''	0	0	0.000000	0	''	NULL

-- Floats have single precision.
INSERT INTO t(id,f) VALUES (8,0.1),(9,123456.789),(10,3.4e38),(11,-1e-3)
----
4 rows affected

SELECT id, f FROM t WHERE id>=8 ORDER BY id ASC
----
8	0.100000
9	123456.789062
10	339999995214436424907732413799364296704.000000
11	-0.001000

-- Values that fit no column of their type are refused, and nothing is written.
INSERT INTO t(id,u) VALUES (20,1),(21,4294967296)
----
error 1064: table t: row 2, column 'u': 4294967296 is out of range 0..4294967295

INSERT INTO t(id,u) VALUES (20,-1)
----
error 1064: table t: row 1, column 'u': -1 is out of range 0..4294967295

INSERT INTO t(id,b) VALUES (20,9223372036854775808)
----
error 1064: table t: row 1, column 'b': 9223372036854775808 is out of range -9223372036854775808..9223372036854775807

INSERT INTO t(id,f) VALUES (20,'soft')
----
error 1064: table t: row 1, column 'f': 'soft' is no number

INSERT INTO t(id,m) VALUES (20,(1,4294967296))
----
error 1064: table t: row 1, column 'm': (1,4294967296) is out of range 0..4294967295

INSERT INTO t(id,m) VALUES (20,'1,a')
----
error 1064: table t: row 1, column 'm': '1,a' is no whole number

INSERT INTO t(id,j) VALUES (20,'{"a":')
----
error 1064: table t: row 1, column 'j': '{"a":' is no json: EOF while parsing a value at line 1 column 5

INSERT INTO t(id,j) VALUES (20,'5')
----
error 1064: table t: row 1, column 'j': '5' is no json object or array

INSERT INTO t(id,flag) VALUES (20,'maybe')
----
error 1064: table t: row 1, column 'flag': 'maybe' is no whole number

SELECT COUNT(*) FROM t WHERE id>=20
----
0

-- A float has six decimals if they read back as the same float, else eight; an average likewise, as a double.
CREATE TABLE floats(title text, f float, n int)
----
0 rows affected

INSERT INTO floats(id,f,n) VALUES (1,0.333333333,0),(2,3.3,1),(3,0.0000001,2),(4,1e10,0),(5,1e-9,1),(6,-1.5,2),(7,-0.1,0),(8,0.7,1),(9,123456.789,2),(10,0.0000012,0),(11,1234.5678,1),(12,99999.99,2),(13,100.01,0),(14,-3.30000019,1),(15,33.3333,2),(16,-0.0,0)
----
16 rows affected

SELECT id, f, f*1.5, sqrt(f), to_string(f) FROM floats ORDER BY id ASC
----
1	0.33333334	0.500000	0.57735026	0.333333
2	3.300000	4.950000	1.81659019	3.300000
3	0.00000010	0.00000015	0.00031623	0.000000
4	10000000000.000000	15000000512.000000	100000.000000	10000000000.000000
5	0.00000000	0.00000000	0.00003162	0.000000
6	-1.500000	-2.250000	0.000000	-1.500000
7	-0.100000	-0.150000	0.000000	-0.100000
8	0.700000	1.050000	0.836660	0.700000
9	123456.789062	185185.187500	351.364197	123456.789062
10	0.00000120	0.00000180	0.00109545	0.000001
11	1234.567749	1851.851562	35.136417	1234.567749
12	99999.992188	149999.984375	316.227753	99999.992188
13	100.010002	150.014999	10.000500	100.010002
14	-3.30000019	-4.95000029	0.000000	-3.300000
15	33.333302	49.999954	5.773500	33.333302
16	-0.000000	-0.000000	0.000000	-0.000000

SELECT AVG(f), AVG(n), MIN(f), MAX(f) FROM floats WHERE f<1000
----
11.06471984	0.83333333	-3.30000019	100.010002

SELECT AVG(f) FROM floats WHERE id=2
----
3.29999995

SELECT GROUP_CONCAT(f) FROM floats WHERE id<4
----
0.333333,3.300000,0.000000

SELECT 1/3, 0.1, 1e-7, 3.3
----
0.33333334	0.100000	0.00000010	3.300000
