-- CALL KEYWORDS: how a text is read, and with statistics how often its words are there.

CREATE TABLE t(title text, body text) min_prefix_len='3' morphology='stem_en' stopwords='en'
----
0 rows affected

INSERT INTO t(id,title,body) VALUES (1,'black cats','a cat and a black dog'),(2,'dogs','the dog barks')
----
2 rows affected

INSERT INTO t(id,title,body) VALUES (3,'bird','no cats')
----
1 row affected

-- headings
CALL KEYWORDS('Black CATS','t')
----
qpos	tokenized	normalized
1	black	black
2	cats	cat

-- headings
CALL KEYWORDS('the black cats nosuch','t',1)
----
qpos	tokenized	normalized	docs	hits
2	black	black	1	2
3	cats	cat	2	3
4	nosuch	nosuch	0	0

CALL KEYWORDS('dogs','t',1 AS stats)
----
1	dogs	dog	2	3

CALL KEYWORDS('','t')
----
no rows

CALL KEYWORDS('cat','nosuch')
----
error 1064: no such table nosuch
