//! Files that were cut or of which a bit was turned: what the start and CHECK TABLE say, and that other tables do not suffer.

use std::fs;
use std::path::{Path, PathBuf};

use crate::client::{Answer, Client};
use crate::load;
use crate::random::Random;
use crate::server::{Place, Server};

const QUIET: &[&str] = &["auto_optimize = 0", "diskchunk_flush_write_timeout = -1", "binlog_flush = 2", "threads = 2"];

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// All files below a folder, in order.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for entry in fs::read_dir(dir).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { out.extend(files(&path)) } else { out.push(path) }
    }
    out.sort();
    out
}

fn copy(from: &Path, to: &Path) {
    if to.exists() {
        fs::remove_dir_all(to).expect("removed");
    }
    fs::create_dir(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).expect("copied");
        }
    }
}

/// A binary log whose last record is not whole loses this record, and only this one.
#[test]
fn a_torn_record_is_cut_off() {
    let place = Place::new(QUIET);
    for bytes in [1, 3, 17, 40] {
        let server = place.start();
        let mut client = server.client();
        client.done("DROP TABLE IF EXISTS t");
        client.done(&format!("CREATE TABLE t {}", load::COLUMNS));
        for id in 1..=20 {
            client.done(&format!("INSERT INTO t {} VALUES {}", load::NAMES, load::values(id, 1, id)));
        }
        client.done("DELETE FROM t WHERE id=7");
        client.done(&format!("INSERT INTO t {} VALUES {}", load::NAMES, load::values(21, 1, 1)));
        server.kill();
        let log = files(&place.data().join("t/binlog")).pop().expect("a log");
        let length = fs::metadata(&log).expect("a log").len();
        fs::OpenOptions::new().write(true).open(&log).expect("a log").set_len(length - bytes).expect("cut");
        let server = place.start();
        let mut client = server.client();
        assert_eq!(client.rows("SELECT COUNT(*) FROM t"), [[some("19")]], "{bytes} bytes cut off\n{}", place.log_end());
        assert!(client.rows("SELECT id FROM t WHERE id IN (7,21)").is_empty());
        assert_eq!(client.rows("SELECT id FROM t WHERE MATCH('w20x1')"), [[some("20")]]);
        // It goes on behind the cut, and this too is there after the next kill.
        client.done(&format!("INSERT INTO t {} VALUES {}", load::NAMES, load::values(22, 1, 1)));
        server.kill();
        let server = place.start();
        let mut client = server.client();
        assert_eq!(client.rows("SELECT COUNT(*) FROM t"), [[some("20")]]);
        assert_eq!(client.rows("SELECT id FROM t WHERE MATCH('w22x1')"), [[some("22")]]);
        server.stop();
    }
}

/// A data folder with a table `t` that has a file of every kind, and a table `other`; closed in order, or killed.
fn damaged_place(killed: bool) -> (Place, PathBuf) {
    let place = Place::new(QUIET);
    let server = place.start();
    let mut client = server.client();
    client.done(&format!("CREATE TABLE t {}", load::COLUMNS));
    client.done("CREATE TABLE other(f text)");
    client.done("INSERT INTO other(id,f) VALUES (1,'here')");
    for chunk in 0..2u64 {
        // Not ascending, so that the chunk needs its permutation of ids.
        let values: Vec<String> = (1..=300u64).rev().map(|i| load::values(chunk * 300 + i, 1, i)).collect();
        client.done(&format!("INSERT INTO t {} VALUES {}", load::NAMES, values.join(",")));
        client.done("FLUSH RAMCHUNK t");
    }
    client.done("DELETE FROM t WHERE id IN (5,6,305)");
    client.done("UPDATE t SET n=12345, s='changed' WHERE id IN (7,307)");
    client.done(&format!("INSERT INTO t {} VALUES {}", load::NAMES, load::values(1_001, 1, 5)));
    client.done("FLUSH TABLE t");
    if killed {
        for id in 1_002..1_006 {
            client.done(&format!("INSERT INTO t {} VALUES {}", load::NAMES, load::values(id, 1, 5)));
        }
        server.kill();
    } else {
        server.stop();
    }
    let image = place.path.join("image");
    copy(&place.data(), &image);
    let kinds: Vec<String> = files(&image.join("t")).iter().map(|p| p.strip_prefix(&image).expect("below").display().to_string()).collect();
    for kind in ["manifest", "chunk.", "dead.", "attrs.", "ram.", "binlog/"] {
        assert!(kinds.iter().any(|k| k.contains(kind)), "there is no file of the kind {kind}: {kinds:?}");
    }
    (place, image)
}

