//! Whole statements through a session, on tables that live on the double of a disk.

use std::path::PathBuf;
use std::sync::Arc;

use arc_swap::ArcSwap;

use super::{ClientGone, ColumnMeta, End, Engine, Ok as OkReply, Parts, Session, Sink, StatementError};
use crate::catalog::Catalog;
use crate::merge::MergePool;
use crate::storage::{CrashDisk, Throttle};
use crate::table::Surroundings;
use crate::types::{Settings, StopToken, Value};

/// Writes answers down: `a,b / 1,x / 2,y` for rows, `ok 1` with the affected rows, `error 1064 …`; ` + ` where another result follows.
#[derive(Default)]
struct Paper {
    text: String,
    /// Answers after which the client is gone.
    patience: Option<usize>,
    panics: bool,
}

impl Paper {
    fn put(&mut self, text: &str) -> Result<(), ClientGone> {
        match &mut self.patience {
            Some(0) => return Err(ClientGone),
            Some(n) => *n -= 1,
            None => {}
        }
        self.text.push_str(text);
        Ok(())
    }
}

impl Sink for Paper {
    fn columns(&mut self, columns: &[ColumnMeta]) -> Result<(), ClientGone> {
        assert!(!self.panics, "the sink fell apart");
        let names: Vec<&str> = columns.iter().map(|c| c.name.as_str()).collect();
        self.put(&names.join(","))
    }
    fn row(&mut self, row: &[Value]) -> Result<(), ClientGone> {
        let cells: Vec<String> = row.iter().map(|v| v.text().map_or("NULL".into(), |t| t.into_owned())).collect();
        self.put(&format!(" / {}", cells.join(",")))
    }
    fn end(&mut self, end: End) -> Result<(), ClientGone> {
        self.put(if end.more { " + " } else { "" })
    }
    fn ok(&mut self, ok: OkReply) -> Result<(), ClientGone> {
        let warnings = if ok.warnings > 0 { format!(" ({} warnings)", ok.warnings) } else { String::new() };
        self.put(&format!("ok {}{warnings}{}", ok.affected, if ok.more { " + " } else { "" }))
    }
    fn error(&mut self, error: &StatementError) -> Result<(), ClientGone> {
        self.put(&format!("error {} {}", error.code, error.message))
    }
}

fn engine() -> Arc<Engine> {
    let settings = Settings {
        data_dir: PathBuf::from("/"),
        threads: 2,
        auto_optimize: false,
        diskchunk_flush_write_timeout: -1,
        rt_flush_period: 0,
        ..crate::config::defaults()
    };
    let settings = Arc::new(ArcSwap::from_pointee(settings));
    let of_pool = settings.clone();
    let slots = move || if of_pool.load().merge_paused { 0 } else { 2 };
    let around = Surroundings {
        disk: Arc::new(CrashDisk::new()),
        throttle: Arc::new(Throttle::new(settings.clone())),
        pool: Arc::new(MergePool::new(slots).expect("a thread")),
        settings,
        stop: StopToken::new(),
    };
    let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads"));
    let catalog = Arc::new(Catalog::open(around).expect("an empty folder"));
    Engine::new(Parts { catalog, stop: StopToken::new(), version: "8.0.0 test".into(), pool })
}

/// Sessions move between threads.
fn _sessions_are_sent(session: Session) -> impl Send {
    session
}

fn session() -> Session {
    Session::open(&engine(), "1.2.3.4:5678".into())
}

fn answer(session: &mut Session, text: &str) -> String {
    let mut paper = Paper::default();
    session.run(text.as_bytes(), &mut paper).expect("paper takes everything");
    paper.text
}

/// Runs `(statement, answer)` one after another.
fn check(session: &mut Session, steps: &[(&str, &str)]) {
    for (text, expected) in steps {
        assert_eq!(answer(session, text), *expected, "{text}");
    }
}

