//! Readers beside writers, flushes and merges: each statement is seen whole or not at all.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::client::Answer;
use crate::server::Place;

const ROWS: u64 = 300;

/// A writer replaces all rows in one statement, or updates them all, while others read, flush and merge: readers see one version.
#[test]
fn readers_see_whole_statements() {
    let place = Place::in_memory(&[
        "auto_optimize = 1",
        "optimize_cutoff = 2",
        "rt_mem_limit = 128K",
        "diskchunk_flush_write_timeout = -1",
        "threads = 2",
    ]);
    let server = place.start();
    let replace = |version: u64| {
        let rows: Vec<String> =
            (1..=ROWS).map(|id| format!("({id},'all v{version} filler words to make a row',{version},{version})")).collect();
        format!("REPLACE INTO t(id,title,n,u) VALUES {}", rows.join(","))
    };
    let mut client = server.client();
    client.done("CREATE TABLE t(title text, n int, u int)");
    client.done(&replace(0));
    let over = AtomicBool::new(false);
    let is_over = || over.load(Ordering::Relaxed);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut client = server.client();
            for version in 1.. {
                if is_over() {
                    break;
                }
                assert_eq!(client.done(&replace(version)), ROWS);
                assert_eq!(client.done(&format!("UPDATE t SET u={} WHERE MATCH('all')", version + 1_000_000)), ROWS);
            }
        });
        scope.spawn(|| {
            let mut client = server.client();
            while !is_over() {
                client.done("FLUSH RAMCHUNK t");
                client.done("OPTIMIZE TABLE t OPTION sync=1, cutoff=1");
            }
        });
        let readers = (0..2).map(|_| {
            scope.spawn(|| {
                let (mut client, mut newest, mut reads) = (server.client(), 0, 0);
                while !is_over() {
                    for filter in ["", " WHERE MATCH('all')", " WHERE id BETWEEN 1 AND 1000"] {
                        let Ok(Answer::Rows(rows)) = client.one(&format!("SELECT COUNT(*), MIN(n), MAX(n), MIN(u), MAX(u) FROM t{filter}"))
                        else {
                            panic!("no rows are answered")
                        };
                        let number = |i: usize| rows[0][i].as_deref().and_then(|n| n.parse::<u64>().ok());
                        assert_eq!(
                            (number(0), number(1), number(3)),
                            (Some(ROWS), number(2), number(4)),
                            "half a statement is seen{filter}: {rows:?}"
                        );
                        let version = number(1).expect("a number");
                        assert!(version >= newest, "version {version} is read after {newest}");
                        newest = version;
                        reads += 1;
                    }
                }
                (newest, reads)
            })
        });
        let readers: Vec<_> = readers.collect();
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(4) && readers.iter().all(|r| !r.is_finished()) {
            std::thread::sleep(Duration::from_millis(10));
        }
        over.store(true, Ordering::Relaxed);
        for reader in readers {
            let (versions, reads) = reader.join().expect("a reader that saw whole statements");
            println!("{reads} reads saw versions up to {versions}");
            assert!(versions > 5 && reads > 20, "{versions} versions, {reads} reads");
        }
    });
    server.stop();
}
