-- Functions of one row, without a table and over columns.

CREATE TABLE t(title text, n int, f float, s string, m multi, j json)
----
0 rows affected

INSERT INTO t(id,title,n,f,s,m,j) VALUES (1,'a',7,2.5,'Hello',(1,5,9),'{"k":"v","n":3,"f":1.5,"l":[1,2,3],"o":{"x":1}}')
----
1 row affected

INSERT INTO t(id,title,n,f,s,m,j) VALUES (2,'b',0,-2.5,'',(),'{}')
----
1 row affected

SELECT ABS(-3), ABS(-2.5), CEIL(2.1), FLOOR(2.9), CEIL(-2.1), FLOOR(-2.1)
----
3	2.500000	3	2	-2	-3

SELECT SQRT(16), POW(2,10), LN(1), LOG2(8), LOG10(1000), EXP(0), SIN(0), COS(0)
----
4.000000	1024.000000	0.000000	3.000000	3.000000	1.000000	0.000000	1.000000

SELECT 7 DIV 2, 7 % 3, 7/2, 1+2*3, (1+2)*3, -5+2, 7 MOD 4
----
3	1	3.500000	7	9	-3	3

SELECT MIN(3,2), MAX(3,2), IDIV(7,2), CRC32('abc'), FIBONACCI(10)
----
2	3	3	891568578	55

SELECT CONCAT('a','b'), UPPER('abc'), LOWER('ABC'), LENGTH('hello'), SUBSTRING_INDEX('a.b.c','.',2)
----
ab	ABC	abc	5	a.b

SELECT YEAR(1700000000), MONTH(1700000000), DAY(1700000000), HOUR(1700000000), MINUTE(1700000000), SECOND(1700000000)
----
2023	11	14	22	13	20

SELECT YEARMONTH(1700000000), YEARMONTHDAY(1700000000), DATE_FORMAT(1700000000,'%Y-%m-%d')
----
202311	20231114	2023-11-14

SELECT id, n+1, n*2.5, n/2, n%4, f+f, -n FROM t ORDER BY id ASC
----
1	8	17.500000	3.500000	3	5.000000	-7
2	1	0.000000	0.000000	0	-5.000000	0

SELECT id, IF(n>5,'big','small'), IF(n>5,1,0) FROM t ORDER BY id ASC
----
1	big	1
2	small	0

SELECT id, IN(n,7,8), IN(m,5), IN(m,6) FROM t ORDER BY id ASC
----
1	1	1	0
2	0	0	0

SELECT id, INTERVAL(n,1,5,10) FROM t ORDER BY id ASC
----
1	2
2	0

SELECT id, LENGTH(s), LENGTH(m), LENGTH(j.l) FROM t ORDER BY id ASC
----
1	5	3	3
2	0	0	0

SELECT id, TO_STRING(n), CONCAT(s,'-',TO_STRING(n)) FROM t ORDER BY id ASC
----
1	7	Hello-7
2	0	-0

SELECT id, LEAST(m), GREATEST(m) FROM t WHERE id=1
----
1	1	9

SELECT id, ANY(x>2 FOR x IN j.l), ALL(x>0 FOR x IN j.l) FROM t WHERE id=1
----
1	1	1

SELECT id, BIGINT(n), SINT(n), DOUBLE(f) FROM t WHERE id=1
----
1	7	7	2.500000

SELECT id, GREATEST(j.l), LEAST(j.l) FROM t WHERE id=1
----
1	3	1

SELECT id, REMAP(n, f, (7,8), (70,80)) AS r FROM t ORDER BY id ASC
----
1	70
2	-2.500000

SELECT id, n=7 AS eq, n>5 AND f>0 AS a, NOT n AS no FROM t ORDER BY id ASC
----
1	1	1	0
2	0	0	1

-- Division by nothing.
SELECT id, n/0, n DIV 0, n%0 FROM t WHERE id=1
----
1	0.000000	0	0

-- Arithmetic at the ends of the range does not stop the server.
SELECT 9223372036854775807+1, -9223372036854775807-2, 9223372036854775807*2
----
-9223372036854775808	9223372036854775807	-2

SELECT 1<<3, 16>>2, 6&3, 6|3, 6^3
----
8	4	2	7	5

SELECT NOSUCH(1)
----
error 1064: unknown function: nosuch

SELECT ABS()
----
error 1064: abs() takes 1 argument(s), 0 given

SELECT ABS(1,2)
----
error 1064: abs() takes 1 argument(s), 2 given

SELECT GEODIST(37.7749,-122.4194,40.7128,-74.0060,{in=degrees,out=km}) d
----
4129.086914

SELECT GEODIST(37.7749,-122.4194,40.7128,-74.0060,{in=deg,out=mi,method=haversine}) d
----
2570.930908

SELECT GEODIST(0.65930,2.1379,0.6,2.1,{}) d, GEODIST(0.65930,2.1379,0.6,2.1) e
----
425193.093750	425193.093750

SELECT GEODIST(1,2,3,4,{in=turns})
----
error 1064: geodist(): option in takes deg, degrees, rad, radians, not 'turns'

SELECT GEODIST(1,2,3,4,5)
----
error 1064: geodist() takes two points and {in=…, out=…}