#[test]
fn a_table_from_birth_to_death() {
    let mut s = session();
    check(
        &mut s,
        &[
            ("CREATE TABLE t(title text, n int, m multi, j json, s string) rt_mem_limit='1M'", "ok 0"),
            ("CREATE TABLE t(a int)", "error 1064 table 't': CREATE TABLE failed: table 't' already exists"),
            ("CREATE TABLE IF NOT EXISTS t(a int)", "ok 0 (1 warnings)"),
            ("SHOW WARNINGS", "Level,Code,Message / warning,1050,table 't' exists already"),
            ("SHOW TABLES", "Table,Type / t,rt"),
            ("SHOW TABLES LIKE 'b%'", "Table,Type"),
            ("DESC t", "Field,Type,Properties / id,bigint, / title,text,indexed stored / n,uint, / m,mva, / j,json, / s,string,"),
            (
                "SHOW CREATE TABLE t",
                "Table,Create Table / t,CREATE TABLE t (\nid bigint,\ntitle text,\nn integer,\nm multi,\nj json,\ns string\n) rt_mem_limit='1M'",
            ),
            (
                "INSERT INTO t(id,title,n,m,j,s) VALUES (1,'green tea',5,(3,1),'{\"a\":{\"b\":1}}','x'),(2,'black tea',6,(),'{}','y')",
                "ok 2",
            ),
            ("INSERT INTO t(id,title) VALUES (3,'new'),(1,'again')", "error 1064 duplicate id '1'"),
            ("SELECT id, n, m, j.a.b, s FROM t ORDER BY id ASC", "id,n,m,j.a.b,s / 1,5,1,3,1,x / 2,6,,NULL,y"),
            ("SELECT id FROM t WHERE MATCH('tea -black')", "id / 1"),
            ("SELECT COUNT(*) FROM t", "count(*) / 2"),
            ("SELECT id FROM nosuch", "error 1064 unknown local table(s) 'nosuch' in search request"),
            ("SELECT id FROM t WHERE nosuch=1", "error 1064 table t: unknown column: nosuch"),
            ("INSERT INTO nosuch VALUES (1)", "error 1064 table 'nosuch' absent"),
            ("INSERT INTO t(n) VALUES ('abc')", "error 1064 table t: row 1, column 'n': 'abc' is no whole number"),
            ("UPDATE t SET n='abc' WHERE id=1", "error 1064 table t: column 'n': 'abc' is no whole number"),
            ("UPDATE t SET n=50, m=(9), j.a.b=7 WHERE id=1", "ok 1"),
            ("SELECT n, m, j.a.b FROM t WHERE id=1", "n,m,j.a.b / 50,9,7"),
            ("FLUSH RAMCHUNK t", "ok 0"),
            ("SHOW TABLE t STATUS LIKE 'disk_chunks'", "Variable_name,Value / disk_chunks,1"),
            ("REPLACE INTO t(id,title) VALUES (2,'white coffee')", "ok 1"),
            ("DELETE FROM t WHERE MATCH('green')", "ok 1"),
            ("DELETE FROM t", "error 1064 DELETE needs a WHERE; TRUNCATE TABLE t empties the table"),
            ("SELECT id, title FROM t", "id,title / 2,white coffee"),
            ("OPTIMIZE TABLE t OPTION sync=1, cutoff=1", "ok 0"),
            ("CHECK TABLE t", "Table,Op,Msg_type,Msg_text / t,check,status,OK"),
            ("ALTER TABLE t optimize_cutoff='3' rt_mem_limit='2M'", "ok 0"),
            ("SHOW TABLE t SETTINGS", "Variable_name,Value / settings,rt_mem_limit = 2M\noptimize_cutoff = 3"),
            ("TRUNCATE TABLE t", "ok 0"),
            ("SELECT COUNT(*) FROM t", "count(*) / 0"),
            ("DROP TABLE t", "ok 0"),
            ("DROP TABLE t", "error 1064 DROP TABLE failed: unknown table 't'"),
            ("DROP TABLE IF EXISTS t", "ok 0"),
            ("SHOW TABLES", "Table,Type"),
        ],
    );
    let refused = answer(&mut s, "CREATE TABLE c(f text) morphology='klingon'");
    assert!(refused.starts_with("error 1064 table 'c': CREATE TABLE failed: morphology"), "{refused}");
    assert!(answer(&mut s, "CREATE TABLE c(f text) nonsense='1'").starts_with("error 1064 table 'c': CREATE TABLE failed: "));
    check(&mut s, &[("CREATE TABLE c(f text)", "ok 0")]);
    let text = answer(&mut s, "UPDATE c SET f='x' WHERE id=1");
    assert!(text.starts_with("error 1064") && text.contains("REPLACE"), "{text}");
}

#[test]
fn ids_are_given_and_remembered() {
    let mut s = session();
    check(
        &mut s,
        &[
            ("CREATE TABLE t(n int)", "ok 0"),
            ("INSERT INTO t(id,n) VALUES (7,1),(18446744073709551615,2)", "ok 2"),
            ("SELECT LAST_INSERT_ID(), @@session.last_insert_id", "LAST_INSERT_ID(),@@session.last_insert_id / 7,-1,7,-1"),
            ("INSERT INTO t(n) VALUES (3)", "ok 1"),
            ("INSERT INTO t VALUES (0,4)", "ok 1"),
            ("SELECT COUNT(*) FROM t WHERE id<>0", "count(*) / 4"),
        ],
    );
}

#[test]
fn several_statements_in_one_text() {
    let mut s = session();
    check(
        &mut s,
        &[
            ("CREATE TABLE t(n int); INSERT INTO t(id,n) VALUES (1,5); SELECT n FROM t", "ok 0 + ok 1 + n / 5"),
            (
                "SELECT n FROM t; SELECT bogus syntax here from; DROP TABLE t",
                "n / 5 + error 1064 P01: syntax error, unexpected identifier, expecting end of query near 'here from; DROP TABLE t'",
            ),
            (
                "INSERT INTO t(id,n) VALUES (2,5); INSERT INTO t(id,n) VALUES (2,5); INSERT INTO t(id,n) VALUES (3,5)",
                "ok 1 + error 1064 duplicate id '2'",
            ),
            ("SELECT COUNT(*) FROM t", "count(*) / 2"),
            (
                "SELECT id FROM t WHERE id=1; SELECT id FROM t WHERE id=2; SHOW META LIKE 'total%'",
                "id / 1 + id / 2 + Variable_name,Value / total,1 / total_found,1 / total_relation,eq",
            ),
            ("SELECT id FROM t ORDER BY id ASC FACET n; SELECT 1", "id / 1 / 2 + n,count(*) / 5,2 + 1 / 1"),
            ("", "error 1065 query was empty"),
            (" ; ", "error 1065 query was empty"),
            ("/*!40101 SET NAMES utf8 */;", "ok 0"),
            ("SHOW TABLE t INDEXES", "error 1064 SHOW TABLE … INDEXES is not built yet"),
        ],
    );
    let mut paper = Paper::default();
    s.run(b"SELECT '\xff'", &mut paper).expect("paper");
    assert_eq!(paper.text, "error 1064 the query is not valid UTF-8 at byte 8");
}

