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
            ("CREATE TABLE t(a int)", "error 1064 table 't': CREATE TABLE failed: table already exists"),
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
            ("INSERT INTO nosuch VALUES (1)", "error 1064 no such table 'nosuch'"),
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
    assert!(plan[3].starts_with("total,2 jobs,1 chunks left,") && plan[3].ends_with("33.6 MB/s each (supposed)"), "{plan:?}");
    let narrow = answer(&mut s, "EXPLAIN OPTIMIZE TABLE t OPTION cutoff=1, parallel=1, chunks_per_job=2");
    assert!(narrow.contains("total,3 jobs") && narrow.contains("; 1 at once"), "{narrow}");
    check(
        &mut s,
        &[
            ("SHOW OPTIMIZE HISTORY", "job,table,kind,inputs,outputs,rows,bytes_in,bytes_out,started,seconds,outcome,why"),
            ("SHOW TABLE t STATUS LIKE 'disk_chunks'", "Variable_name,Value / disk_chunks,4"),
            ("OPTIMIZE TABLE t OPTION cutoff=1, target_size=0", EXCLUDE),
            ("EXPLAIN OPTIMIZE TABLE t OPTION cancel=1", "error 1064 EXPLAIN OPTIMIZE takes neither cancel nor rollback"),
            ("EXPLAIN OPTIMIZE TABLE nosuch", "error 1064 no such table 'nosuch'"),
            ("SHOW TABLE nosuch CHUNKS", "error 1064 no such table 'nosuch'"),
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
