//! The protocol as clients meet it: a raw client for what drivers never send, `mysql_async` as an implementation that is not ours, and the
//! programs `mariadb` and PyMySQL where they are installed.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use mysql_async::prelude::*;
use mysql_async::{Conn, OptsBuilder, Params, Row, Value as ClientValue};

use super::fake::{FakeServer, eventually};
use super::packet::PIECE_MAX;
use super::raw_client::{DEPRECATE_EOF, PLAIN, RawClient, WITH_DB};

fn with_client<T>(server: &FakeServer, work: impl AsyncFnOnce(&mut Conn) -> T) -> T {
    with_options(server, |options| options, work)
}

fn with_options<T>(server: &FakeServer, options: impl FnOnce(OptsBuilder) -> OptsBuilder, work: impl AsyncFnOnce(&mut Conn) -> T) -> T {
    let builder = OptsBuilder::default().ip_or_hostname("127.0.0.1").tcp_port(server.port).user(Some("root")).prefer_socket(false);
    let builder = options(builder.max_allowed_packet(Some(1 << 30)).wait_timeout(Some(100)));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut conn = Conn::new(builder).await.expect("connected");
        let out = work(&mut conn).await;
        let _ = conn.disconnect().await;
        out
    })
}

#[test]
fn text_rows_of_every_type() {
    let server = FakeServer::start(|_| {});
    let rows: Vec<Row> = with_client(&server, async |conn| conn.query("ROWS 3").await.expect("rows"));
    assert_eq!(rows.len(), 3);
    let (row, text) = (rows[2].clone().unwrap(), |s: &str| ClientValue::Bytes(s.into()));
    assert_eq!(row[..5], [text("-2"), text("2"), text("18446744073709551613"), text("1.000000"), text("0.500000")]);
    assert_eq!(row[5..], [text("größe 2"), ClientValue::NULL]);
}

#[test]
fn errors_and_affected_rows() {
    let server = FakeServer::start(|_| {});
    with_client(&server, async |conn| {
        let error = conn.query_drop("FAIL").await.expect_err("an error");
        assert!(
            matches!(&error, mysql_async::Error::Server(e) if e.code == 1064 && e.state == "42000" && e.message.contains("near 'FAIL'")),
            "{error}"
        );
        conn.query_drop("SET 7").await.expect("ok");
        assert_eq!((conn.affected_rows(), conn.last_insert_id()), (7, Some(300)));
        let error = conn.query_drop("NOTHING").await.expect_err("an error");
        assert!(error.to_string().contains("without an answer"), "{error}");
        conn.ping().await.expect("the connection lives");
    });
}

#[test]
fn a_panic_ends_the_session_and_nothing_else() {
    let server = FakeServer::start(|_| {});
    with_client(&server, async |conn| {
        let error = conn.query_drop("PANIC").await.expect_err("an error");
        assert!(error.to_string().contains("internal error: as asked"), "{error}");
        assert!(conn.ping().await.is_err(), "the session is gone");
    });
    with_client(&server, async |conn| conn.ping().await.expect("another session"));
}

#[test]
fn several_statements_in_one_text() {
    let server = FakeServer::start(|_| {});
    with_client(&server, async |conn| {
        let mut result = conn.query_iter("ROWS 1; SET 2; DB; FAIL; DB").await.expect("results");
        assert_eq!(result.collect::<Row>().await.expect("first").len(), 1);
        assert_eq!(result.collect::<Row>().await.expect("second").len(), 0);
        assert_eq!(result.affected_rows(), 2);
        let names: Vec<String> = result.collect().await.expect("third");
        assert_eq!(names, ["none"]);
        assert!(result.collect::<Row>().await.is_err(), "the fourth fails, the fifth never runs");
    });
}

#[test]
fn twenty_megabytes_in_both_directions() {
    let server = FakeServer::start(|_| {});
    with_client(&server, async |conn| {
        let text = format!("LEN {}", "a".repeat(20 << 20));
        let length: Option<usize> = conn.query_first(text.as_str()).await.expect("a row");
        assert_eq!(length, Some(text.len()));
        let big: Option<Vec<u8>> = conn.query_first(format!("BIG {}", 20 << 20)).await.expect("a row");
        let big = big.expect("a value");
        assert!(big.len() == 20 << 20 && big.iter().all(|b| *b == b'x'));
        conn.ping().await.expect("in step");
    });
}