#[test]
fn transactions() {
    let engine = engine();
    let mut s = Session::open(&engine, "a".into());
    let mut other = Session::open(&engine, "b".into());
    check(
        &mut s,
        &[
            ("CREATE TABLE t(title text, n int); CREATE TABLE u(n int)", "ok 0 + ok 0"),
            ("INSERT INTO t(id,n) VALUES (1,1)", "ok 1"),
            ("BEGIN", "ok 0"),
            ("INSERT INTO t(id,n) VALUES (2,2)", "ok 1"),
            ("DELETE FROM t WHERE id=1", "ok 1"),
            ("SELECT id FROM t", "id / 1"),
            (
                "INSERT INTO u(id,n) VALUES (1,1)",
                "error 1064 a transaction writes one table: this one has changes of 't'; COMMIT or ROLLBACK before writing 'u'",
            ),
        ],
    );
    check(&mut other, &[("SELECT id FROM t", "id / 1")]);
    check(&mut s, &[("COMMIT", "ok 0"), ("SELECT id FROM t", "id / 2")]);
    check(&mut s, &[("BEGIN; INSERT INTO t(id,n) VALUES (3,3); ROLLBACK; COMMIT; SELECT id FROM t", "ok 0 + ok 1 + ok 0 + ok 0 + id / 2")]);
    // BEGIN commits what is pending, and so do DDL and autocommit=1.
    check(
        &mut s,
        &[(
            "BEGIN; INSERT INTO t(id,n) VALUES (4,4); BEGIN; ROLLBACK; SELECT id FROM t ORDER BY id ASC",
            "ok 0 + ok 1 + ok 0 + ok 0 + id / 2 / 4",
        )],
    );
    check(
        &mut s,
        &[
            ("SET autocommit=0; INSERT INTO t(id,n) VALUES (5,5)", "ok 0 + ok 1"),
            ("SHOW VARIABLES LIKE 'autocommit'", "Variable_name,Value / autocommit,0"),
            ("SELECT COUNT(*) FROM t", "count(*) / 2"),
            ("CREATE TABLE v(n int)", "ok 0"),
            ("SELECT COUNT(*) FROM t", "count(*) / 3"),
            ("REPLACE INTO t(id,n) VALUES (5,50)", "ok 1"),
            ("SET autocommit=1", "ok 0"),
            ("SELECT n FROM t WHERE id=5", "n / 50"),
        ],
    );
    // A duplicate makes the whole transaction fail, and it is gone.
    check(
        &mut s,
        &[
            ("BEGIN; INSERT INTO t(id,n) VALUES (6,6); INSERT INTO t(id,n) VALUES (5,6)", "ok 0 + ok 1 + ok 1"),
            ("COMMIT", "error 1064 duplicate id '5'"),
            ("COMMIT", "ok 0"),
            ("SELECT COUNT(*) FROM t", "count(*) / 3"),
            ("ALTER TABLE t rt_mem_limit='64K'; BEGIN", "ok 0 + ok 0"),
        ],
    );
    let large = format!("INSERT INTO t(id,title) VALUES (7,'{}')", "a".repeat(70_000));
    assert!(answer(&mut s, &large).contains("past rt_mem_limit"));
    check(&mut s, &[("UPDATE t SET n=9 WHERE id=2", "ok 1 (1 warnings)"), ("ROLLBACK", "ok 0"), ("SELECT n FROM t WHERE id=2", "n / 9")]);
    // A client that goes away rolls back.
    check(&mut s, &[("BEGIN; INSERT INTO t(id,n) VALUES (8,8)", "ok 0 + ok 1")]);
    drop(s);
    check(&mut other, &[("SELECT COUNT(*) FROM t WHERE id=8", "count(*) / 0")]);
}

#[test]
fn variables_of_all_kinds() {
    let mut s = session();
    check(
        &mut s,
        &[
            ("SET NAMES utf8mb4; SET @@session.sql_mode='ANSI'; SELECT @@sql_mode", "ok 0 + ok 0 + @@sql_mode / ANSI"),
            ("SET @old=@@sql_mode, sql_mode=''; SELECT @old, @@sql_mode, @none", "ok 0 + @old,@@sql_mode,@none / ANSI,,NULL"),
            ("SET GLOBAL rt_merge_iops=40; SHOW GLOBAL VARIABLES LIKE 'rt_merge_iops'", "ok 0 + Variable_name,Value / rt_merge_iops,40"),
            (
                "SHOW VARIABLES WHERE Variable_name='sql_mode' OR variable_name='tx_isolation'",
                "Variable_name,Value / sql_mode, / tx_isolation,READ-COMMITTED",
            ),
            ("SET nosuch=1", "error 1193 unknown system variable 'nosuch'"),
            ("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ", "ok 0 (1 warnings)"),
            ("SET wait_timeout=100; SELECT @@wait_timeout, @@interactive_timeout", "ok 0 + @@wait_timeout,@@interactive_timeout / 100,100"),
            ("SELECT @@nosuch", "error 1064 unknown variable: @@nosuch"),
            ("CREATE TABLE t(n int); INSERT INTO t(id,n) VALUES (1,10),(2,20),(3,30)", "ok 0 + ok 3"),
            ("SET @list=(3,1); SELECT id FROM t WHERE id IN @list ORDER BY id ASC", "ok 0 + id / 1 / 3"),
        ],
    );
    assert_eq!(s.idle_timeout(), Some(std::time::Duration::from_secs(100)));
    assert!(answer(&mut s, "SET GLOBAL merge_chunks_per_job=1").starts_with("error 1231 merge_chunks_per_job"));
    s.reset_connection();
    check(&mut s, &[("SELECT @@sql_mode, @old", "@@sql_mode,@old / ,NULL")]);
}

