-- What is in RAM and what in chunks: statements that show it.
-- one chunk is enough

-- ram only
CREATE TABLE t(title text, n int)
----
0 rows affected

-- ram only
INSERT INTO t(id,title,n) VALUES (1,'one',1),(2,'two',2)
----
2 rows affected

-- ram only
SHOW TABLE t STATUS LIKE 'disk_chunks'
----
disk_chunks	0

-- ram only
SHOW TABLE t STATUS LIKE 'indexed_documents'
----
indexed_documents	2

-- ram only
FLUSH RAMCHUNK t
----
0 rows affected

-- ram only
SHOW TABLE t STATUS LIKE 'ram_chunk_segments_count'
----
ram_chunk_segments_count	0

-- ram only
SHOW TABLE t STATUS LIKE 'disk_chunks'
----
disk_chunks	1

-- Nothing to flush: nothing happens.
-- ram only
FLUSH RAMCHUNK t
----
0 rows affected

-- ram only
INSERT INTO t(id,title,n) VALUES (3,'three',3)
----
1 row affected

-- ram only
FLUSH TABLE t
----
0 rows affected

-- ram only
SHOW TABLE t STATUS LIKE 'disk_chunks'
----
disk_chunks	1

-- ram only
FLUSH RAMCHUNK t
----
0 rows affected

-- ram only
REPLACE INTO t(id,title,n) VALUES (1,'uno',11)
----
1 row affected

-- ram only
DELETE FROM t WHERE id=2
----
1 row affected

-- ram only
UPDATE t SET n=33 WHERE id=3
----
1 row affected

-- ram only
SHOW TABLE t STATUS LIKE 'killed%'
----
killed_documents	2
killed_rate	50.00%

-- ram only
FLUSH RAMCHUNK t
----
0 rows affected

-- ram only
SHOW TABLE t STATUS LIKE 'disk_chunks'
----
disk_chunks	3

-- ram only
OPTIMIZE TABLE t OPTION sync=1, cutoff=2
----
0 rows affected

-- ram only
SELECT id,title,n FROM t ORDER BY id ASC
----
1	uno	11
3	three	33

-- ram only
OPTIMIZE TABLE t OPTION sync=1, cutoff=1
----
0 rows affected

-- ram only
SHOW TABLE t STATUS LIKE 'disk_chunks'
----
disk_chunks	1

-- ram only
SHOW TABLE t STATUS LIKE 'killed_documents'
----
killed_documents	0

-- ram only
SHOW TABLE t STATUS LIKE 'indexed_documents'
----
indexed_documents	2

-- ram only
CHECK TABLE t
----
t	check	status	OK

-- Where it is frozen its files stay, and it takes writes into RAM.
-- ram only
FREEZE t
----
/data/t/manifest	/data/t/manifest
/data/t/chunk.3/attributes	/data/t/chunk.3/attributes
/data/t/chunk.3/header	/data/t/chunk.3/header
/data/t/chunk.3/lengths	/data/t/chunk.3/lengths
/data/t/chunk.3/positions	/data/t/chunk.3/positions
/data/t/chunk.3/postings	/data/t/chunk.3/postings
/data/t/chunk.3/stored	/data/t/chunk.3/stored
/data/t/chunk.3/terms	/data/t/chunk.3/terms

-- ram only
SHOW TABLE t STATUS LIKE 'locked'
----
locked	1

-- ram only
INSERT INTO t(id,title,n) VALUES (4,'four',4)
----
1 row affected

-- ram only
FLUSH RAMCHUNK t
----
error 1064: table 't' is frozen; UNFREEZE it first

-- ram only
OPTIMIZE TABLE t OPTION sync=1
----
error 1064: table 't' is frozen; UNFREEZE it first

-- ram only
TRUNCATE TABLE t
----
error 1064: table 't' is frozen; UNFREEZE it first

-- ram only
DROP TABLE t
----
error 1064: table 't' is frozen; UNFREEZE it first

-- ram only
FREEZE t
----
error 1064: table 't' is frozen; UNFREEZE it first

-- ram only
SELECT id,title,n FROM t WHERE MATCH('uno | three | four') ORDER BY id ASC
----
1	uno	11
3	three	33
4	four	4

-- ram only
UNFREEZE t
----
0 rows affected

-- ram only
SHOW TABLE t STATUS LIKE 'locked'
----
locked	0

-- ram only
FREEZE nosuch
----
error 1146: no such table 'nosuch'

-- ram only
CHECK TABLE nosuch
----
error 1146: no such table 'nosuch'

-- ram only
SELECT id,title,n FROM t WHERE MATCH('uno | three | four') ORDER BY id ASC
----
1	uno	11
3	three	33
4	four	4
