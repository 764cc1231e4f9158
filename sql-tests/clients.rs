//! Programs that people use: the `mysql` command line, PyMySQL, and a driver with prepared statements.
//!
//! Programs that are not installed are skipped, with a line on standard error that says so.

#[allow(dead_code, reason = "each test program uses its part")]
mod client;
#[allow(dead_code, reason = "each test program uses its part")]
mod server;

use std::io::Write;
use std::net::TcpListener;
use std::process::{Command, Output, Stdio};

use server::{Place, Server};

/// A server with a port of its own.
struct Served {
    port: u16,
    server: Server,
    _place: Place,
}

fn serve() -> Served {
    // Free a moment ago, and the system does not give the same one again soon.
    let port = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a free port").port();
    let listen = format!("listen = 127.0.0.1:{port}:mysql");
    let place = Place::new(&[&listen, "auto_optimize = 0"]);
    Served { port, server: place.start(), _place: place }
}

/// Says on standard error itself, which the test harness does not keep to itself as it does with prints.
fn skip(what: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {what}");
}

fn runs(program: &str, arguments: &[&str]) -> bool {
    Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
}

/// The command-line clients that are installed.
fn command_lines() -> Vec<&'static str> {
    let found: Vec<&str> = ["mariadb", "mysql"].into_iter().filter(|p| runs(p, &["--version"])).collect();
    if found.is_empty() {
        skip("neither mariadb nor mysql is installed; the command line is not tested");
    }
    found
}

/// Runs a command line with `input` and gives what it printed. None of the caller's own configuration is read.
fn command_line(program: &str, port: u16, arguments: &[&str], input: &[u8]) -> Output {
    let port = port.to_string();
    let mut child = Command::new(program)
        .args(["--no-defaults", "--protocol=tcp", "-h127.0.0.1", "-P", &port])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a program that was found");
    let mut stdin = child.stdin.take().expect("piped");
    // A client that gives up early closes its end; what it printed says why.
    let _ = stdin.write_all(input);
    drop(stdin);
    child.wait_with_output().expect("a child of ours")
}

/// What it printed, where it had to succeed.
fn printed(program: &str, port: u16, arguments: &[&str], input: &str) -> String {
    let output = command_line(program, port, arguments, input.as_bytes());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?} < {input:.200}: {said}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn the_command_line() {
    for program in command_lines() {
        let served = serve();
        let run = |arguments: &[&str], input: &str| printed(program, served.port, arguments, input);

        let status = run(&[], "\\s");
        for part in ["Connection id:", "Server version:", "Protocol version:", "Uptime:"] {
            assert!(status.contains(part), "{program}: {part} is missing in\n{status}");
        }
        assert_eq!(run(&["-N"], "SHOW DATABASES"), "information_schema\nManticore\n");
        assert_eq!(run(&["-N", "-D", "Manticore"], "USE Manticore\nSELECT DATABASE();"), "Manticore\n");

        let script = "
            -- A script as people write them.
            DROP TABLE IF EXISTS t;
            CREATE TABLE t(title text, n int, f float, m multi, j json);
            INSERT INTO t(id,title,n,f,m,j) VALUES
                (1,'green tea; with a semicolon',5,1.5,(3,1),'{\"a\":1}'),
                (2,'it''s \\\"black\\\"',6,-2,(),'{}');
            # what is there
            SELECT * FROM t ORDER BY id ASC;
            SELECT COUNT(*) FROM t WHERE MATCH('tea');
        ";
        let rows = "id\ttitle\tn\tf\tm\tj\n\
            1\tgreen tea; with a semicolon\t5\t1.500000\t1,3\t{\"a\":1}\n\
            2\tit's \"black\"\t6\t-2.000000\t\t{}\n\
            count(*)\n1\n";
        assert_eq!(run(&["-B"], script), rows, "{program}");
        // With the names of tables and columns read at the start, as for completion by tab.
        assert_eq!(run(&["-N", "--auto-rehash", "-D", "Manticore"], "SHOW TABLES"), "t\trt\n");
        assert_eq!(run(&["-N", "-e", "SELECT id FROM t ORDER BY id DESC; SELECT n FROM t WHERE id=1"], ""), "2\n1\n5\n");

        let told = run(
            &["-vv"],
            "REPLACE INTO t(id,title) VALUES (2,'a'),(3,'b'); DELETE FROM t WHERE id=77; CREATE TABLE IF NOT EXISTS t(a int);",
        );
        assert!(told.contains("Query OK, 2 rows affected"), "{program}: {told}");
        assert!(told.contains("Query OK, 0 rows affected"), "{program}: {told}");
        assert!(told.contains("1 warning"), "{program}: {told}");

        // An error has number and state, ends the script, and the client's exit code tells.
        let output = command_line(program, served.port, &[], b"SELECT id FROM nosuch; SELECT 'not reached';");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains("ERROR 1064 (42000) at line 1"), "{program}: {said}");
        assert!(!String::from_utf8_lossy(&output.stdout).contains("not reached"));
        let output = command_line(program, served.port, &["--force", "-N"], b"SELECT id FROM nosuch; SELECT 'reached';");
        assert!(String::from_utf8_lossy(&output.stdout).contains("reached"));

        // Text of all kinds comes back as it went in.
        let text = "Ünïcödé Привет 北京 😀";
        let there_and_back = format!("REPLACE INTO t(id,title) VALUES (9,'{text}'); SELECT title FROM t WHERE id=9");
        assert_eq!(run(&["-N", "--default-character-set=utf8mb4"], &there_and_back), format!("{text}\n"));
        served.server.stop();
    }
}