#[test]
fn what_clients_send_on_connecting() {
    let mut s = session();
    s.identify("bob", "mysql,ssl");
    check(
        &mut s,
        &[
            (
                "SELECT DATABASE(), USER(), VERSION(), CONNECTION_ID()",
                "DATABASE(),USER(),VERSION(),CONNECTION_ID() / Manticore,bob@1.2.3.4,8.0.0 test,1",
            ),
            ("SHOW DATABASES", "Database / information_schema / Manticore"),
            ("USE whatever", "ok 0"),
            ("SELECT 1+1", "1+1 / 2"),
            ("CREATE TABLE t(title text, n int)", "ok 0"),
            ("SELECT table_name FROM information_schema.tables WHERE table_schema='Manticore'", "table_name / t"),
            ("SELECT COUNT(*) FROM information_schema.columns WHERE table_name='t'", "COUNT(*) / 3"),
            ("SHOW FULL TABLES", "Tables_in_Manticore,Table_type / t,BASE TABLE"),
            (
                "SHOW COLUMNS FROM t",
                "Field,Type,Null,Key,Default,Extra / id,bigint,NO,PRI,NULL, / title,text,NO,,NULL, / n,int unsigned,NO,,NULL,",
            ),
            (
                "SHOW TRIGGERS LIKE 't'",
                "Trigger,Event,Table,Statement,Timing,Created,sql_mode,Definer,character_set_client,collation_connection,Database Collation",
            ),
            ("CALL KEYWORDS('Green tea','t')", "qpos,tokenized,normalized / 1,green,green / 2,tea,tea"),
            ("KILL 99", "error 1094 unknown thread id: 99"),
        ],
    );
    for text in [
        "SELECT @@session.auto_increment_increment AS auto_increment_increment, @@character_set_client AS character_set_client, @@character_set_connection AS b, \
         @@character_set_results AS c, @@character_set_server AS d, @@collation_server AS e, @@collation_connection AS f, @@init_connect AS init_connect, \
         @@interactive_timeout AS g, @@license AS license, @@lower_case_table_names AS h, @@max_allowed_packet AS i, @@net_write_timeout AS j, \
         @@performance_schema AS k, @@sql_mode AS sql_mode, @@system_time_zone AS l, @@time_zone AS time_zone, @@transaction_isolation AS m, @@wait_timeout AS n",
        "select @@version_comment limit 1",
        "SHOW VARIABLES LIKE 'lower_case_%'",
        "SET sql_mode='STRICT_TRANS_TABLES'",
        "SET autocommit=1, sql_mode=CONCAT(@@sql_mode,',STRICT_TRANS_TABLES')",
        "SET character_set_results = NULL",
        "SHOW COLLATION",
        "SHOW ENGINES",
        "SHOW PLUGINS",
        "SHOW CHARACTER SET",
        "SHOW SESSION VARIABLES LIKE 'tx_isolation'",
        "SHOW TABLE STATUS LIKE 't'",
        "SHOW KEYS FROM t",
        "SHOW FULL COLUMNS FROM t",
        "SHOW STATUS LIKE 'Ssl_cipher'",
        "SHOW THREADS OPTION columns=30",
        "SHOW QUERIES",
        "SHOW FULL PROCESSLIST",
        "SHOW META",
        "SHOW VERSION",
        "SET SESSION NET_READ_TIMEOUT= 86400, SESSION NET_WRITE_TIMEOUT= 86400",
    ] {
        let text_of = answer(&mut s, text);
        assert!(!text_of.starts_with("error"), "{text}: {text_of}");
    }
    assert!(answer(&mut s, "SHOW THREADS").contains("/ 1,session_1,mysql,ssl,query,1.2.3.4:5678,1,"));
    assert!(s.statistics().starts_with("Uptime: "));
    assert_eq!(s.field_list("T", "n%").map(|c| c.len()), Ok(1));
    assert!(s.field_list("nosuch", "").is_err());
}

#[test]
fn prepared_statements() {
    let mut s = session();
    check(&mut s, &[("CREATE TABLE t(title text, n int)", "ok 0")]);
    let insert = s.prepare(b"INSERT INTO t(id,title,n) VALUES (?,?,?)").expect("a statement");
    assert_eq!((insert.params, insert.columns.len()), (3, 0));
    let select = s.prepare(b"SELECT id, n FROM t WHERE MATCH(?) AND n>? LIMIT ?").expect("a statement");
    assert_eq!((select.params, select.columns.iter().map(|c| c.name.as_str()).collect::<Vec<_>>()), (3, vec!["id", "n"]));
    let run = |s: &mut Session, id: u32, values: &[Value]| {
        let mut paper = Paper::default();
        s.execute(id, values, &mut paper).expect("paper");
        paper.text
    };
    for i in 1..4 {
        assert_eq!(run(&mut s, insert.id, &[Value::Int(i), Value::Text(format!("it's {i} \\ tea")), Value::Int(i * 10)]), "ok 1");
    }
    assert_eq!(run(&mut s, select.id, &[Value::Text("tea".into()), Value::Int(10), Value::Int(1)]), "id,n / 2,20");
    assert_eq!(run(&mut s, select.id, &[Value::Int(1)]), format!("error 1210 prepared statement {} takes 3 values, not 1", select.id));
    s.close_statement(select.id);
    assert_eq!(run(&mut s, select.id, &[]), format!("error 1243 unknown prepared statement {}", select.id));
    assert!(s.prepare(b"SELECT ? FROM").is_err() && s.prepare(b"EXPLAIN SELECT 1").is_err() && s.prepare(b"\xff").is_err());
    assert!(s.reset_statement(insert.id).is_ok() && s.reset_statement(9).is_err());
    check(
        &mut s,
        &[
            ("SELECT ?", "error 1064 P01: syntax error, unexpected '?', expecting expression near '?'"),
            ("SELECT title FROM t WHERE id=1", "title / it's 1 \\ tea"),
        ],
    );
}

