-- FACET: groups over the rows of the same search.

CREATE TABLE t(title text, brand string, year int, tags multi, price float)
----
0 rows affected

INSERT INTO t(id,title,brand,year,tags,price) VALUES (1,'red shoe','A',2001,(1,2),10),(2,'blue shoe','B',2001,(2),20),(3,'red hat','A',2002,(3),30)
----
3 rows affected

INSERT INTO t(id,title,brand,year,tags,price) VALUES (4,'red sock','B',2003,(1),5),(5,'green hat','C',2002,(),15)
----
2 rows affected

-- headings
SELECT id FROM t ORDER BY id ASC LIMIT 2 FACET brand ORDER BY brand ASC
----
id
1
2
+
brand	count(*)
A	2
B	2
C	1

SELECT id FROM t WHERE MATCH('red') ORDER BY id ASC FACET year ORDER BY COUNT(*) DESC, year ASC LIMIT 2
----
1
3
4
+
2001	1
2002	1

-- A set makes a group per value; the groups come in the order of their values.
SELECT id FROM t LIMIT 1 FACET tags ORDER BY FACET() ASC
----
1
+
1	2
2	2
3	1

SELECT id FROM t LIMIT 1 FACET brand, year ORDER BY brand ASC, year ASC
----
1
+
A	2001	1
A	2002	1
B	2001	1
B	2003	1
C	2002	1

SELECT id FROM t LIMIT 1 FACET price<15 AS cheap ORDER BY cheap ASC
----
1
+
0	3
1	2

SELECT id FROM t LIMIT 1 FACET nosuch
----
error 1064: table t: unknown column: nosuch