#[test]
fn a_statement_of_20_megabytes() {
    for program in command_lines() {
        let served = serve();
        let mut sql = String::from("CREATE TABLE t(title text, n int); INSERT INTO t(id,title,n) VALUES ");
        let rows = 20_000;
        for id in 1..=rows {
            let comma = if id > 1 { "," } else { "" };
            sql.push_str(&format!("{comma}({id},'word w{id} {}',{id})", "filler text ".repeat(88)));
        }
        assert!(sql.len() > 20 << 20, "{}", sql.len());
        sql.push_str("; SELECT COUNT(*), SUM(n) FROM t WHERE MATCH('word filler');");
        assert_eq!(
            printed(program, served.port, &["-N", "--max-allowed-packet=64M"], &sql),
            format!("{rows}\t{}\n", rows * (rows + 1) / 2)
        );
        assert_eq!(printed(program, served.port, &["-N"], "SELECT id FROM t WHERE MATCH('w19999')"), "19999\n");
        // And out again: an answer of the same size.
        let out = printed(program, served.port, &["-N"], "SELECT * FROM t ORDER BY id ASC LIMIT 100000 OPTION max_matches=100000");
        assert_eq!(out.lines().count(), rows);
        assert!(out.len() > 20 << 20);
        served.server.stop();
    }
}

#[test]
fn one_value_of_20_megabytes() {
    for program in command_lines() {
        let served = serve();
        let value = "abcdefghi ".repeat(2 << 20);
        let sql = format!("CREATE TABLE t(title text, n int); INSERT INTO t(id,title,n) VALUES (1,'{value}',5); SELECT title FROM t;");
        let arguments = ["-N", "--max-allowed-packet=64M"];
        assert_eq!(printed(program, served.port, &arguments, &sql).trim_end_matches('\n'), value);
        served.server.stop();
    }
}

/// Every kind of column, values at the edges of each, and enough rows that a LIMIT of nobody's asking would cut them.
fn table_of_all_kinds() -> String {
    let mut sql = String::from(
        "CREATE TABLE kinds(title text, kept text stored, s string, both string indexed attribute, n int, b bigint, f float, flag bool, ts timestamp, \
         m multi, m64 multi64, j json, `order` int) morphology='stem_en' min_infix_len='2';
         INSERT INTO kinds(id,title,kept,s,both,n,b,f,flag,ts,m,m64,j,`order`) VALUES
         (1,'it''s \\\"quoted\\\" \\\\ and\\nbroken\\t\\0\\Z','%_\\\\%','Привет 😀','x',4294967295,-9223372036854775808,0.1,1,1700000000,(3,1),\
          (-5,9223372036854775807),'{\"a\":[1,2.5,0.1,1e300],\"b\":{\"c\":null,\"d\":true,\"e\":\"\\\\n\"}}',7),
         (18446744073709551615,'','','','',0,9223372036854775807,0.0000001,0,0,(),(),'[]',0),
         (9223372036854775807,'NULL','0','','',0,0,340282300000000000000000000000000000000.0,0,0,(4294967295),(),'{}',0);
         INSERT INTO kinds(id,title) VALUES (2,'without a document');
         FLUSH RAMCHUNK kinds;",
    );
    for chunk in 0..3u64 {
        // Ids that do not ascend, in several chunks and in RAM.
        let rows: Vec<String> =
            (0..1500u64).map(|i| 1_000 + (i * 7919) % 1500 * 3 + chunk).map(|id| format!("({id},'row w{id}',{id})")).collect();
        sql.push_str(&format!("INSERT INTO kinds(id,title,n) VALUES {};", rows.join(",")));
        if chunk < 2 {
            sql.push_str("FLUSH RAMCHUNK kinds;");
        }
    }
    sql.push_str("DELETE FROM kinds WHERE id>5000 AND id<5100; UPDATE kinds SET b=-1 WHERE id=1500;");
    sql
}

