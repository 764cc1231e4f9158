-- Stems, exact words, stopwords and short words.

CREATE TABLE stem(f text) morphology='stem_en'
----
0 rows affected

CREATE TABLE exact(f text) morphology='stem_en' index_exact_words='1'
----
0 rows affected

CREATE TABLE stop(f text) stopwords='en'
----
0 rows affected

CREATE TABLE short(f text) min_word_len='3'
----
0 rows affected

INSERT INTO stem(id,f) VALUES (1,'running dogs'),(2,'he runs'),(3,'the runner')
----
3 rows affected

INSERT INTO stem(id,f) VALUES (4,'a dog ran')
----
1 row affected

INSERT INTO exact(id,f) VALUES (1,'running dogs'),(2,'he runs'),(3,'the runner')
----
3 rows affected

INSERT INTO exact(id,f) VALUES (4,'a dog ran')
----
1 row affected

INSERT INTO stop(id,f) VALUES (1,'the cat and the hat'),(2,'a cat in a hat'),(3,'cat hat')
----
3 rows affected

INSERT INTO short(id,f) VALUES (1,'it is so big'),(2,'so it goes')
----
2 rows affected

SELECT id FROM stem WHERE MATCH('run') ORDER BY id ASC
----
1
2

SELECT id FROM stem WHERE MATCH('dogs') ORDER BY id ASC
----
1
4

SELECT id FROM stem WHERE MATCH('"running dog"') ORDER BY id ASC
----
1

SELECT id FROM exact WHERE MATCH('run') ORDER BY id ASC
----
1
2

SELECT id FROM exact WHERE MATCH('=runs') ORDER BY id ASC
----
2

SELECT id FROM exact WHERE MATCH('=dogs') ORDER BY id ASC
----
1

-- Stopwords are in no query and no row, but hold a place in phrases.
SELECT id FROM stop WHERE MATCH('the cat') ORDER BY id ASC
----
1
2
3

SELECT id FROM stop WHERE MATCH('"cat hat"') ORDER BY id ASC
----
3

SELECT id FROM stop WHERE MATCH('"cat and the hat"') ORDER BY id ASC
----
1
2

SELECT id FROM short WHERE MATCH('goes') ORDER BY id ASC
----
2

SELECT id FROM short WHERE MATCH('so big') ORDER BY id ASC
----
1

-- rowwise only
SHOW CREATE TABLE exact
----
exact	CREATE TABLE exact (\nid bigint,\nf text\n) index_exact_words='1' morphology='stem_en'

CREATE TABLE bad(f text) morphology='klingon'
----
error 1064: table 'bad': CREATE TABLE failed: morphology: unknown name 'klingon'

CREATE TABLE bad(f text) min_word_len='many'
----
error 1064: table 'bad': CREATE TABLE failed: min_word_len: a number from 1 to 42 expected, not 'many'

CREATE TABLE bad(f text) stopwords='/nosuch/file'
----
error 1064: table 'bad': CREATE TABLE failed: stopwords: cannot read '/nosuch/file': /nosuch/file: no such file or folder

SHOW TABLES
----
exact	rt
short	rt
stem	rt
stop	rt