#[test]
fn merges_are_predicted_seen_and_steered() {
    let mut s = session();
    for i in 1..=4 {
        answer(&mut s, "CREATE TABLE IF NOT EXISTS t(title text, n int)");
        answer(&mut s, &format!("INSERT INTO t(id,title,n) VALUES ({i},'green tea',1); FLUSH RAMCHUNK t"));
    }
    answer(&mut s, "DELETE FROM t WHERE id=4; UPDATE t SET n=2 WHERE id=3");
    let chunks = answer(&mut s, "SHOW TABLE t CHUNKS");
    assert!(chunks.starts_with("id,rows,dead_rows,updated_rows,bytes,text,attributes,stored,ids,level,age_s,busy / "), "{chunks}");
    let lines: Vec<Vec<&str>> = chunks.split(" / ").skip(1).map(|line| line.split(',').collect()).collect();
    assert_eq!(lines.iter().map(|l| l[1..4].join(",")).collect::<Vec<_>>(), ["1,0,0", "1,0,0", "1,0,1", "1,1,0"]);
    let sum = |line: &[&str]| line[5..9].iter().map(|n| n.parse::<u64>().expect("a number")).sum::<u64>().to_string();
    assert!(lines.iter().all(|l| l[4] == sum(l) && l[9] == "0" && l[11].is_empty()), "{chunks}");
    // Predicted: the dead chunk is dropped, the others become one. Nothing is run.
    let plan = answer(&mut s, "EXPLAIN OPTIMIZE TABLE t OPTION cutoff=1");
    let plan: Vec<&str> = plan.split(" / ").collect();
    assert_eq!(plan[0], "job,kind,inputs,bytes_in,bytes_out,starts_after_s,seconds,why");
    assert!(plan[1].starts_with("1,drop,") && plan[1].ends_with("all 1 rows are dead"), "{plan:?}");
    assert!(plan[2].starts_with("2,merge,") && plan[2].ends_with("1 of 3 chunks were asked for"), "{plan:?}");
    assert!(plan[3].starts_with("total,2 jobs,1 chunks left,") && plan[3].ends_with("200.0 MB/s each (supposed)"), "{plan:?}");
    let narrow = answer(&mut s, "EXPLAIN OPTIMIZE TABLE t OPTION cutoff=1, parallel=1, chunks_per_job=2");
    assert!(narrow.contains("total,3 jobs") && narrow.contains("; 1 at once"), "{narrow}");
    check(
        &mut s,
        &[
            ("SHOW OPTIMIZE HISTORY", "job,table,kind,inputs,outputs,rows,bytes_in,bytes_out,started,seconds,outcome,why"),
            ("SHOW TABLE t STATUS LIKE 'disk_chunks'", "Variable_name,Value / disk_chunks,4"),
            ("OPTIMIZE TABLE t OPTION cutoff=1, target_size=0", EXCLUDE),
            ("EXPLAIN OPTIMIZE TABLE t OPTION cancel=1", "error 1064 EXPLAIN OPTIMIZE takes neither cancel nor rollback"),
            (
                "EXPLAIN OPTIMIZE TABLE nosuch",
                "error 1064 OPTIMIZE TABLE requires an existing RT, distributed, or shard table: no such table 'nosuch'",
            ),
            ("SHOW TABLE nosuch CHUNKS", "error 1064 SHOW TABLE CHUNKS requires an existing table: no such table 'nosuch'"),
        ],
    );
    // Paused: requests wait and are seen, cancelled ones are gone.
    let columns = "table,job,state,kind,inputs,bytes_in,bytes_out,percent,mb_s,ends_in_s,ends_at,why";
    check(&mut s, &[("SET GLOBAL merge_paused=1; OPTIMIZE TABLE t OPTION target_size='auto'", "ok 0 + ok 0")]);
    let merges = answer(&mut s, "SHOW MERGES");
    assert!(merges.ends_with(" / t,,request,optimize,,,,,,,,chunks of 1073741824 bytes"), "{merges}");
    check(
        &mut s,
        &[
            ("SHOW STATUS LIKE 'merge_paused'", "Counter,Value / merge_paused,1"),
            ("SHOW STATUS LIKE 'optimize_requests'", "Counter,Value / optimize_requests,1"),
            ("OPTIMIZE TABLE t OPTION cancel=1", "ok 0"),
            ("SHOW MERGES", columns),
            ("SHOW TABLE t STATUS LIKE 'disk_chunks'", "Variable_name,Value / disk_chunks,4"),
            ("SET GLOBAL merge_paused=0; OPTIMIZE TABLE t OPTION sync=1, target_size=0", "ok 0 + ok 0"),
            ("SHOW TABLE t STATUS LIKE 'disk_chunks'", "Variable_name,Value / disk_chunks,1"),
            ("SHOW STATUS LIKE 'merges_finished'", "Counter,Value / merges_finished,2"),
            ("SHOW STATUS LIKE 'merges_failed'", "Counter,Value / merges_failed,0"),
            ("SHOW STATUS LIKE 'insert_slowed_tables'", "Counter,Value / insert_slowed_tables,0"),
            ("ALTER TABLE t auto_optimize='0'", "ok 0"),
            ("SHOW TABLE t SETTINGS", "Variable_name,Value / settings,auto_optimize = 0"),
        ],
    );
    let history = answer(&mut s, "SHOW OPTIMIZE HISTORY");
    let history: Vec<&str> = history.split(" / ").collect();
    // Side by side, so either may end first.
    let ends = ["finished,all 1 rows are dead", "finished,chunks of 1073741824 bytes were asked for"];
    assert!(history.len() == 3 && ends.iter().all(|end| history.iter().any(|line| line.ends_with(end))), "{history:?}");
}

#[test]
fn a_merge_is_tried_and_put_back() {
    let mut s = session();
    answer(&mut s, "CREATE TABLE t(title text, n int)");
    for i in 1..=3 {
        answer(&mut s, &format!("INSERT INTO t(id,title,n) VALUES ({i},'green tea',1); FLUSH RAMCHUNK t"));
    }
    check(
        &mut s,
        &[
            ("OPTIMIZE TABLE t OPTION rollback=1", "error 1064 table 't' keeps no chunks to put back"),
            ("OPTIMIZE TABLE t OPTION sync=1, cutoff=1, keep=1", "ok 0"),
            ("SHOW TABLE t STATUS LIKE 'kept_chunks'", "Variable_name,Value / kept_chunks,3"),
            ("DELETE FROM t WHERE id=2; UPDATE t SET n=9 WHERE id=3", "ok 1 + ok 1"),
            ("OPTIMIZE TABLE t OPTION rollback=1", "ok 0"),
            ("SHOW TABLE t STATUS LIKE 'disk_chunks'", "Variable_name,Value / disk_chunks,3"),
            ("SELECT id, n FROM t ORDER BY id ASC", "id,n / 1,1 / 3,9"),
            ("OPTIMIZE TABLE t OPTION sync=1, cutoff=1, keep=1, keep_time='1h'", "ok 0"),
            ("OPTIMIZE TABLE t OPTION keep=0, sync=1", "ok 0"),
            ("SHOW TABLE t STATUS LIKE 'kept%'", "Variable_name,Value"),
            ("SELECT id, n FROM t ORDER BY id ASC", "id,n / 1,1 / 3,9"),
        ],
    );
}

