-- Settings of a table, changed while it has rows.

CREATE TABLE t(title text, n int) optimize_cutoff='8'
----
0 rows affected

INSERT INTO t(id,title,n) VALUES (1,'one',1)
----
1 row affected

INSERT INTO t(id,title,n) VALUES (2,'two',2)
----
1 row affected

ALTER TABLE t optimize_cutoff='4' rt_mem_limit='32M'
----
0 rows affected

-- rowwise only
SHOW CREATE TABLE t
----
t	CREATE TABLE t (\nid bigint,\ntitle text,\nn integer\n) rt_mem_limit='32M' optimize_cutoff='4'

-- rowwise only
SHOW TABLE t SETTINGS
----
settings	rt_mem_limit = 32M\noptimize_cutoff = 4

SELECT id,title,n FROM t WHERE MATCH('one|two') ORDER BY id ASC
----
1	one	1
2	two	2

ALTER TABLE t max_chunk_size='1G', diskchunk_flush_write_timeout='30'
----
0 rows affected

-- rowwise only
SHOW TABLE t SETTINGS
----
settings	rt_mem_limit = 32M\noptimize_cutoff = 4\nmax_chunk_size = 1G\ndiskchunk_flush_write_timeout = 30

ALTER TABLE t max_chunk_size='0' diskchunk_flush_write_timeout='-1'
----
0 rows affected

ALTER TABLE t optimize_cutoff='0'
----
error 1064: optimize_cutoff='0': a number from 1 expected

ALTER TABLE t rt_mem_limit='1K'
----
error 1064: rt_mem_limit='1K': a size of 64K or more expected

ALTER TABLE t rt_mem_limit='lots'
----
error 1064: rt_mem_limit='lots': a size of 64K or more expected

ALTER TABLE t nosuch='1'
----
error 1064: unknown text option 'nosuch'

ALTER TABLE t morphology='stem_en'
----
error 1064: ALTER TABLE … morphology: changing how text is read is not built yet

ALTER TABLE nosuch optimize_cutoff='4'
----
error 1064: table nosuch: unknown local table in ALTER request

ALTER TABLE t ADD COLUMN x int
----
error 1064: ALTER TABLE … ADD COLUMN is not built yet

INSERT INTO t(id,title,n) VALUES (3,'three',3)
----
1 row affected

SELECT COUNT(*) FROM t WHERE MATCH('one|two|three')
----
3