#[test]
fn dumps_are_loaded_again() {
    let programs: Vec<&str> = ["mariadb-dump", "mysqldump"].into_iter().filter(|p| runs(p, &["--version"])).collect();
    let Some(client) = command_lines().into_iter().next() else { return };
    if programs.is_empty() {
        skip("neither mariadb-dump nor mysqldump is installed; dumps are not tested");
    }
    // All that can be told from outside, floats to the last bit.
    let look = "SELECT *, UINT64(id) FROM kinds ORDER BY id ASC LIMIT 100000 OPTION max_matches=100000; SELECT COUNT(*), SUM(b) FROM kinds;
        SELECT id FROM kinds WHERE f>0.00000009 AND f<0.00000011; SELECT id FROM kinds WHERE MATCH('rows') LIMIT 3; SHOW CREATE TABLE kinds;
        SELECT id FROM kinds WHERE j.a[2]=0.1 AND j.a[3]>9e299; SHOW LOCKS;";
    for program in programs {
        let from = serve();
        printed(client, from.port, &[], &table_of_all_kinds());
        let expected = printed(client, from.port, &["-N"], look);
        for options in [
            &[][..],
            &["--complete-insert"],
            &["--skip-lock-tables"],
            &["--replace"],
            &["--skip-extended-insert", "--order-by-primary"],
            &["--no-create-info"],
            &["-etc", "--replace", "--net-buffer-length=16m"],
            &["--databases"],
        ] {
            let to = serve();
            let dump = printed(program, from.port, &[options, &["Manticore"]].concat(), "");
            if options.iter().any(|o| *o == "--no-create-info" || *o == "-etc") {
                assert!(!dump.contains("CREATE TABLE"), "{options:?}");
                let tables = printed(program, from.port, &["--no-data", "Manticore"], "");
                printed(client, to.port, &[], &tables);
            }
            printed(client, to.port, &["-D", "Manticore"], &dump);
            let got = printed(client, to.port, &["-N"], look);
            assert!(got == expected, "{program} {options:?}: {:?}", expected.lines().zip(got.lines()).find(|(a, b)| a != b));
            to.server.stop();
        }
        // A table that keeps no text cannot be dumped, and says so instead of losing it.
        printed(client, from.port, &[], "CREATE TABLE searchable(title text indexed, n int)");
        for options in [&["Manticore", "searchable"][..], &["--complete-insert", "Manticore", "searchable"]] {
            let output = command_line(program, from.port, options, b"");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success() && said.contains("column 'title' is neither stored nor an attribute"), "{said}");
        }
        from.server.stop();
    }
}

const PYTHON: &str = r#"
import sys, pymysql
from pymysql.constants import CLIENT
port = int(sys.argv[1])
def connect(**more):
    return pymysql.connect(host='127.0.0.1', port=port, user='root', database='Manticore', charset='utf8mb4', **more)

c = connect(autocommit=True)
k = c.cursor()
k.execute("CREATE TABLE t(title text, n int, b bigint, f float, s string, m multi, j json, flag bool)")
assert k.execute("INSERT INTO t(id,title,n,b,f,s,m,j,flag) VALUES (%s,%s,%s,%s,%s,%s,(1,2),%s,%s)",
                 (1, "it's \"quoted\" \\ and\nbroken", 5, -5, 1.5, 'Привет 😀', '{"a":[1,2]}', True)) == 1