/// What a number and a size of chunks in one statement are answered with.
const EXCLUDE: &str = "error 1064 options cutoff and target_size exclude each other: the one is a number of chunks, the other their size";

#[test]
fn a_waiting_optimize_says_how_far_it_is() {
    let engine = engine();
    let mut s = Session::open(&engine, "a".into());
    answer(&mut s, "CREATE TABLE t(n int); INSERT INTO t(id) VALUES (1); FLUSH RAMCHUNK t; INSERT INTO t(id) VALUES (2); FLUSH RAMCHUNK t");
    answer(&mut s, "SET GLOBAL merge_paused=1");
    let mut waiting = Session::open(&engine, "b".into());
    let thread = std::thread::spawn(move || answer(&mut waiting, "OPTIMIZE TABLE t OPTION sync=1, cutoff=1"));
    while !answer(&mut s, "SHOW THREADS").contains("OPTIMIZE TABLE t OPTION sync=1, cutoff=1 (waiting for its turn)") {
        std::thread::yield_now();
    }
    assert!(answer(&mut s, "SHOW THREADS OPTION columns=8").contains("OPTIMIZE (waiting for its turn)"));
    answer(&mut s, "SET GLOBAL merge_paused=0");
    assert_eq!(thread.join().expect("no panic"), "ok 0");
}

#[test]
fn panics_kills_and_lost_clients() {
    let engine = engine();
    let mut s = Session::open(&engine, "a".into());
    let mut paper = Paper { panics: true, ..Paper::default() };
    s.run(b"SHOW TABLES; SHOW TABLES", &mut paper).expect("paper");
    assert_eq!(paper.text, "error 1815 internal error: the sink fell apart");
    check(&mut s, &[("SELECT 1", "1 / 1")]);
    let mut paper = Paper { patience: Some(1), ..Paper::default() };
    assert_eq!(s.run(b"SHOW DATABASES", &mut paper), Err(ClientGone));
    assert!(engine.registry.list()[0].running.is_none());
    // A session whose client is gone runs nothing more; a server that stops says so.
    s.stop_token().stop();
    check(&mut s, &[("SELECT 1", "error 1317 query execution was interrupted")]);
    let mut other = Session::open(&engine, "b".into());
    engine.stop.stop();
    check(&mut other, &[("SELECT 1", "error 1053 server shutdown in progress")]);
}

/// Waits until `text` is what `statement` answers, in whole or part.
fn wait_for(session: &mut Session, statement: &str, text: &str) {
    while !answer(session, statement).contains(text) {
        std::thread::yield_now();
    }
}

#[test]
fn kill_ends_the_wait_for_an_optimize_and_not_the_optimize() {
    let engine = engine();
    let mut s = Session::open(&engine, "a".into());
    answer(&mut s, "CREATE TABLE t(n int); INSERT INTO t(id) VALUES (1); FLUSH RAMCHUNK t; INSERT INTO t(id) VALUES (2); FLUSH RAMCHUNK t");
    answer(&mut s, "SET GLOBAL merge_paused=1");
    let mut waiting = Session::open(&engine, "b".into());
    let id = waiting.id();
    let thread = std::thread::spawn(move || {
        let ended = answer(&mut waiting, "OPTIMIZE TABLE t OPTION sync=1, cutoff=1");
        (ended, answer(&mut waiting, "SELECT COUNT(*) FROM t"))
    });
    wait_for(&mut s, "SHOW THREADS", "waiting for its turn");
    assert_eq!(answer(&mut s, &format!("KILL {id}")), "ok 1");
    let (ended, next) = thread.join().expect("no panic");
    assert_eq!(ended, "error 1317 stopped waiting; the OPTIMIZE goes on in the background");
    // The connection goes on too.
    assert_eq!(next, "count(*) / 2");
    check(
        &mut s,
        &[
            ("SHOW STATUS LIKE 'optimize_requests'", "Counter,Value / optimize_requests,1"),
            ("SHOW TABLE t STATUS LIKE 'disk_chunks'", "Variable_name,Value / disk_chunks,2"),
            ("SET GLOBAL merge_paused=0", "ok 0"),
        ],
    );
    wait_for(&mut s, "SHOW TABLE t STATUS LIKE 'disk_chunks'", "disk_chunks,1");
    wait_for(&mut s, "SHOW STATUS LIKE 'optimize_requests'", "optimize_requests,0");
    assert_eq!(answer(&mut s, "SHOW STATUS LIKE 'merges_failed'"), "Counter,Value / merges_failed,0");
}

