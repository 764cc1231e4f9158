-- What a table is: DESC, SHOW CREATE TABLE, SHOW TABLES; and names.
-- one chunk is enough

CREATE TABLE Products(Title text, body text indexed, hidden text stored, name string attribute indexed, price float, n int, u uint, b bigint, ok bool, ts timestamp, m multi, m64 multi64, j json) rt_mem_limit='64M' min_infix_len='2'
----
0 rows affected

-- Names are folded to lower case.
-- headings
-- rowwise only
DESC products
----
Field	Type	Properties
id	bigint	''
title	text	indexed stored
body	text	indexed
hidden	text	stored
name	string	indexed attribute
price	float	''
n	uint	''
u	uint	''
b	bigint	''
ok	bool	''
ts	timestamp	''
m	mva	''
m64	mva64	''
j	json	''

-- rowwise only
DESCRIBE products LIKE 'm%'
----
m	mva	''
m64	mva64	''

-- rowwise only
SHOW CREATE TABLE products
----
products	CREATE TABLE products (\nid bigint,\ntitle text,\nbody text indexed,\nhidden text stored,\nname string indexed attribute,\nprice float,\nn integer,\nu integer,\nb bigint,\nok bool,\nts timestamp,\nm multi,\nm64 multi64,\nj json\n) rt_mem_limit='64M' min_infix_len='2'

CREATE TABLE sets(id int, a mva, b mva64, c integer)
----
0 rows affected

-- rowwise only
DESC sets
----
id	bigint	''
a	mva	''
b	mva64	''
c	uint	''

DROP TABLE sets
----
0 rows affected

CREATE TABLE empty
----
0 rows affected

CREATE TABLE another(f text)
----
0 rows affected

-- headings
SHOW TABLES
----
Table	Type
another	rt
empty	rt
products	rt

SHOW TABLES LIKE 'a%'
----
another	rt

SHOW TABLES LIKE 'nosuch'
----
no rows

CREATE TABLE IF NOT EXISTS another(g int)
----
0 rows affected, 1 warning

CREATE TABLE another(g int)
----
error 1064: table 'another': CREATE TABLE failed: table 'another' already exists

DESC another
----
id	bigint	''
f	text	indexed stored

-- A field that is stored and not indexed is found by nothing; one that is indexed and not stored is empty when it is read.
INSERT INTO products(id,title,body,hidden,name) VALUES (1,'title word','body word','hidden word','Name Word')
----
1 row affected

INSERT INTO products(id,title,body,hidden,name) VALUES (2,'more','text','here','other')
----
1 row affected

SELECT id FROM products WHERE MATCH('hidden')
----
no rows

SELECT id FROM products WHERE MATCH('body')
----
1

SELECT id FROM products WHERE MATCH('@name name')
----
1

SELECT id, title, hidden, name FROM products ORDER BY id ASC
----
1	title word	hidden word	Name Word
2	more	here	other

SELECT id FROM products WHERE name='name word'
----
1

-- Names that are words of the language, in backticks or as they are.
CREATE TABLE words(`match` int, `order` text, `select` string)
----
0 rows affected

INSERT INTO words(id,`match`,`order`,`select`) VALUES (1,5,'some text','s')
----
1 row affected

SELECT `match`, `order`, `select` FROM words WHERE `match`=5
----
5	some text	s

SELECT id FROM words WHERE MATCH('@order text')
----
1

DESC nosuch
----
error 1146: no such table 'nosuch'

SHOW CREATE TABLE nosuch
----
error 1146: no such table 'nosuch'

DROP TABLE words
----
0 rows affected

SHOW TABLES LIKE 'w%'
----
no rows

-- Words of CREATE TABLE are put in backticks.
CREATE TABLE words(`type` text, `from` int, `text` text, status int, `like` string)
----
0 rows affected

-- rowwise only
SHOW CREATE TABLE words
----
words	CREATE TABLE words (\nid bigint,\n`type` text,\n`from` integer,\n`text` text,\nstatus integer,\n`like` string\n)

-- The older word for a table.
SHOW INDEX words STATUS LIKE 'index_type'
----
index_type	rt

-- rowwise only
SHOW INDEX words SETTINGS
----
settings	''

SHOW INDEX nosuch STATUS
----
error 1064: SHOW TABLE STATUS requires an existing table: no such table 'nosuch'

SHOW TABLE nosuch SETTINGS
----
error 1064: SHOW TABLE SETTINGS requires an existing table: no such table 'nosuch'
