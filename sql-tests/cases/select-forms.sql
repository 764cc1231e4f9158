-- Forms of SELECT: headings, aliases, stars, no table at all, several statements.

CREATE TABLE t(title text, n int, j json)
----
0 rows affected

INSERT INTO t(id,title,n,j) VALUES (1,'one',10,'{"k":1}')
----
1 row affected

INSERT INTO t(id,title,n,j) VALUES (2,'two',20,'{"k":2}')
----
1 row affected

-- headings
SELECT id, n+1, n AS Num, COUNT(*), weight(), j.k FROM t GROUP BY id ORDER BY id ASC
----
id	n+1	num	count(*)	weight()	j.k
1	11	10	1	1	1
2	21	20	1	1	2

-- headings
SELECT *, n*2 twice FROM t WHERE id=1
----
id	title	n	j	twice
1	one	10	{"k":1}	20

-- headings
SELECT n, * FROM t WHERE id=1
----
n	id	title	n	j
10	1	one	10	{"k":1}

-- headings
SELECT ID, N, TITLE FROM t WHERE Id=1
----
id	n	title
1	10	one

-- headings
SELECT COUNT(*) FROM t
----
count(*)
2

-- headings
SELECT COUNT(DISTINCT n), SUM(n) FROM t
----
count(distinct n)	sum(n)
2	30

-- headings
SELECT 1, 'text', 1+1 AS two, NULL
----
1	'text'	two	NULL
1	text	2	NULL

SELECT id FROM t WHERE 1=1 ORDER BY id ASC
----
1
2

SELECT id FROM t WHERE 1=2
----
no rows

SELECT id FROM t; SELECT n FROM t WHERE id=2; SELECT COUNT(*) FROM t
----
1
2
+
20
+
2

SELECT id FROM t WHERE id=1;
----
1

-- Comments.
SELECT id /* what */ FROM t -- which
WHERE id=2 # how
----
2

select ID from T where ID=1 limit 1
----
1

SELECT t.id, t.n FROM t WHERE t.id=1
----
error 1064: table t: unknown column: t

SELECT id FROM Manticore.t WHERE id=1
----
1

SELECT id, 'const' AS c FROM t ORDER BY id ASC
----
1	const
2	const

SELECT id AS x FROM t WHERE x=2
----
2

SELECT DISTINCT n FROM t
----
error 1064: SELECT DISTINCT is not built yet

SELECT id FROM t, t
----
error 1064: SELECT from several tables is not built yet