assert k.lastrowid == 1, k.lastrowid
assert k.executemany("INSERT INTO t(id,title,n) VALUES (%s,%s,%s)", [(i, f'many w{i}', i) for i in range(2, 102)]) == 100
k.execute("SELECT id,title,n,b,f,s,m,j,flag,j.nosuch FROM t WHERE id=1")
row = k.fetchone()
assert row == (1, "it's \"quoted\" \\ and\nbroken", 5, -5, 1.5, 'Привет 😀', '1,2', '{"a":[1,2]}', 1, None), row
assert [d[0] for d in k.description] == ['id','title','n','b','f','s','m','j','flag','j.nosuch']
k.execute("SELECT COUNT(*), AVG(n), MAX(b) FROM t WHERE MATCH(%s)", ('many',))
count, average, most = k.fetchone()
assert (count, float(average), most) == (100, 51.5, 0), (count, average, most)
k.execute("SELECT id FROM t WHERE MATCH('w50|w51') AND id IN %s", ([50, 51, 52],))
assert k.fetchall() == ((50,), (51,))
assert k.execute("UPDATE t SET n=%s WHERE n>%s", (0, 90)) == 11
assert k.execute("DELETE FROM t WHERE id BETWEEN 91 AND 101") == 11

try:
    k.execute("INSERT INTO t(id,n) VALUES (1,1)")
    raise SystemExit("a duplicate was taken")
except pymysql.err.MySQLError as e:
    assert e.args[0] == 1064 and "duplicate id '1'" in e.args[1], e.args
# The connection lives on after an error.
k.execute("SELECT 1")
assert k.fetchone() == (1,)

d = c.cursor(pymysql.cursors.DictCursor)
d.execute("SELECT id, n AS number FROM t WHERE id=2")
assert d.fetchall() == [{'id': 2, 'number': 2}]

# Rows that come one by one.
s = c.cursor(pymysql.cursors.SSCursor)
s.execute("SELECT id FROM t ORDER BY id ASC LIMIT 1000")
assert [r[0] for r in s] == list(range(1, 91))
s.close()

# A driver's own transactions: autocommit is off unless it is asked for.
t = connect()
x = t.cursor()
x.execute("INSERT INTO t(id,title) VALUES (500,'later')")
k.execute("SELECT COUNT(*) FROM t WHERE id=500"); assert k.fetchone() == (0,)
t.rollback()
x.execute("INSERT INTO t(id,title) VALUES (501,'later')")
t.commit()
k.execute("SELECT id FROM t WHERE id>=500"); assert k.fetchall() == ((501,),)
x.execute("INSERT INTO t(id,title) VALUES (502,'never')")
t.close()
k.execute("SELECT COUNT(*) FROM t WHERE id=502"); assert k.fetchone() == (0,)

m = connect(autocommit=True, client_flag=CLIENT.MULTI_STATEMENTS)
q = m.cursor()
q.execute("SELECT 1; SELECT 2, 3; UPDATE t SET n=7 WHERE id=3; SELECT n FROM t WHERE id=3")
got = [tuple(q.fetchall())]
while q.nextset():
    got.append(tuple(q.fetchall()))
assert got == [((1,),), ((2, 3),), (), ((7,),)], got

# A statement of 20 MB, and the row out again.
big = 'x y ' * (5 << 20)
k.execute("REPLACE INTO t(id,title) VALUES (600,%s)", (big,))
k.execute("SELECT title FROM t WHERE id=600")
assert k.fetchone()[0] == big

c.ping(reconnect=False)
c.select_db('Manticore')
assert c.get_server_info() and c.thread_id() > 0
k.execute("SHOW THREADS"); assert len(k.fetchall()) >= 2
# KILL ends another connection.
other = connect(autocommit=True)
k.execute(f"KILL {other.thread_id()}")
print('all well')
"#;

#[test]
fn pymysql() {
    if !runs("python3", &["-c", "import pymysql"]) {
        skip("python3 with PyMySQL is not installed; the driver is not tested");
        return;
    }
    let served = serve();
    let output = Command::new("python3").args(["-c", PYTHON, &served.port.to_string()]).output().expect("a program that was found");
    let (out, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && out.contains("all well"), "{out}\n{said}");
    served.server.stop();
}

/// Signals that are sent to servers by habit or by mistake.
#[test]
fn signals_that_stop_nothing() {
    use rustix::process::{Pid, Signal, kill_process};

    let place = Place::new(&[]);
    let mut server = place.start();
    let pid = Pid::from_raw(server.pid().try_into().expect("a number")).expect("not zero");
    for signal in [Signal::HUP, Signal::QUIT, Signal::USR2, Signal::ALARM, Signal::USR1] {
        kill_process(pid, signal).expect("a child of ours");
    }
    // A log that was renamed is begun anew, which is seen once the signals before that were heard too.
    let (log, renamed) = (place.log(), place.path.join("renamed.log"));
    std::fs::rename(&log, &renamed).expect("renamed");
    while !log.exists() {
        kill_process(pid, Signal::USR1).expect("a child of ours");
        std::thread::sleep(std::time::Duration::from_millis(5));
        assert!(server.lives());
    }
    for name in ["SIGHUP: ", "SIGQUIT: ", "SIGUSR2: ", "SIGALRM: "] {
        let said = std::fs::read_to_string(&renamed).expect("a log") + &std::fs::read_to_string(&log).expect("a log");
        assert!(said.contains(name), "{name} {said}");
    }
    drop(server.client());
    server.stop();
}

