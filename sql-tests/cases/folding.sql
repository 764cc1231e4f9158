-- Letters of a kind are one letter for MATCH: case and accents of Latin, Cyrillic, Greek.

CREATE TABLE t(f text)
----
0 rows affected

INSERT INTO t(id,f) VALUES (1,'Café NAÏVE señor'),(2,'Łódź ÅNGSTRÖM Zürich'),(3,'Привет МИР'),(4,'ΑΘΗΝΑ ελληνικά')
----
4 rows affected

INSERT INTO t(id,f) VALUES (5,'mother-in-law''s x-ray 3.14 foo_bar'),(6,'emoji 😀 heart'),(7,'ＦＵＬＬ ｗｉｄｔｈ')
----
3 rows affected

SELECT id FROM t WHERE MATCH('cafe naive SENOR')
----
1

SELECT id FROM t WHERE MATCH('lodz angstrom zurich')
----
2

SELECT id FROM t WHERE MATCH('ПРИВЕТ мир')
----
3

SELECT id FROM t WHERE MATCH('αθηνα ΕΛΛΗΝΙΚΆ')
----
4

SELECT id FROM t WHERE MATCH('law ray')
----
5

SELECT id FROM t WHERE MATCH('"3 14 foo bar"')
----
5

SELECT id FROM t WHERE MATCH('"emoji heart"')
----
6

SELECT id FROM t WHERE MATCH('full width')
----
7