#[test]
fn payloads_around_the_length_of_a_piece() {
    let server = FakeServer::start(|_| {});
    let mut client = RawClient::login(server.port, PLAIN | DEPRECATE_EOF);
    for length in [PIECE_MAX - 1, PIECE_MAX, PIECE_MAX + 1, 2 * PIECE_MAX] {
        // A command is one byte longer than its text; a row of one long value is four bytes longer than the value.
        let mut text = b"LEN ".to_vec();
        text.resize(length - 1, b'a');
        client.command(3, &text);
        assert_eq!(client.receive(), [1]);
        client.receive();
        assert_eq!(client.receive()[1..], *(length - 1).to_string().as_bytes());
        assert_eq!(client.receive()[0], 0xFE);

        client.command(3, format!("BIG {}", length - 4).as_bytes());
        assert_eq!(client.receive(), [1]);
        client.receive();
        let row = client.receive();
        assert!(row.len() == length || (length > 0xFF_FFFF && row.len() == length + 5), "{} of {length}", row.len());
        assert_eq!(client.receive()[0], 0xFE);
        client.command(14, b"");
        assert_eq!(client.receive()[0], 0);
    }
}

#[test]
fn a_packet_past_the_limit_is_refused_and_the_connection_lives() {
    let server = FakeServer::start(|settings| settings.max_packet_size = 1 << 20);
    let mut client = RawClient::login(server.port, PLAIN);
    let mut text = b"LEN ".to_vec();
    text.resize((1 << 20) - 1, b'a');
    client.command(3, &text);
    assert_eq!(client.receive(), [1]);
    for _ in 0..4 {
        client.receive();
    }
    text.push(b'a');
    let (code, message) = client.error_of(3, &text);
    assert_eq!(code, 1153);
    assert!(message.starts_with("#08S01") && message.contains("max_packet_size = 1048576"), "{message}");
    text.resize(40 << 20, b'a');
    assert_eq!(client.error_of(3, &text).0, 1153);
    client.command(14, b"");
    assert_eq!(client.receive()[0], 0);
    crate::config::set_global(&server.settings, "max_packet_size", "64M").expect("allowed");
    client.command(14, b"");
    client.receive();
    client.command(3, &text);
    assert_eq!(client.receive(), [1], "a changed limit holds for the next command but one");
}

#[test]
fn bytes_that_are_no_text_reach_the_session() {
    let server = FakeServer::start(|_| {});
    let mut client = RawClient::login(server.port, PLAIN);
    client.command(3, b"ECHO \xFF\xFE\x00\xC3");
    assert_eq!(client.receive(), [1]);
    client.receive();
    client.receive();
    assert_eq!(client.receive(), b"\x08fffe00c3");
}

#[test]
fn prepared_statements_with_every_kind_of_value() {
    let server = FakeServer::start(|_| {});
    with_client(&server, async |conn| {
        let statement = conn.prep("SELECT ?, ?, ?, ?, ?, ?, ?").await.expect("prepared");
        assert_eq!(statement.num_params(), 7);
        let long = "long ".repeat(5 << 20);
        let values = vec![
            ClientValue::Int(-5),
            ClientValue::UInt(u64::MAX),
            ClientValue::Double(0.1),
            ClientValue::Float(1.5),
            ClientValue::Bytes("tëxt".into()),
            ClientValue::NULL,
            ClientValue::Date(2024, 2, 3, 4, 5, 6, 0),
        ];
        let rows: Vec<String> = conn.exec(&statement, Params::Positional(values)).await.expect("rows");
        let expected = ["Int(-5)", "Uint(18446744073709551615)", "Double(0.1)", "Float(1.5)", "Text(\"tëxt\")", "Null"];
        assert_eq!(rows[..6], expected);
        assert_eq!(rows[6], "Text(\"2024-02-03 04:05:06\")");
        // Longer than a packet: the driver sends it ahead.
        let statement = conn.prep("SELECT ?").await.expect("prepared");
        let rows: Vec<String> = conn.exec(&statement, (long.as_str(),)).await.expect("rows");
        assert_eq!(rows[0].len(), long.len() + "Text(\"\")".len());
        let error = conn.exec_drop(&statement, (ClientValue::Bytes(vec![0xFF]),)).await.expect_err("no text");
        assert!(error.to_string().contains("parameter 1 is not valid UTF-8"), "{error}");
        conn.close(statement).await.expect("closed");
        assert!(conn.prep("FAIL ?").await.is_err());

        let rows: Vec<Row> = conn.exec("ROWS 3", ()).await.expect("rows");
        let row = rows[2].clone().unwrap();
        // Numbers that fit are the signed kind in this driver, whatever the column.
        assert_eq!(row[..3], [ClientValue::Int(-2), ClientValue::Int(2), ClientValue::UInt(u64::MAX - 2)]);
        assert_eq!(row[3..5], [ClientValue::Float(1.0), ClientValue::Double(0.5)]);
        assert_eq!(row[5..], [ClientValue::Bytes("größe 2".into()), ClientValue::NULL]);
        conn.exec_drop("SET 4", ()).await.expect("ok");
        assert_eq!(conn.affected_rows(), 4);
    });
    let log = server.log.0.lock().join("\n");
    assert!(log.contains("SELECT ?, ?, ?, ?, ?, ?, ? rows=7 error=-"), "{log}");
}