/// Prepared statements, whose values and rows travel in the binary form.
#[test]
fn prepared_statements() {
    use mysql_async::prelude::Queryable;
    use mysql_async::{Conn, OptsBuilder, Row, Value};

    let served = serve();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let options = OptsBuilder::default()
        .ip_or_hostname("127.0.0.1")
        .tcp_port(served.port)
        .user(Some("root"))
        .db_name(Some("Manticore"))
        .prefer_socket(false);
    runtime.block_on(async {
        let mut conn = Conn::new(options).await.expect("connected");
        conn.query_drop("CREATE TABLE t(title text, n int, b bigint, f float, s string, flag bool, j json)").await.expect("created");
        let insert = conn.prep("INSERT INTO t(id,title,n,b,f,s,flag,j) VALUES (?,?,?,?,?,?,?,?)").await.expect("prepared");
        for id in 1..=50i64 {
            let values = (id, format!("it's \\ row w{id}"), id as u32, -id, id as f32 / 4.0, "s\0'\"", id % 2 == 0, "{\"k\":1}");
            conn.exec_drop(&insert, values).await.expect("inserted");
            assert_eq!(conn.affected_rows(), 1);
        }
        let select = conn
            .prep("SELECT id,title,n,b,f,s,flag,j,j.nosuch FROM t WHERE MATCH(?) AND n>=? ORDER BY id ASC LIMIT ?")
            .await
            .expect("prepared");
        assert_eq!(select.num_params(), 3);
        let rows: Vec<Row> = conn.exec(&select, ("row", 20, 2)).await.expect("rows");
        assert_eq!(rows.len(), 2);
        let mut row = rows.into_iter().next().expect("a row");
        assert_eq!(row.take::<i64, _>(0), Some(20));
        assert_eq!(row.take::<String, _>(1).as_deref(), Some("it's \\ row w20"));
        assert_eq!(row.take::<u32, _>(2), Some(20));
        assert_eq!(row.take::<i64, _>(3), Some(-20));
        assert_eq!(row.take::<f32, _>(4), Some(5.0));
        assert_eq!(row.take::<String, _>(5).as_deref(), Some("s\0'\""));
        assert_eq!(row.take::<u8, _>(6), Some(1));
        assert_eq!(row.take::<String, _>(7).as_deref(), Some("{\"k\":1}"));
        assert_eq!(row.as_ref(8), Some(&Value::NULL));
        let update = conn.prep("UPDATE t SET n=?, s=? WHERE id=?").await.expect("prepared");
        conn.exec_drop(&update, (1_000, "new", 7)).await.expect("updated");
        assert_eq!(conn.affected_rows(), 1);
        let found: Option<(i64, String)> = conn.exec_first("SELECT id, s FROM t WHERE n=?", (1_000,)).await.expect("a row");
        assert_eq!(found, Some((7, "new".to_owned())));
        conn.exec_drop("DELETE FROM t WHERE id IN (?,?)", (1, 2)).await.expect("deleted");
        assert_eq!(conn.affected_rows(), 2);
        // A wrong one does not break the connection.
        assert!(conn.prep("SELECT FROM").await.is_err());
        assert!(conn.exec_drop("SELECT nosuch FROM t WHERE id=?", (1,)).await.is_err());
        let count: Option<i64> = conn.query_first("SELECT COUNT(*) FROM t").await.expect("a row");
        assert_eq!(count, Some(48));
        // More bytes than a packet holds.
        let long = "word ".repeat(4 << 20);
        conn.exec_drop("REPLACE INTO t(id,title) VALUES (?,?)", (99, &long)).await.expect("replaced");
        let back: Option<String> = conn.exec_first("SELECT title FROM t WHERE id=?", (99,)).await.expect("a row");
        assert!(back.as_deref() == Some(&long), "the long value came back otherwise");
        conn.disconnect().await.expect("closed");
    });
    served.server.stop();
}
