-- WHERE on every type: comparisons, IN, BETWEEN, NOT, AND and OR.

CREATE TABLE t(title text, n int, b bigint, f float, flag bool, ts timestamp, s string)
----
0 rows affected

INSERT INTO t(id,title,n,b,f,flag,ts,s) VALUES (1,'a',10,-100,0.5,0,1000,'apple'),(2,'b',20,-50,1.5,1,2000,'Banana'),(3,'c',30,0,2.5,0,3000,'cherry')
----
3 rows affected

INSERT INTO t(id,title,n,b,f,flag,ts,s) VALUES (4,'d',40,50,-3.5,1,4000,'date'),(5,'e',50,100,4.5,1,5000,''),(6,'f',4294967295,9000000000,5.5,0,6000,'apple pie')
----
3 rows affected

SELECT id FROM t WHERE n=20
----
2

SELECT id FROM t WHERE n!=20 ORDER BY id ASC
----
1
3
4
5
6

SELECT id FROM t WHERE n<>20 AND n<40 ORDER BY id ASC
----
1
3

SELECT id FROM t WHERE n>=30 AND n<=50 ORDER BY id ASC
----
3
4
5

SELECT id FROM t WHERE n BETWEEN 20 AND 40 ORDER BY id ASC
----
2
3
4

SELECT id FROM t WHERE n NOT BETWEEN 20 AND 40 ORDER BY id ASC
----
1
5
6

SELECT id FROM t WHERE n IN (10,30,99) ORDER BY id ASC
----
1
3

SELECT id FROM t WHERE n NOT IN (10,30,99) ORDER BY id ASC
----
2
4
5
6

SELECT id FROM t WHERE NOT n IN (10,30,99) ORDER BY id ASC
----
2
4
5
6

SELECT id FROM t WHERE n>4000000000
----
6

SELECT id FROM t WHERE 30<=n ORDER BY id ASC
----
3
4
5
6

-- An empty range.
SELECT id FROM t WHERE n BETWEEN 40 AND 20
----
no rows

SELECT id FROM t WHERE b<0 ORDER BY id ASC
----
1
2

SELECT id FROM t WHERE b IN (-50,9000000000) ORDER BY id ASC
----
2
6

SELECT id FROM t WHERE b BETWEEN -50 AND 50 ORDER BY id ASC
----
2
3
4

SELECT id FROM t WHERE f>1.5 ORDER BY id ASC
----
3
5
6

SELECT id FROM t WHERE f=1.5
----
2

SELECT id FROM t WHERE f BETWEEN -4 AND 1 ORDER BY id ASC
----
1
4

SELECT id FROM t WHERE f>2 AND f<=4.5 ORDER BY id ASC
----
3
5

SELECT id FROM t WHERE n>20.5 AND n<40.5 ORDER BY id ASC
----
3
4

SELECT id FROM t WHERE flag=1 ORDER BY id ASC
----
2
4
5

SELECT id FROM t WHERE flag=0 AND ts>1000 ORDER BY id ASC
----
3
6

SELECT id FROM t WHERE ts BETWEEN 2000 AND 4000 ORDER BY id ASC
----
2
3
4

-- Strings are compared without regard to case, as the default collation has it.
SELECT id FROM t WHERE s='banana'
----
2

SELECT id FROM t WHERE s!='apple' ORDER BY id ASC
----
2
3
4
5
6

SELECT id FROM t WHERE s IN ('APPLE','date') ORDER BY id ASC
----
1
4

SELECT id FROM t WHERE s NOT IN ('apple','date') ORDER BY id ASC
----
2
3
5
6

SELECT id FROM t WHERE s=''
----
5

SELECT id FROM t WHERE s>'b' AND s<'d' ORDER BY id ASC
----
2
3

-- By id.
SELECT id FROM t WHERE id IN (6,2,4,99) ORDER BY id ASC
----
2
4
6

SELECT id FROM t WHERE id>3 AND id<6 ORDER BY id ASC
----
4
5

SELECT id FROM t WHERE id BETWEEN 2 AND 3 ORDER BY id ASC
----
2
3

SELECT id FROM t WHERE id!=1 AND id NOT IN (2,3) ORDER BY id ASC
----
4
5
6

-- AND binds tighter than OR.
SELECT id FROM t WHERE n=10 OR n=20 AND flag=0 ORDER BY id ASC
----
1

SELECT id FROM t WHERE (n=10 OR n=20) AND flag=1 ORDER BY id ASC
----
2

SELECT id FROM t WHERE NOT (n=10 OR n=20) ORDER BY id ASC
----
3
4
5
6

SELECT id FROM t WHERE (n<20 OR b>60) AND (f<1 OR s='') ORDER BY id ASC
----
1
5

SELECT id FROM t WHERE n>10 AND n>30 AND n>20 ORDER BY id ASC
----
4
5
6

-- Aliases and expressions.
SELECT id, n*2 AS twice FROM t WHERE twice>=80 AND twice<=100 ORDER BY id ASC
----
4	80
5	100

SELECT id FROM t WHERE n+b>100 ORDER BY id ASC
----
5
6

SELECT id, IF(flag=1,'yes','no') AS y FROM t WHERE id<3 ORDER BY id ASC
----
1	no
2	yes

-- Dead ends.
SELECT id FROM t WHERE nosuch=1
----
error 1064: table t: unknown column: nosuch

SELECT id FROM t WHERE n='abc'
----
error 1064: table t: column 'n' is a number: it cannot be compared with 'abc'

SELECT id FROM t WHERE s=5
----
error 1064: table t: column 's' is a string: it can only be compared with a string
