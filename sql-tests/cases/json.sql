-- JSON attributes: paths in SELECT, WHERE, ORDER BY and GROUP BY.

CREATE TABLE t(title text, j json)
----
0 rows affected

INSERT INTO t(id,title,j) VALUES (1,'a','{"s":"red","i":5,"f":1.25,"t":true,"n":null,"l":[10,20,30],"o":{"in":{"deep":7}},"ls":["x","y"],"los":[{"k":1},{"k":2}]}'),(2,'b','{"s":"Blue","i":-3,"f":2,"t":false,"l":[],"big":9223372036854775807}')
----
2 rows affected

INSERT INTO t(id,title,j) VALUES (3,'c','{"s":"green","i":50,"l":[20],"uni":"Привет \\u00e9","quote":"a\\"b","key with space":1}'),(4,'d','[1,2,{"x":"y"}]'),(5,'e','{}')
----
3 rows affected

INSERT INTO t(id,title) VALUES (6,'f')
----
1 row affected

SELECT id, j FROM t ORDER BY id ASC
----
1	{"s":"red","i":5,"f":1.250000,"t":true,"n":null,"l":[10,20,30],"o":{"in":{"deep":7}},"ls":["x","y"],"los":[{"k":1},{"k":2}]}
2	{"s":"Blue","i":-3,"f":2,"t":false,"l":[],"big":9223372036854775807}
3	{"s":"green","i":50,"l":[20],"uni":"Привет é","quote":"a\\"b","key with space":1}
4	[1,2,{"x":"y"}]
5	{}
6	NULL

SELECT id, j.s, j.i, j.f, j.t, j.n FROM t WHERE id<4 ORDER BY id ASC
----
1	red	5	1.250000	1	NULL
2	Blue	-3	2	0	NULL
3	green	50	NULL	NULL	NULL

SELECT j.l[0], j.l[2], j.l[3], j.o.in.deep, j.los[1].k, j.ls[1] FROM t WHERE id=1
----
10	30	NULL	7	2	y

SELECT j['s'], j['o']['in']['deep'], j['key with space'] FROM t WHERE id=1
----
red	7	NULL

SELECT j['key with space'], j.uni, j.quote FROM t WHERE id=3
----
1	Привет é	a"b

SELECT j[0], j[2].x FROM t WHERE id=4
----
1	y

SELECT j.o, j.l, j.los FROM t WHERE id=1
----
{"in":{"deep":7}}	[10,20,30]	[{"k":1},{"k":2}]

SELECT j.nosuch, j.o.nosuch.deeper, j.s.x FROM t WHERE id=1
----
NULL	NULL	NULL

SELECT id FROM t WHERE j.i=5
----
1

SELECT id FROM t WHERE j.i>-10 ORDER BY id ASC
----
1
2
3

SELECT id FROM t WHERE j.i IN (5,50) ORDER BY id ASC
----
1
3

SELECT id FROM t WHERE j.i BETWEEN -5 AND 10 ORDER BY id ASC
----
1
2

SELECT id FROM t WHERE j.s='red'
----
1

SELECT id FROM t WHERE j.s IN ('red','green') ORDER BY id ASC
----
1
3

SELECT id FROM t WHERE j.f>1.5
----
2

SELECT id FROM t WHERE j.big=9223372036854775807
----
2

SELECT id FROM t WHERE j.o.in.deep=7
----
1

SELECT id FROM t WHERE j.los[0].k=1
----
1

SELECT id FROM t WHERE j.l[0]=20
----
3

SELECT id FROM t WHERE ANY(j.l)=20 ORDER BY id ASC
----
1
3

SELECT id FROM t WHERE ANY(x=30 FOR x IN j.l)
----
1

SELECT id FROM t WHERE j.i IS NULL ORDER BY id ASC
----
4
5
6

SELECT id FROM t WHERE j.i IS NOT NULL ORDER BY id ASC
----
1
2
3

SELECT id FROM t WHERE j.nosuch.deep=1
----
no rows

SELECT id, j.i FROM t WHERE j.i IS NOT NULL ORDER BY j.i DESC
----
3	50
1	5
2	-3

SELECT id FROM t WHERE j.s IS NOT NULL ORDER BY j.s ASC
----
2
3
1

SELECT j.s AS s, COUNT(*) FROM t WHERE j.s IS NOT NULL GROUP BY s ORDER BY id ASC
----
red	1
Blue	1
green	1

SELECT SUM(j.i) FROM t
----
52

SELECT id, j.i+1 AS x FROM t WHERE j.i IS NOT NULL ORDER BY x ASC
----
2	-2
1	6
3	51

-- Keys have a case.
SELECT j.S FROM t WHERE id=1
----
NULL

INSERT INTO t(id,j) VALUES (7,'{"a":1,"a":2}')
----
1 row affected

INSERT INTO t(id,j) VALUES (8,'{bad}')
----
error 1064: table t: row 1, column 'j': '{bad}' is no json: key must be a string at line 1 column 2

INSERT INTO t(id,j) VALUES (9,'@{3000*[}1@{3000*]}')
----
error 1064: table t: row 1, column 'j': '[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[…' is no json: recursion limit exceeded at line 1 column 128

SELECT COUNT(*) FROM t WHERE id>7
----
0

-- True and false by themselves are shown as 1 and 0; in a document they stay what they are.
CREATE TABLE b(title text, j json)
----
0 rows affected

INSERT INTO b(id,j) VALUES (1,'{"o":{"t":true},"t":true,"a":[true,1]}'),(2,'{"t":false,"a":[false,"x"]}'),(3,'{"t":5}'),(4,'{"t":true}')
----
4 rows affected

SELECT id, j, j.o, j.o.t, j.t, j.a, j.a[0] FROM b ORDER BY id ASC
----
1	{"o":{"t":true},"t":true,"a":[true,1]}	{"t":true}	1	1	[true,1]	1
2	{"t":false,"a":[false,"x"]}	NULL	NULL	0	[false,"x"]	0
3	{"t":5}	NULL	NULL	5	NULL	NULL
4	{"t":true}	NULL	NULL	1	NULL	NULL

SELECT j.t, COUNT(*) FROM b GROUP BY j.t ORDER BY j.t DESC
----
5	1
1	2
0	1

SELECT id, j.t FROM b ORDER BY j.t ASC, id ASC
----
2	0
1	1
4	1
3	5

SELECT to_string(j.t), j.t+1, integer(j.t) FROM b WHERE j.t=true ORDER BY id ASC
----
1	2	1
1	2	1

SELECT id FROM b WHERE ANY(x=1 FOR x IN j.a)
----
1