#[test]
fn locks_wait_for_writes_and_end_with_their_session() {
    let engine = engine();
    let (mut a, mut b) = (Session::open(&engine, "a".into()), Session::open(&engine, "b".into()));
    answer(&mut a, "CREATE TABLE t(n int); INSERT INTO t(id) VALUES (1)");
    check(&mut a, &[("LOCK TABLES t READ", "ok 0")]);
    check(&mut b, &[("LOCK TABLES t READ", "ok 0"), ("SHOW LOCKS", "Type,Name,Lock Type,Additional Info / rt,t,read,Count: 2")]);
    drop(a);
    check(
        &mut b,
        &[
            ("INSERT INTO t(id) VALUES (2)", "error 1064 table 't' is locked"),
            ("UNLOCK TABLES; INSERT INTO t(id) VALUES (2)", "ok 0 + ok 1"),
        ],
    );
    check(&mut b, &[("LOCK TABLES t READ", "ok 0")]);
    b.reset_connection();
    let mut a = Session::open(&engine, "a".into());
    check(&mut a, &[("SHOW LOCKS", "Type,Name,Lock Type,Additional Info")]);
    answer(&mut b, "FREEZE t");
    check(&mut a, &[("SHOW LOCKS", "Type,Name,Lock Type,Additional Info / rt,t,freeze,Count: 1"), ("UNFREEZE t", "ok 0")]);

    // What is pending waits for the lock to go, and can be committed then.
    check(&mut a, &[("BEGIN; INSERT INTO t(id) VALUES (3)", "ok 0 + ok 1")]);
    check(&mut b, &[("LOCK TABLES t READ", "ok 0")]);
    check(&mut a, &[("COMMIT", "error 1064 table 't' is locked"), ("CREATE TABLE u(n int)", "error 1064 table 't' is locked")]);
    check(&mut b, &[("SELECT COUNT(*) FROM t", "count(*) / 2"), ("UNLOCK TABLES", "ok 0")]);
    check(&mut a, &[("COMMIT; SELECT COUNT(*) FROM t", "ok 0 + count(*) / 3")]);

    // A write that runs is waited for; those that come meanwhile fail, so that it does not take for ever. KILL ends the wait and leaves nothing.
    let table = a.table("t").expect("open");
    let writing = a.writing("t", &table).expect("not locked");
    let mut waiting = Session::open(&engine, "c".into());
    let id = waiting.id();
    let thread = std::thread::spawn(move || (answer(&mut waiting, "LOCK TABLES t READ"), waiting));
    wait_for(&mut b, "REPLACE INTO t(id) VALUES (4)", "is locked");
    assert_eq!(answer(&mut b, &format!("KILL {id}")), "ok 1");
    let (ended, mut waiting) = thread.join().expect("no panic");
    assert_eq!(ended, "error 1317 query execution was interrupted");
    check(&mut b, &[("INSERT INTO t(id) VALUES (5)", "ok 1")]);
    let thread = std::thread::spawn(move || answer(&mut waiting, "LOCK TABLES t READ; SHOW LOCKS"));
    wait_for(&mut b, "REPLACE INTO t(id) VALUES (4)", "is locked");
    drop(writing);
    assert!(thread.join().expect("no panic").ends_with("rt,t,read,Count: 1"));
}

#[test]
fn what_is_pending_of_a_table_that_goes_fails_at_commit() {
    let engine = engine();
    let (mut a, mut b) = (Session::open(&engine, "a".into()), Session::open(&engine, "b".into()));
    check(&mut a, &[("CREATE TABLE t(n int)", "ok 0"), ("SET autocommit=0; INSERT INTO t(id) VALUES (1)", "ok 0 + ok 1")]);
    check(&mut b, &[("DROP TABLE t; CREATE TABLE t(n int)", "ok 0 + ok 0")]);
    assert!(answer(&mut a, "COMMIT").starts_with("error "));
    check(&mut a, &[("COMMIT; SELECT COUNT(*) FROM t", "ok 0 + count(*) / 0")]);
}

#[test]
fn a_statement_keeps_no_more_than_its_memory() {
    let mut s = session();
    answer(&mut s, "CREATE TABLE t(title text, n int, s string)");
    for chunk in 0..20 {
        let rows: Vec<String> =
            (0..1000).map(|i| chunk * 1000 + i + 1).map(|id| format!("({id},{id},'{id} {}')", "x".repeat(100))).collect();
        answer(&mut s, &format!("INSERT INTO t(id,n,s) VALUES {}", rows.join(",")));
    }
    check(&mut s, &[("SET GLOBAL query_mem_limit='1M'", "ok 0")]);
    for text in [
        "SELECT id FROM t ORDER BY s DESC LIMIT 1000000 OPTION max_matches=1000000",
        "SELECT s, COUNT(*) FROM t GROUP BY s",
        "SELECT GROUP_CONCAT(s) FROM t",
        "SELECT COUNT(DISTINCT s) FROM t",
        "SELECT n%2 AS k, COUNT(DISTINCT n,s) FROM t GROUP BY k",
        "UPDATE t SET s='yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy' WHERE n>0",
    ] {
        let told = answer(&mut s, text);
        assert!(told.starts_with("error 1064 the query keeps more than query_mem_limit = 1048576 bytes: "), "{text}: {told:.200}");
    }
    // One row in a million groups: the row is not finished first.
    answer(&mut s, "CREATE TABLE sets(m multi, m64 multi64)");
    let set = (1..=1000).map(|i| i.to_string()).collect::<Vec<_>>().join(",");
    answer(&mut s, &format!("INSERT INTO sets(id,m,m64) VALUES (1,({set}),({set}))"));
    assert!(answer(&mut s, "SELECT COUNT(*) FROM sets GROUP BY m, m64").contains("query_mem_limit"));
    let level = |inner: &str| format!("CONCAT({})", vec![inner; 64].join(","));
    let wide = format!("SELECT {} FROM t WHERE id=1", level(&level(&level("s"))));
    let told = answer(&mut s, &wide);
    assert!(told.starts_with("error 1064 the query keeps more than query_mem_limit"), "{told:.200}");
    // What is sent as it is found is not kept, and what is kept may be little of much.
    let rows = |text: String| text.matches(" / ").count();
    assert_eq!(rows(answer(&mut s, "SELECT /*!40001 SQL_NO_CACHE */ * FROM t")), 20_000);
    assert_eq!(rows(answer(&mut s, "SELECT s FROM t ORDER BY s ASC LIMIT 500")), 500);
    check(
        &mut s,
        &[
            ("SELECT MAX(s)>'9', COUNT(*), COUNT(DISTINCT n%10) FROM t", "max(s)>'9',count(*),count(distinct n%10) / 1,20000,10"),
            ("SET GLOBAL query_mem_limit=0; SELECT COUNT(DISTINCT s) FROM t", "ok 0 + count(distinct s) / 20000"),
        ],
    );
}