#[test]
fn odd_uses_of_prepared_statements() {
    let server = FakeServer::start(|_| {});
    let mut client = RawClient::login(server.port, PLAIN | DEPRECATE_EOF);
    client.command(22, b"SELECT ?");
    assert_eq!(client.receive(), [0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
    client.receive();
    let execute = |id: u8, rest: &[u8]| [&[id, 0, 0, 0, 0, 1, 0, 0, 0], rest].concat();
    assert_eq!(client.error_of(23, &execute(9, &[])).0, 1243);
    assert_eq!(client.error_of(23, &execute(1, &[])).0, 1835);
    assert_eq!(client.error_of(23, &execute(1, &[0, 0])).0, 1210);
    assert_eq!(client.error_of(23, &[1]).0, 1835);
    // Long data in two pieces, without an answer, then a reset that forgets it.
    client.command(24, b"\x01\0\0\0\0\0abc");
    client.command(24, b"\x01\0\0\0\0\0def");
    client.command(23, &execute(1, &[0, 1, 252, 0]));
    assert_eq!(client.receive(), [1]);
    client.receive();
    assert!(client.receive().ends_with(b"Text(\"abcdef\")"));
    client.receive();
    client.command(24, b"\x01\0\0\0\0\0abc");
    client.command(26, b"\x01\0\0\0");
    assert_eq!(client.receive()[0], 0);
    assert_eq!(client.error_of(23, &execute(1, &[0, 1, 252, 0])).0, 1835);
    assert_eq!(client.error_of(28, b"\x01\0\0\0\x01\0\0\0").0, 1421);
    // Closing has no answer; afterwards it is unknown.
    client.command(25, b"\x01\0\0\0");
    assert_eq!(client.error_of(26, b"\x01\0\0\0").0, 1243);
}

#[test]
fn small_commands() {
    let server = FakeServer::start(|_| {});
    for capabilities in [PLAIN, PLAIN | DEPRECATE_EOF] {
        let mut client = RawClient::login(server.port, capabilities);
        client.command(14, b"");
        assert_eq!(client.receive(), [0, 0, 0, 2, 0, 0, 0]);
        client.command(9, b"");
        assert_eq!(client.receive(), b"Uptime: 1  Threads: 2");
        client.command(2, b"shop");
        assert_eq!(client.receive()[0], 0);
        assert_eq!(client.error_of(2, b"nowhere").0, 1049);
        client.command(4, b"t\0%");
        for _ in 0..7 {
            assert_eq!(client.receive().last(), Some(&0xFB));
        }
        let end = client.receive();
        assert_eq!((end[0], end.len()), (0xFE, if capabilities == PLAIN { 5 } else { 7 }));
        assert_eq!(client.error_of(4, b"nix\0").0, 1146);
        client.command(27, &[0, 0]);
        assert_eq!(client.receive()[0], 0xFE);
        client.command(31, b"");
        assert_eq!(client.receive()[0], 0);
        for code in [0, 5, 6, 7, 8, 10, 11, 13, 15, 16, 18, 29, 30, 32, 200, 255] {
            assert_eq!(client.error_of(code, b"").0, 1047, "command {code}");
        }
        // An empty payload is no command.
        client.sequence = 0;
        client.send(b"");
        assert_eq!(client.receive()[0], 0xFF);
        client.command(1, b"");
        assert_eq!(client.try_receive(), None);
    }
}

#[test]
fn reset_connection_and_change_user() {
    let server = FakeServer::start(|_| {});
    with_options(
        &server,
        |options| options.db_name(Some("shop")),
        async |conn| {
            let db: Option<String> = conn.query_first("DB").await.expect("a row");
            assert_eq!(db.as_deref(), Some("shop"));
            assert!(conn.reset().await.expect("reset"));
            let db: Option<String> = conn.query_first("DB").await.expect("a row");
            assert_eq!(db.as_deref(), Some("none"));
            conn.change_user(mysql_async::ChangeUserOpts::default().with_db_name(Some("else".to_owned()))).await.expect("changed");
            let db: Option<String> = conn.query_first("DB").await.expect("a row");
            assert_eq!(db.as_deref(), Some("else"));
        },
    );
    // A client whose own plugin is the newer one is asked for it again.
    let mut client = RawClient::login(server.port, PLAIN);
    client.command(17, b"me\0\x01xshop\0\x2d\0caching_sha2_password\0");
    let switch = client.receive();
    assert!(switch.starts_with(b"\xFEcaching_sha2_password\0"));
    client.send(&[7; 32]);
    assert_eq!(client.receive(), [1, 3]);
    assert_eq!(client.receive()[0], 0);
    assert_eq!(client.error_of(17, b"no end").0, 1835);
}

#[test]
fn logins_of_all_kinds() {
    let server = FakeServer::start(|_| {});
    for (plugin, password, switched) in [
        (&b"mysql_native_password"[..], &[1u8; 20][..], None),
        (b"caching_sha2_password", &[1; 32], Some(&b"caching_sha2_password"[..])),
        (b"caching_sha2_password", b"", Some(b"caching_sha2_password")),
        (b"dialog", b"x", Some(b"mysql_native_password")),
    ] {
        let mut client = RawClient::connect(server.port);
        client.receive();
        client.send_login(PLAIN | WITH_DB, password, b"shop", plugin);
        if let Some(name) = switched {
            let switch = client.receive();
            assert_eq!(switch[..=name.len()], [b"\xFE", name].concat());
            client.send(password);
            if name.starts_with(b"caching") && !password.is_empty() {
                assert_eq!(client.receive(), [1, 3]);
            }
        }
        assert_eq!(client.receive()[0], 0);
        client.command(3, b"DB");
        assert_eq!(client.receive(), [1]);
        client.receive();
        client.receive();
        assert_eq!(client.receive(), b"\x04shop");
    }
    // An unknown database, TLS that was not offered, an old client, noise.
    let mut client = RawClient::connect(server.port);
    client.receive();
    client.send_login(PLAIN | WITH_DB, b"", b"nowhere", b"mysql_native_password");
    assert_eq!(client.receive()[1..3], 1049u16.to_le_bytes());
    assert_eq!(client.try_receive(), None);
    for (capabilities, code) in [(PLAIN | 0x800, 2026u16), (1, 1251)] {
        let mut client = RawClient::connect(server.port);
        client.receive();
        client.send_login(capabilities, b"", b"", b"");
        assert_eq!(client.receive()[1..3], code.to_le_bytes());
        assert_eq!(client.try_receive(), None);
    }
    let mut client = RawClient::connect(server.port);
    client.receive();
    client.stream.write_all(b"GET / HTTP/1.1\r\n\r\n").expect("written");
    while client.stream.read(&mut [0; 64]).is_ok_and(|n| n > 0) {}
    eventually("all sessions end", || server.backend.open.load(Ordering::SeqCst) == 0);
}

#[test]
fn the_limit_on_connections() {
    let server = FakeServer::start(|settings| settings.max_connections = 2);
    let (first, second) = (RawClient::login(server.port, PLAIN), RawClient::login(server.port, PLAIN));
    let mut third = RawClient::connect(server.port);
    assert_eq!(third.receive(), b"\xFF\x10\x04Too many connections");
    assert_eq!(third.try_receive(), None);
    drop(first);
    eventually("the place is free", || server.service.connections() == 1);
    let fourth = RawClient::login(server.port, PLAIN);
    drop((second, fourth));
    eventually("all places are free", || server.service.connections() == 0);
}

#[test]
fn a_client_that_leaves_stops_its_statement() {
    let server = FakeServer::start(|_| {});
    let mut polite = RawClient::login(server.port, PLAIN);
    polite.command(3, b"WAIT");
    let mut rude = RawClient::login(server.port, PLAIN);
    rude.command(3, b"WAIT");
    eventually("both run", || server.service.connections() == 2);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(server.backend.stopped.load(Ordering::SeqCst), 0, "a client that waits is not gone");
    let begin = Instant::now();
    drop(rude);
    eventually("the statement is stopped", || server.backend.stopped.load(Ordering::SeqCst) == 1);
    // This one says goodbye while it waits, and does not close.
    polite.command(1, b"");
    eventually("the other one too", || server.backend.stopped.load(Ordering::SeqCst) == 2);
    assert!(begin.elapsed() < Duration::from_secs(2));
    eventually("the sessions end", || server.backend.open.load(Ordering::SeqCst) == 0);
}

#[test]
fn a_client_that_does_not_read_is_cut_off() {
    let server = FakeServer::start(|settings| settings.network_timeout = 1);
    let mut client = RawClient::login(server.port, PLAIN);
    client.command(3, b"FOREVER");
    eventually("the session ends", || server.backend.open.load(Ordering::SeqCst) == 0);
    assert_eq!(server.backend.gone.load(Ordering::SeqCst), 1);
    drop(client);
}

#[test]
fn silence_ends_a_connection() {
    let server = FakeServer::start(|settings| (settings.network_timeout, settings.sphinxql_timeout) = (1, 3));
    // Half a packet, or no login, is worth network_timeout; a connection at rest is worth sphinxql_timeout.
    let (_mute, mut half, mut idle) =
        (RawClient::connect(server.port), RawClient::login(server.port, PLAIN), RawClient::login(server.port, PLAIN));
    let begin = Instant::now();
    half.stream.write_all(&[100, 0, 0, 0, 3, b'D']).expect("written");
    assert_eq!(half.try_receive(), None);
    assert!(begin.elapsed() < Duration::from_millis(2500), "{:?}", begin.elapsed());
    assert_eq!(idle.try_receive(), None);
    assert!(begin.elapsed() > Duration::from_millis(2500), "{:?}", begin.elapsed());
    eventually("all sessions end", || server.backend.open.load(Ordering::SeqCst) == 0);
}

#[test]
fn packets_out_of_order_end_a_connection() {
    let server = FakeServer::start(|_| {});
    let mut client = RawClient::login(server.port, PLAIN);
    client.stream.write_all(&[1, 0, 0, 9, 14]).expect("written");
    client.sequence = 1;
    assert_eq!(client.receive()[1..3], 1156u16.to_le_bytes());
    assert_eq!(client.try_receive(), None);
}

#[test]
fn a_stop_lets_statements_end_and_then_ends_them() {
    let server = FakeServer::start(|_| {});
    let mut idle = RawClient::login(server.port, PLAIN);
    let mut running = RawClient::login(server.port, PLAIN);
    running.command(3, b"WAIT");
    std::thread::sleep(Duration::from_millis(200));
    let service = server.service.clone();
    let begin = Instant::now();
    let stop = std::thread::spawn(move || service.stop(Duration::from_secs(1)));
    assert_eq!(idle.try_receive(), None);
    assert!(begin.elapsed() < Duration::from_millis(800), "idle clients are sent away first");
    assert_eq!(running.receive()[1..3], 1317u16.to_le_bytes());
    assert!(begin.elapsed() > Duration::from_millis(800), "a statement had its time");
    assert_eq!(running.try_receive(), None);
    assert_eq!(stop.join().expect("stopped"), 0);
    assert_eq!(server.backend.open.load(Ordering::SeqCst), 0);
}

#[test]
fn only_queries_are_logged() {
    let server = FakeServer::start(|_| {});
    with_client(&server, async |conn| {
        conn.query_drop(" select 1").await.expect_err("not of the language");
        conn.query_drop("SET 1").await.expect("ok");
    });
    let log = server.log.0.lock().clone();
    assert_eq!(log.len(), 1);
    assert!(log[0].starts_with(" select 1 rows=0 error=P01"), "{}", log[0]);
}

/// Runs a program with `input`; None, said aloud, if it is not installed.
fn run_program(program: &str, arguments: &[String], input: &str) -> Option<String> {
    let child = Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let Ok(mut child) = child else {
        eprintln!("SKIPPED: '{program}' is not installed");
        return None;
    };
    child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("ended");
    Some(String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr))
}

#[test]
fn the_command_line_client() {
    let server = FakeServer::start(|_| {});
    let port = format!("-P{}", server.port);
    let run = |more: &[&str], input: &str| {
        let mut arguments: Vec<String> =
            ["--no-defaults", "-h127.0.0.1", &port, "-uroot", "--default-character-set=utf8mb4"].map(str::to_owned).to_vec();
        arguments.extend(more.iter().map(|s| s.to_string()));
        run_program("mariadb", &arguments, input)
    };
    let Some(out) = run(&["-t", "shop"], "ROWS 2;\nDB;\nSET 3;\n") else { return };
    assert!(out.contains("|   -1 |    1 | 18446744073709551614 | 0.500000 | 0.250000 | größe 1"), "{out}");
    assert!(out.contains("shop"), "{out}");
    let out = run(&["-f"], "\\s\nFAIL;\nDB;\n").expect("installed");
    assert!(out.contains("8.0.30-fake") && out.contains("Threads: 2"), "{out}");
    assert!(out.contains("ERROR 1064 (42000)"), "{out}");
    let out = run(&["-B", "-N", "--max-allowed-packet=1G"], &format!("BIG {};\n", 20 << 20)).expect("installed");
    assert_eq!(out.trim_end().len(), 20 << 20);
    let out = run(&["-B", "-N", "--max-allowed-packet=1G", "-e", "ROWS 1;SET 1;ROWS 1"], "").expect("installed");
    assert_eq!(out.lines().count(), 2, "{out}");
    let out = run(&["-psecret", "-e", "DB"], "").expect("installed");
    assert!(out.contains("none"), "{out}");
}

#[test]
fn a_python_client() {
    let script = r#"
import sys
try:
    import pymysql
except ImportError:
    print("no pymysql"); sys.exit()
from pymysql.constants import CLIENT
c = pymysql.connect(host="127.0.0.1", port=int(sys.argv[1]), user="u", password="p", database="shop", max_allowed_packet=1<<30,
                    client_flag=CLIENT.MULTI_STATEMENTS, autocommit=None)
k = c.cursor()
k.execute("DB"); print(k.fetchall())
k.execute("ROWS 2"); print(k.fetchall()[1])
k.execute("SET 5"); print(k.rowcount, k.lastrowid)
k.execute("LEN " + "a" * (20 << 20)); print(k.fetchall())
k.execute("BIG %d" % (20 << 20)); print(len(k.fetchall()[0][0]))
k.execute("ROWS 1; DB; SET 2")
k.nextset(); print(k.fetchall()); k.nextset(); print(k.rowcount)
try: k.execute("FAIL")
except pymysql.err.MySQLError as e: print(e.args[0])
c.ping(); c.select_db("else"); k.execute("DB"); print(k.fetchall())
c.close()
"#;
    let server = FakeServer::start(|_| {});
    let arguments = ["-c".to_owned(), script.to_owned(), server.port.to_string()];
    let Some(out) = run_program("python3", &arguments, "") else { return };
    if out.starts_with("no pymysql") {
        eprintln!("SKIPPED: PyMySQL is not installed");
        return;
    }
    let expected = [
        "(('shop',),)",
        "(-1, 1, 18446744073709551614, 0.5, 0.25, 'größe 1', None)",
        "5 300",
        "((20971524,),)",
        "20971520",
        "(('none',),)",
        "2",
        "1064",
        "(('else',),)",
    ];
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[..5], expected[..5], "{out}");
    assert_eq!(lines[6..], expected[6..], "{out}");
}
