-- Weights. proximity_bm25 = 1000 × sum over fields of (longest common run × weight) + bm25, bm25 = 1000 × (0.5 + sum of tf × idf / (tf + 1.2)).

CREATE TABLE t(title text, body text, n int)
----
0 rows affected

INSERT INTO t(id,title,body,n) VALUES (1,'blue moon','a blue blue moon over the sea',1),(2,'moon','the sea is blue',2),(3,'sun','the sun is yellow',3)
----
3 rows affected

INSERT INTO t(id,title,body,n) VALUES (4,'yellow sun','moon and sun',4),(5,'sea','nothing here',5),(6,'sky','blue sky, blue sea',6),(7,'land','green land',7),(8,'wood','dark wood',8)
----
5 rows affected

SELECT id, weight() FROM t WHERE MATCH('blue')
----
1	2612
6	1598
2	1571

SELECT id, weight() FROM t WHERE MATCH('blue moon')
----
1	4605
2	2571

SELECT id, weight() FROM t WHERE MATCH('moon | sun')
----
4	2624
3	2589
1	2549
2	1535

SELECT id, weight() FROM t WHERE MATCH('@title moon')
----
1	1598
2	1571

SELECT id, weight() FROM t WHERE MATCH('"blue moon"')
----
1	4605

SELECT id, weight() FROM t WHERE MATCH('blue moon') OPTION ranker=bm25
----
1	2605
2	2571

SELECT id, weight() FROM t WHERE MATCH('blue') OPTION ranker=none
----
1	1
2	1
6	1

SELECT id, weight() FROM t WHERE MATCH('blue') OPTION ranker=wordcount
----
1	3
6	2
2	1

SELECT id, weight() FROM t WHERE MATCH('blue moon') OPTION field_weights=(title=10,body=2)
----
1	24605
2	12571

SELECT id, weight() FROM t WHERE MATCH('blue | sea') OPTION ranker=wordcount, field_weights=(title=5)
----
1	8
5	5
6	3
2	2

SELECT id, weight() FROM t WHERE MATCH('wood -blue') OPTION ranker=proximity_bm25
----
8	2647

-- Without MATCH each row weighs 1.
SELECT id, weight() FROM t ORDER BY id ASC LIMIT 2
----
1	1
2	1

-- The order is by weight, then id; both can be asked for in other ways.
SELECT id, weight() w FROM t WHERE MATCH('sea') ORDER BY w ASC, id DESC
----
6	1523
5	1523
2	1523
1	1523

SELECT id, weight()*2+n AS x FROM t WHERE MATCH('sea') ORDER BY x DESC LIMIT 2
----
6	3052
5	3051

SELECT id, weight() FROM t WHERE MATCH('blue') OPTION ranker=nosuch
----
error 1064: unknown ranker 'nosuch'

SELECT id, weight() FROM t WHERE MATCH('blue') OPTION field_weights=(nosuch=3)
----
error 1064: table t: field_weights: no field 'nosuch' found in schema

SELECT id, weight() FROM t WHERE MATCH('blue') OPTION nosuch=3
----
error 1064: unknown option 'nosuch'

-- What is left by negations alone weighs as if one word stood in each field.
SELECT id, weight() FROM t WHERE MATCH('-blue -sun -sea') OPTION not_terms_only_allowed=1
----
7	2500
8	2500

SELECT id, weight() FROM t WHERE MATCH('-blue -sun -sea') OPTION not_terms_only_allowed=1, ranker=bm25
----
7	2500
8	2500

SELECT id, weight() FROM t WHERE MATCH('-blue -sun -sea') OPTION not_terms_only_allowed=1, ranker=none
----
7	1
8	1

SELECT id, weight() FROM t WHERE MATCH('-blue -sun -sea') OPTION not_terms_only_allowed=1, ranker=wordcount
----
7	2
8	2

SELECT id, weight() FROM t WHERE MATCH('-blue -sun -sea') OPTION not_terms_only_allowed=1, ranker=proximity
----
7	2
8	2

SELECT id, weight() FROM t WHERE MATCH('-blue -sun -sea') OPTION not_terms_only_allowed=1, ranker=matchany
----
7	2
8	2

SELECT id, weight() FROM t WHERE MATCH('-blue -sun -sea') OPTION not_terms_only_allowed=1, ranker=fieldmask
----
7	3
8	3

SELECT id, weight() FROM t WHERE MATCH('-blue -sun -sea') OPTION not_terms_only_allowed=1, ranker=sph04
----
7	8500
8	8500

SELECT id, weight() FROM t WHERE MATCH('-blue -sun -sea') OPTION not_terms_only_allowed=1, field_weights=(title=10,body=5)
----
7	15500
8	15500

SELECT id, weight() FROM t WHERE MATCH('-blue -sun -sea') OPTION not_terms_only_allowed=1, ranker=wordcount, field_weights=(title=10)
----
7	11
8	11

-- Of the limits the last one counts.
SELECT id, weight() FROM t WHERE MATCH('-blue -sun @body -sea') OPTION not_terms_only_allowed=1, ranker=fieldmask
----
5	2
7	2
8	2

-- An empty query weighs nothing.
SELECT id, weight() FROM t WHERE MATCH('') ORDER BY id ASC LIMIT 1 OPTION ranker=sph04
----
1	1

-- A proximity counts each of its spans. Spans may share hits, but none begins where another does; a run is the longest that stands as in the query.
CREATE TABLE spans(body text)
----
0 rows affected

INSERT INTO spans(id,body) VALUES (1,'c a b c'),(2,'d c d'),(3,'d x c x c'),(4,'x d c d c'),(5,'a b c a')
----
5 rows affected

SELECT id, weight() FROM spans WHERE MATCH('"a b c"~3') ORDER BY id ASC OPTION ranker=proximity
----
1	3
5	3

SELECT id, weight() FROM spans WHERE MATCH('"a b c"~3') ORDER BY id ASC OPTION ranker=wordcount
----
1	2
5	2

SELECT id, weight() FROM spans WHERE MATCH('"d c"~4') ORDER BY id ASC OPTION ranker=wordcount
----
2	2
3	1
4	3