#[test]
fn a_dump_has_all_rows_in_order_of_ids() {
    let mut s = session();
    answer(&mut s, "CREATE TABLE t(title text, f float, j json)");
    // Descending in one chunk, ascending in another, mixed in RAM.
    let insert = |ids: &mut dyn Iterator<Item = u64>| {
        let rows: Vec<String> = ids.map(|id| format!("({id},'w{id}')")).collect();
        format!("INSERT INTO t(id,title) VALUES {}", rows.join(","))
    };
    answer(&mut s, &insert(&mut (1..1000).rev().map(|i| i * 3)));
    answer(&mut s, "FLUSH RAMCHUNK t");
    answer(&mut s, &insert(&mut (0..1000).map(|i| i * 3 + 1)));
    answer(&mut s, "FLUSH RAMCHUNK t");
    answer(&mut s, &insert(&mut (0..1000).map(|i| (i * 7919 % 1000) * 3 + 2)));
    answer(&mut s, "DELETE FROM t WHERE id IN (3,4,5); INSERT INTO t(id,f,j) VALUES (18446744073709551615,0.1,'{\"a\":0.1}')");
    let ids = |text: &str| -> Vec<String> { text.split(" / ").skip(1).map(|row| row.split(',').next().unwrap_or("").to_owned()).collect() };
    let all = answer(&mut s, "SELECT /*!40001 SQL_NO_CACHE */ * FROM t");
    let expected: Vec<String> =
        std::iter::once(u64::MAX).chain((1..3000).filter(|id| !(3..=5).contains(id))).map(|id| id.to_string()).collect();
    assert_eq!(ids(&all), expected);
    assert!(all.starts_with("id,title,f,j / 18446744073709551615,,0.1,{\"a\":0.1} / 1,w1,0.0,NULL / "), "{all:.200}");
    // As the programs that dump say it, with conditions and orders of their own.
    let some = |s: &mut Session, rest: &str| ids(&answer(s, &format!("SELECT /*!40001 SQL_NO_CACHE */ `id`, `title` FROM `t` {rest}")));
    assert_eq!(some(&mut s, " ORDER BY `id`"), expected);
    assert_eq!(some(&mut s, "WHERE id>2990 AND id<2995"), ["2991", "2992", "2993", "2994"]);
    assert_eq!(some(&mut s, "WHERE id IN (7,1) "), ["1", "7"]);
    assert_eq!(some(&mut s, "WHERE 1 limit 2"), ["18446744073709551615", "1"]);
    assert_eq!(some(&mut s, "WHERE id>0 ORDER BY id DESC").len(), 2996);
    assert_eq!(some(&mut s, "WHERE MATCH('w7|w8')"), ["7", "8"]);
    // Without the sign of a dump it is a SELECT like any other.
    assert_eq!(ids(&answer(&mut s, "SELECT /* SQL NO CACHE */ id FROM t")).len(), 20);
    check(
        &mut s,
        &[
            ("CREATE TABLE searchable(a text indexed, n int)", "ok 0"),
            (
                "SELECT /*!40001 SQL_NO_CACHE */ * FROM searchable",
                "error 1064 table searchable: column 'a' is neither stored nor an attribute: its text is not kept and cannot be dumped",
            ),
            ("SELECT * FROM t AS q", "error 1064 another name for a table (FROM t AS name) is not built yet"),
        ],
    );
}

#[test]
fn what_programs_that_dump_ask_for() {
    let mut s = session();
    answer(&mut s, "CREATE TABLE t(title text, f float)");
    check(
        &mut s,
        &[
            (
                "SELECT LOGFILE_GROUP_NAME, FILE_NAME FROM INFORMATION_SCHEMA.FILES WHERE FILE_TYPE = 'UNDO LOG' AND FILE_NAME IS NOT NULL AND \
                 LOGFILE_GROUP_NAME IN (SELECT DISTINCT LOGFILE_GROUP_NAME FROM INFORMATION_SCHEMA.FILES WHERE FILE_TYPE = 'DATAFILE' AND \
                 TABLESPACE_NAME IN (SELECT DISTINCT TABLESPACE_NAME FROM INFORMATION_SCHEMA.PARTITIONS WHERE TABLE_SCHEMA='Manticore' AND \
                 TABLE_NAME IN ('t'))) GROUP BY LOGFILE_GROUP_NAME, FILE_NAME, ENGINE, TOTAL_EXTENTS, INITIAL_SIZE ORDER BY LOGFILE_GROUP_NAME",
                "LOGFILE_GROUP_NAME,FILE_NAME",
            ),
            (
                "select column_name, extra, generation_expression, data_type from information_schema.columns where table_schema=database() and \
                 table_name='t'",
                "column_name,extra,generation_expression,data_type / id,,,bigint / title,,,text / f,,,float",
            ),
            (
                "SELECT COLUMN_NAME, JSON_EXTRACT(HISTOGRAM, '$.\"number-of-buckets-specified\"') FROM information_schema.COLUMN_STATISTICS WHERE \
                 SCHEMA_NAME='Manticore' AND TABLE_NAME='t'",
                "COLUMN_NAME,JSON_EXTRACT(HISTOGRAM, '$.\"number-of-buckets-specified\"')",
            ),
            (
                "SELECT table_name FROM information_schema.tables WHERE table_name IN (SELECT table_name FROM information_schema.columns WHERE \
                 column_name='f') AND table_name NOT IN (SELECT table_name FROM information_schema.views)",
                "table_name / t",
            ),
            ("SELECT DISTINCT table_name FROM information_schema.columns", "table_name / t"),
            ("SELECT engine, COUNT(*) FROM information_schema.tables GROUP BY engine", "engine,COUNT(*) / rt,1"),
            ("SELECT COUNT(*) FROM information_schema.triggers", "COUNT(*) / 0"),
            ("SELECT id FROM t WHERE id IN (SELECT id FROM t)", "error 1064 a subquery is not built yet"),
            (
                "SELECT table_name FROM information_schema.tables WHERE table_name IN (SELECT id FROM t)",
                "error 1064 a subquery on a table of documents is not built yet",
            ),
            (
                "SELECT UPPER(table_name) FROM information_schema.tables",
                "error 1064 an expression over information_schema is not built yet",
            ),
            ("CREATE DATABASE /*!32312 IF NOT EXISTS*/ `Manticore`", "ok 0 (1 warnings)"),
            ("CREATE DATABASE IF NOT EXISTS Manticore", "ok 0 (1 warnings)"),
            ("CREATE SCHEMA other", "error 1064 database 'other' cannot be created: there is one database, Manticore"),
        ],
    );
}
