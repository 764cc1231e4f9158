-- UPDATE changes attributes in place, by every kind of WHERE; the words of a row stay.

CREATE TABLE t(title text, n int, b bigint, f float, flag bool, ts timestamp, s string, m multi, m64 multi64, j json)
----
0 rows affected

INSERT INTO t(id,title,n,b,f,flag,ts,s,m,m64,j) VALUES (1,'red apple',1,10,0.5,0,100,'a',(1),(10),'{"x":1,"y":1.5,"l":[1,2]}'),(2,'red pear',2,20,1.5,0,200,'b',(2),(20),'{"x":2,"y":2.5,"l":[3,4]}')
----
2 rows affected

INSERT INTO t(id,title,n,b,f,flag,ts,s,m,m64,j) VALUES (3,'green apple',3,30,2.5,0,300,'c',(3),(30),'{"x":3,"y":3.5,"l":[5,6]}'),(4,'green pear',4,40,3.5,0,400,'d',(4),(40),'{"x":4,"y":4.5,"l":[7,8]}')
----
2 rows affected

UPDATE t SET n=100 WHERE id=1
----
1 row affected

UPDATE t SET n=4294967295, b=-5, f=9.25, flag=1, ts=1700000000 WHERE id=2
----
1 row affected

UPDATE t SET s='a longer string than before', m=(9,7,8), m64=(-1) WHERE id=3
----
1 row affected

UPDATE t SET m=(), s='' WHERE id=4
----
1 row affected

SELECT * FROM t ORDER BY id ASC
----
1	red apple	100	10	0.500000	0	100	a	1	10	{"x":1,"y":1.500000,"l":[1,2]}
2	red pear	4294967295	-5	9.250000	1	1700000000	b	2	20	{"x":2,"y":2.500000,"l":[3,4]}
3	green apple	3	30	2.500000	0	300	a longer string than before	7,8,9	-1	{"x":3,"y":3.500000,"l":[5,6]}
4	green pear	4	40	3.500000	0	400	''	''	40	{"x":4,"y":4.500000,"l":[7,8]}

-- Found by the new values, and no more by the old ones.
SELECT id FROM t WHERE s='c'
----
no rows

SELECT id FROM t WHERE m=8
----
3

SELECT id FROM t WHERE b<0
----
2

-- By words, by json, by sets, by ranges.
UPDATE t SET n=7 WHERE MATCH('apple')
----
2 rows affected

UPDATE t SET b=70 WHERE j.x>=3
----
2 rows affected

UPDATE t SET f=0 WHERE m=7
----
1 row affected

UPDATE t SET ts=1 WHERE id BETWEEN 1 AND 3
----
3 rows affected

UPDATE t SET flag=1 WHERE MATCH('green') AND n=7
----
1 row affected

SELECT id,n,b,f,flag,ts FROM t ORDER BY id ASC
----
1	7	10	0.500000	0	1
2	4294967295	-5	9.250000	1	1
3	7	70	0.000000	1	1
4	4	70	3.500000	0	400

-- Numbers inside json.
UPDATE t SET j.x=50 WHERE id=1
----
1 row affected

UPDATE t SET j.y=0.25 WHERE id=1
----
1 row affected

UPDATE t SET j.l[1]=99 WHERE id=2
----
1 row affected

UPDATE t SET j='{"new":true}' WHERE id=4
----
1 row affected

SELECT id, j FROM t ORDER BY id ASC
----
1	{"x":50,"y":0.250000,"l":[1,2]}
2	{"x":2,"y":2.500000,"l":[3,99]}
3	{"x":3,"y":3.500000,"l":[5,6]}
4	{"new":true}

SELECT id FROM t WHERE j.x=50
----
1

-- The same row again and again; then it is deleted, and written anew.
UPDATE t SET n=1 WHERE id=3
----
1 row affected

UPDATE t SET n=2 WHERE id=3
----
1 row affected

SELECT n, s FROM t WHERE id=3
----
2	a longer string than before

DELETE FROM t WHERE id=3
----
1 row affected

UPDATE t SET n=3 WHERE id=3
----
0 rows affected

INSERT INTO t(id,title) VALUES (3,'yellow banana')
----
1 row affected

SELECT id,title,n,s,m,j FROM t WHERE id=3
----
3	yellow banana	0	''	''	NULL

-- All rows.
UPDATE t SET n=5 WHERE id>0
----
4 rows affected

SELECT COUNT(*) FROM t WHERE n=5
----
4

-- What cannot be.
UPDATE t SET title='x' WHERE id=1
----
error 1064: table t: attribute 'title' can not be updated (full-text field): use REPLACE to write the whole document

UPDATE t SET id=9 WHERE id=1
----
error 1064: 'id' attribute cannot be updated

UPDATE t SET nosuch=1 WHERE id=1
----
error 1064: table t: attribute 'nosuch' not found

UPDATE t SET n='abc' WHERE id=1
----
error 1064: table t: column 'n': 'abc' is no whole number

UPDATE t SET n=4294967296 WHERE id=1
----
error 1064: table t: column 'n': 4294967296 is out of range 0..4294967295

UPDATE t SET n=1, n=2 WHERE id=1
----
error 1064: table t: column 'n' is set twice

UPDATE nosuch SET n=1 WHERE id=1
----
error 1064: unknown table 'nosuch' in update request

SELECT title, n FROM t WHERE id=1
----
red apple	5