/// Where a bit is turned: near both ends and at some places between.
fn places(length: u64, random: &mut Random) -> Vec<u64> {
    let mut at = vec![0, length / 2, length - 1];
    at.extend((0..3).map(|_| random.between(0, length - 1)));
    at.sort_unstable();
    at.dedup();
    at
}

fn flip(path: &Path, at: u64, bit: u64) {
    let mut bytes = fs::read(path).expect("a file");
    bytes[at as usize] ^= 1 << bit;
    fs::write(path, bytes).expect("written");
}

/// What a client is told that looks at the table in every way it can. The server lives through all of it.
fn look_around(server: &mut Server, client: &mut Client) -> Vec<String> {
    let mut said = Vec::new();
    for sql in [
        "SELECT * FROM t ORDER BY id ASC LIMIT 1000 OPTION max_matches=1000",
        "SELECT id, weight() FROM t WHERE MATCH('common f1') LIMIT 1000 OPTION max_matches=1000",
        "SELECT id FROM t WHERE MATCH('\"f1 f2\" | f3*')",
        "SELECT n, COUNT(*), GROUP_CONCAT(s) FROM t WHERE m IN (5,6) OR j.n > 3 GROUP BY n",
        "SELECT id FROM t WHERE id IN (3,150,299,301,450,1001)",
        "SHOW TABLE t STATUS",
        "UPDATE t SET n=1 WHERE id=9",
        "REPLACE INTO t(id,title) VALUES (10,'common')",
        "DELETE FROM t WHERE id=11",
    ] {
        match client.one(sql) {
            Ok(Answer::Error(_, text)) => said.push(text),
            Ok(_) => {}
            Err(error) => panic!("the connection broke at {sql}: {error}"),
        }
    }
    assert!(server.lives(), "the server is gone");
    assert_eq!(client.rows("SELECT id FROM other WHERE MATCH('here')"), [[some("1")]], "another table suffers");
    said
}

fn flipped_bits(killed: bool) {
    let (place, image) = damaged_place(killed);
    let mut random = Random::new(7);
    let (mut flips, mut refused) = (0, 0);
    let mut unfound = Vec::new();
    for file in files(&image.join("t")) {
        let name = file.strip_prefix(&image).expect("below").to_owned();
        let length = fs::metadata(&file).expect("a file").len();
        if length == 0 {
            continue;
        }
        for at in places(length, &mut random) {
            copy(&image, &place.data());
            let bit = random.between(0, 7);
            flip(&place.data().join(&name), at, bit);
            let what = format!("bit {bit} of byte {at} of {} ({length} bytes)", name.display());
            let mut server = place.start();
            let mut client = server.client();
            flips += 1;
            let file_name = name.file_name().expect("a name").to_string_lossy().into_owned();
            match client.one("CHECK TABLE t").expect("an answer") {
                // The table is not in service, and the reason names the file.
                Answer::Error(_, text) => {
                    refused += 1;
                    if !text.contains(&file_name) {
                        unfound.push(format!("{what}: the table is refused, and the file is not named: {text}"));
                    }
                }
                Answer::Rows(rows) => {
                    let faults: Vec<String> = rows.iter().filter_map(|r| r[3].clone()).collect();
                    if killed {
                        unfound.push(format!("{what}: the start after a kill did not see it; CHECK TABLE says {faults:?}"));
                    } else if !faults.iter().any(|f| f.contains(&file_name)) {
                        unfound.push(format!("{what}: CHECK TABLE says {faults:?}"));
                    }
                }
                Answer::Done(_) => unfound.push(format!("{what}: CHECK TABLE answers without rows")),
            }
            look_around(&mut server, &mut client);
            let log = fs::read_to_string(place.log()).expect("a log");
            if log.contains("overflow") || log.contains("index out of bounds") {
                unfound.push(format!("{what}: the log has a panic"));
                fs::write(place.log(), "").expect("emptied");
            }
            server.kill();
        }
    }
    println!("{flips} bits turned, {refused} times the table was refused at start");
    assert!(unfound.is_empty(), "{} of {flips} turned bits were not told of as they must be:\n{}", unfound.len(), unfound.join("\n"));
}

#[test]
fn a_turned_bit_is_found_by_check_table() {
    flipped_bits(false);
}

#[test]
fn a_turned_bit_is_found_by_the_start_after_a_kill() {
    flipped_bits(true);
}
