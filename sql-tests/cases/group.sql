-- GROUP BY, aggregates, HAVING, WITHIN GROUP ORDER BY.

CREATE TABLE t(title text, year int, price float, maker string, tags multi, j json)
----
0 rows affected

INSERT INTO t(id,title,year,price,maker,tags,j) VALUES (1,'red car',2001,10.5,'Ford',(1,2),'{"c":"red","n":1}'),(2,'blue car',2002,20.25,'Opel',(2),'{"c":"blue","n":2}'),(3,'red bus',2001,30,'Ford',(3),'{"c":"red","n":3}')
----
3 rows affected

INSERT INTO t(id,title,year,price,maker,tags,j) VALUES (4,'green car',2002,40,'opel',(1,3),'{"c":"green","n":4}'),(5,'red bike',2003,5,'Ford',(),'{"c":"red"}'),(6,'old bike',2001,1,'',(1),'{}')
----
3 rows affected

SELECT year, COUNT(*) FROM t GROUP BY year ORDER BY year ASC
----
2001	3
2002	2
2003	1

-- headings
SELECT year, COUNT(*) c, SUM(price) s, AVG(price) a, MIN(price) mi, MAX(price) ma FROM t GROUP BY year ORDER BY year ASC
----
year	c	s	a	mi	ma
2001	3	41.500000	13.83333333	1.000000	30.000000
2002	2	60.250000	30.125000	20.250000	40.000000
2003	1	5.000000	5.000000	5.000000	5.000000

SELECT year, SUM(id) s, AVG(id) a, MIN(id) mi, MAX(id) ma FROM t GROUP BY year ORDER BY s DESC
----
2001	10	3.33333333	1	6
2002	6	3.000000	2	4
2003	5	5.000000	5	5

-- Without GROUP BY the aggregates are over all.
SELECT COUNT(*), SUM(year), MIN(price), MAX(price), AVG(year) FROM t
----
6	12010	1.000000	40.000000	2001.66666667

SELECT COUNT(*) FROM t WHERE year=1999
----
0

SELECT COUNT(DISTINCT year), COUNT(DISTINCT maker) FROM t
----
3	3

SELECT year, COUNT(DISTINCT maker) d FROM t GROUP BY year ORDER BY year ASC
----
2001	2
2002	1
2003	1

-- Strings are grouped without regard to case.
SELECT maker, COUNT(*) c FROM t GROUP BY maker ORDER BY c DESC, id ASC
----
Ford	3
Opel	2
''	1

SELECT year, maker, COUNT(*) c FROM t GROUP BY year, maker ORDER BY year ASC, maker ASC
----
2001	''	1
2001	Ford	2
2002	Opel	2
2003	Ford	1

-- Each value of a set is a group.
SELECT GROUPBY() g, COUNT(*) c FROM t GROUP BY tags ORDER BY g ASC
----
1	3
2	2
3	2

SELECT j.c, COUNT(*) c FROM t GROUP BY j.c ORDER BY c DESC, id ASC
----
red	3
blue	1
green	1
NULL	1

SELECT year, COUNT(*) c FROM t GROUP BY year HAVING c>1 ORDER BY year ASC
----
2001	3
2002	2

SELECT year, COUNT(*) FROM t GROUP BY year HAVING COUNT(*)=1
----
2003	1

SELECT year, AVG(price) a FROM t GROUP BY year HAVING a>10 AND a<20
----
2001	13.83333333

SELECT year, GROUP_CONCAT(id) g FROM t GROUP BY year ORDER BY year ASC
----
2001	1,3,6
2002	2,4
2003	5

-- Which row stands for its group.
SELECT year, id, title FROM t GROUP BY year WITHIN GROUP ORDER BY price DESC ORDER BY year ASC
----
2001	3	red bus
2002	4	green car
2003	5	red bike

SELECT year, id FROM t GROUP BY year WITHIN GROUP ORDER BY id DESC ORDER BY year DESC
----
2003	5
2002	4
2001	6

SELECT id, year FROM t GROUP 2 BY year ORDER BY year ASC, id ASC
----
1	2001
3	2001
2	2002
4	2002
5	2003

-- With MATCH and with filters.
SELECT year, COUNT(*) c FROM t WHERE MATCH('car | bus') GROUP BY year ORDER BY year ASC
----
2001	2
2002	2

SELECT year, COUNT(*) c FROM t WHERE price>=5 GROUP BY year ORDER BY c DESC, year DESC
----
2002	2
2001	2
2003	1

SELECT year DIV 2 AS y, COUNT(*) c FROM t GROUP BY y ORDER BY y ASC
----
1000	3
1001	3

SELECT year, COUNT(*) c FROM t GROUP BY year ORDER BY c DESC LIMIT 1
----
2001	3

SELECT year, COUNT(*) c FROM t GROUP BY year ORDER BY year ASC LIMIT 1,1
----
2002	2

-- FACET: a result set of its own over the same rows.
SELECT id FROM t WHERE MATCH('red') ORDER BY id ASC FACET year ORDER BY year ASC FACET maker
----
1
3
5
+
2001	2
2003	1
+
Ford	3

SELECT COUNT(*) FROM t GROUP BY nosuch
----
error 1064: table t: group-by attribute 'nosuch' not found

SELECT year FROM t HAVING year>1
----
error 1064: HAVING and WITHIN GROUP ORDER BY need GROUP BY

SELECT SUM(title) FROM t
----
error 1064: table t: group-by attribute 'title' not found: it is a full-text field, not an attribute
