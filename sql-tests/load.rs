//! Writers with an oracle, and an operator who flushes and merges meanwhile.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use crate::client::{Answer, Client, Row};
use crate::random::Random;

pub const COLUMNS: &str = "(title text, n int, s string, big bigint, m multi, j json)";
pub const NAMES: &str = "(id,title,n,s,big,m,j)";

/// Ids of a writer.
const RANGE: u64 = 200;
/// Replaced words of which the last so many are looked for.
const OLD_WORDS: usize = 40;

/// A row as the oracle knows it: all columns follow from these two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Content {
    /// Changed by REPLACE: part of the word that only this version of the row has.
    version: u64,
    /// Changed by UPDATE.
    n: u64,
}

type Rows = BTreeMap<u64, Content>;

fn word(id: u64, version: u64) -> String {
    format!("w{id}x{version}")
}

fn title(id: u64, version: u64) -> String {
    let mut random = Random::new(id * 1_000_003 + version);
    let mut text = format!("common {}", word(id, version));
    for _ in 0..20 {
        // Some words in many rows, many words in few.
        let high = random.between(1, 500);
        text.push_str(&format!(" f{}", random.between(1, high)));
    }
    text
}

/// The values of a row in the order of [`NAMES`].
pub fn values(id: u64, version: u64, n: u64) -> String {
    format!("({id},'{}',{n},'s{n}',{},({},{n}),'{{\"n\":{n},\"id\":{id}}}')", title(id, version), n * 5_000_000_000, n + 1)
}

/// The row as the server shows it to [`Writer::verify`].
fn shown(id: u64, content: Content) -> Row {
    let Content { version, n } = content;
    let cells = [
        id.to_string(),
        title(id, version),
        n.to_string(),
        format!("s{n}"),
        (n * 5_000_000_000).to_string(),
        format!("{n},{}", n + 1),
        n.to_string(),
        id.to_string(),
    ];
    cells.into_iter().map(Some).collect()
}

/// Whether an error says that the server ends.
pub fn says_stop(code: u16, text: &str) -> bool {
    [1053, 1317].contains(&code) || text.contains("shutting down")
}

/// A statement and what it makes of the writer's rows.
struct Step {
    sql: String,
    after: Rows,
    /// Rows that change; None = the statement must be refused as a duplicate.
    affected: Option<u64>,
}

/// One client with a range of ids that nobody else touches.
pub struct Writer {
    table: &'static str,
    first: u64,
    transactions: bool,
    rows: Rows,
    /// A statement that was sent and not answered: the rows as they are if it held.
    pending: Option<(String, Rows)>,
    old_words: VecDeque<String>,
    version: u64,
    acknowledged: u64,
}

impl Writer {
    /// With `transactions`, it writes several statements at a time between BEGIN and COMMIT.
    pub fn new(table: &'static str, first: u64, transactions: bool) -> Writer {
        let (rows, old_words) = (Rows::new(), VecDeque::new());
        Writer { table, first, transactions, rows, pending: None, old_words, version: 0, acknowledged: 0 }
    }

    pub fn table(&self) -> &'static str {
        self.table
    }

    pub fn alive(&self) -> usize {
        self.rows.len()
    }

    pub fn acknowledged(&self) -> u64 {
        self.acknowledged
    }

    /// Writes until the connection is gone or the server says that it stops.
    pub fn work(&mut self, mut client: Client, mut random: Random) {
        loop {
            let goes_on = match self.transactions {
                true => self.transaction(&mut client, &mut random),
                false => self.statement(&mut client, &mut random),
            };
            if !goes_on {
                return;
            }
        }
    }

    fn statement(&mut self, client: &mut Client, random: &mut Random) -> bool {
        let step = self.step(random, &self.rows.clone(), &BTreeSet::new());
        self.pending = Some((step.sql.clone(), step.after.clone()));
        match client.one(&step.sql) {
            Ok(Answer::Done(affected)) => {
                assert_eq!(Some(affected), step.affected, "rows affected by {}", step.sql);
                self.now(step.after);
                true
            }
            Ok(Answer::Error(1064, text)) if step.affected.is_none() && text.contains("duplicate id") => {
                self.pending = None;
                true
            }
            Ok(Answer::Error(code, text)) if says_stop(code, &text) => false,
            Err(_) => false,
            other => panic!("{other:?} answers {}", step.sql),
        }
    }

    /// Several statements that hold together or not at all. A DELETE goes by what was there before, so no id is written twice.
    fn transaction(&mut self, client: &mut Client, random: &mut Random) -> bool {
        let (mut after, mut touched, mut duplicate) = (self.rows.clone(), BTreeSet::new(), false);
        self.pending = None;
        if !matches!(client.one("BEGIN"), Ok(Answer::Done(_))) {
            return false;
        }
        for _ in 0..random.between(1, 6) {
            let step = self.step(random, &after, &touched);
            if step.sql.starts_with("UPDATE") || step.sql.contains("MATCH") {
                continue;
            }
            touched.extend(changed(&after, &step.after));
            duplicate |= step.affected.is_none();
            after = step.after;
            match client.one(&step.sql) {
                Ok(Answer::Done(_)) => {}
                Ok(Answer::Error(code, text)) if says_stop(code, &text) => return false,
                Err(_) => return false,
                other => panic!("{other:?} answers {}", step.sql),
            }
        }
        if random.percent(10) {
            return matches!(client.one("ROLLBACK"), Ok(Answer::Done(_)));
        }
        self.pending = Some(("COMMIT".to_owned(), if duplicate { self.rows.clone() } else { after.clone() }));
        match client.one("COMMIT") {
            Ok(Answer::Done(_)) if !duplicate => {
                self.now(after);
                true
            }
            Ok(Answer::Error(1064, text)) if duplicate && text.contains("duplicate id") => true,
            Ok(Answer::Error(code, text)) if says_stop(code, &text) => false,
            Err(_) => false,
            other => panic!("{other:?} answers COMMIT, with a duplicate: {duplicate}"),
        }
    }

    fn now(&mut self, rows: Rows) {
        for (id, old) in &self.rows {
            if rows.get(id).is_none_or(|new| new.version != old.version) {
                self.old_words.push_back(word(*id, old.version));
            }
        }
        while self.old_words.len() > OLD_WORDS {
            self.old_words.pop_front();
        }
        self.rows = rows;
        self.pending = None;
        self.acknowledged += 1;
    }

    /// A random statement over `rows`; leaves `spared` ids alone.
    fn step(&mut self, random: &mut Random, rows: &Rows, spared: &BTreeSet<u64>) -> Step {
        self.version += 1;
        let version = self.version;
        let alive: Vec<u64> = rows.keys().copied().filter(|id| !spared.contains(id)).collect();
        let free: Vec<u64> = self.ids().filter(|id| !rows.contains_key(id) && !spared.contains(id)).collect();
        match random.between(1, 100) {
            1..=40 if !free.is_empty() => self.insert(random, rows, &alive, &free, version),
            1..=70 => {
                let ids: BTreeSet<u64> = (0..random.between(1, 20)).map(|_| random.between(self.first, self.first + RANGE - 1)).collect();
                let ids: Vec<u64> = ids.into_iter().filter(|id| !spared.contains(id)).collect();
                if ids.is_empty() { self.delete(random, rows, &alive) } else { self.put("REPLACE", random, rows, &ids, version) }
            }
            71..=82 => self.delete(random, rows, &alive),
            _ => self.update(random, rows, &alive),
        }
    }

    fn ids(&self) -> std::ops::Range<u64> {
        self.first..self.first + RANGE
    }

    fn insert(&self, random: &mut Random, rows: &Rows, alive: &[u64], free: &[u64], version: u64) -> Step {
        let mut ids: BTreeSet<u64> = (0..random.between(1, 40)).map(|_| free[random.next() as usize % free.len()]).collect();
        if random.percent(10) && !alive.is_empty() {
            // Somewhere in the middle, where nothing of the others may stay.
            ids.insert(alive[random.next() as usize % alive.len()]);
            let ids: Vec<u64> = ids.into_iter().collect();
            return Step { after: rows.clone(), affected: None, ..self.put("INSERT", random, rows, &ids, version) };
        }
        let ids: Vec<u64> = ids.into_iter().collect();
        self.put("INSERT", random, rows, &ids, version)
    }

    fn put(&self, verb: &str, random: &mut Random, rows: &Rows, ids: &[u64], version: u64) -> Step {
        let mut after = rows.clone();
        let mut texts = Vec::new();
        for id in ids {
            let n = random.between(1, 1_000);
            texts.push(values(*id, version, n));
            after.insert(*id, Content { version, n });
        }
        let sql = format!("{verb} INTO {} {NAMES} VALUES {}", self.table, texts.join(","));
        Step { sql, after, affected: Some(ids.len() as u64) }
    }

    fn delete(&self, random: &mut Random, rows: &Rows, alive: &[u64]) -> Step {
        let (filter, ids) = self.some(random, rows, alive);
        let mut after = rows.clone();
        after.retain(|id, _| !ids.contains(id));
        Step { sql: format!("DELETE FROM {} WHERE {filter}", self.table), after, affected: Some(ids.len() as u64) }
    }

    fn update(&self, random: &mut Random, rows: &Rows, alive: &[u64]) -> Step {
        let (filter, ids) = self.some(random, rows, alive);
        let n = random.between(1, 1_000);
        let mut after = rows.clone();
        for id in &ids {
            after.entry(*id).and_modify(|content| content.n = n);
        }
        let sql =
            format!("UPDATE {} SET n={n}, s='s{n}', big={}, m=({n},{}), j.n={n} WHERE {filter}", self.table, n * 5_000_000_000, n + 1);
        Step { sql, after, affected: Some(ids.len() as u64) }
    }

    /// A condition, and the ids that fit it.
    fn some(&self, random: &mut Random, rows: &Rows, alive: &[u64]) -> (String, Vec<u64>) {
        let Some(&id) = alive.get(random.next() as usize % alive.len().max(1)) else {
            return (format!("id={}", self.first + RANGE * 50), Vec::new());
        };
        let near = |far: u64| alive.iter().copied().filter(move |other| *other >= id && *other < id + far).collect::<Vec<u64>>();
        let contiguous = |ids: &[u64]| {
            let all = rows.range(id..=*ids.last().unwrap_or(&id)).count();
            all == ids.len()
        };
        match random.between(0, 5) {
            0 => (format!("id={id}"), vec![id]),
            1 => {
                let ids = near(30);
                let list: Vec<String> = ids.iter().map(u64::to_string).collect();
                (format!("id IN ({})", list.join(",")), ids)
            }
            2 if contiguous(&near(10)) => {
                let ids = near(10);
                (format!("id BETWEEN {id} AND {}", ids.last().unwrap_or(&id)), ids)
            }
            3 => (format!("MATCH('{}')", word(id, rows[&id].version)), vec![id]),
            4 => (format!("s='s{}' AND id IN ({id},{})", rows[&id].n, id + RANGE * 50), vec![id]),
            _ => (format!("j.id={id}"), vec![id]),
        }
    }

    /// Compares what the server has with the oracle. A statement that was under way counts as done or as never sent, whichever is there.
    pub fn verify(&mut self, client: &mut Client, random: &mut Random) -> Result<(), String> {
        let (table, range) = (self.table, format!("id BETWEEN {} AND {}", self.first, self.first + RANGE - 1));
        let all = "ORDER BY id ASC LIMIT 100000 OPTION max_matches=100000";
        let found = client.rows(&format!("SELECT id,title,n,s,big,m,j.n,j.id FROM {table} WHERE {range} {all}"));
        let shows = |rows: &Rows| rows.iter().map(|(id, content)| shown(*id, *content)).collect::<Vec<Row>>();
        let before = shows(&self.rows);
        match self.pending.take() {
            _ if found == before => {}
            Some((_, after)) if found == shows(&after) => {
                self.now(after);
                self.acknowledged -= 1;
            }
            pending => return Err(self.difference(&found, &before, pending)),
        }
        let expected: Vec<Row> = self.rows.keys().map(|id| vec![Some(id.to_string())]).collect();
        let matched = client.rows(&format!("SELECT id FROM {table} WHERE MATCH('common') AND {range} {all}"));
        if matched != expected {
            return Err(format!("table '{table}': MATCH('common') gives {} ids, {} are alive: {matched:?}", matched.len(), expected.len()));
        }
        for _ in 0..self.rows.len().min(25) {
            let at = random.next() as usize % self.rows.len();
            let (id, content) = self.rows.iter().nth(at).expect("one of them");
            self.found_by(client, &word(*id, content.version), &[vec![Some(id.to_string())]])?;
        }
        for old in &self.old_words {
            self.found_by(client, old, &[])?;
        }
        Ok(())
    }

    fn found_by(&self, client: &mut Client, word: &str, expected: &[Row]) -> Result<(), String> {
        let found = client.rows(&format!("SELECT id FROM {} WHERE MATCH('{word}')", self.table));
        if found == expected { Ok(()) } else { Err(format!("table '{}': MATCH('{word}') gives {found:?}, not {expected:?}", self.table)) }
    }

    fn difference(&self, found: &[Row], before: &[Row], pending: Option<(String, Rows)>) -> String {
        let mut text = format!("table '{}': {} rows found, {} acknowledged", self.table, found.len(), before.len());
        let shown = |row: &Row| format!("{:.120}", row.iter().map(|c| c.as_deref().unwrap_or("NULL")).collect::<Vec<_>>().join(" | "));
        let (missing, extra) = (before.iter().filter(|r| !found.contains(r)), found.iter().filter(|r| !before.contains(r)));
        missing.take(10).for_each(|row| text.push_str(&format!("\n  acknowledged, not there: {}", shown(row))));
        extra.take(10).for_each(|row| text.push_str(&format!("\n  there, not acknowledged: {}", shown(row))));
        match pending {
            Some((sql, _)) => text.push_str(&format!("\n  under way was: {sql:.300}")),
            None => text.push_str("\n  no statement was under way"),
        }
        text
    }
}

/// Ids whose content differs.
fn changed(before: &Rows, after: &Rows) -> BTreeSet<u64> {
    before.keys().chain(after.keys()).copied().filter(|id| before.get(id) != after.get(id)).collect()
}

/// Flushes and merges a table while others write.
pub struct Operator {
    table: &'static str,
    pub flushes: u64,
    pub merges: u64,
    statements: u64,
    chunks_max: u64,
}

impl Operator {
    pub fn new(table: &'static str) -> Operator {
        Operator { table, flushes: 0, merges: 0, statements: 0, chunks_max: 0 }
    }

    pub fn summary(&self) -> String {
        let Operator { table, flushes, merges, statements, chunks_max } = self;
        format!(
            "'{table}': {statements} statements of the operator, at least {flushes} flushes and {merges} merges, at most {chunks_max} chunks"
        )
    }

    /// Works until the connection is gone or the server says that it stops.
    pub fn work(&mut self, mut client: Client, mut random: Random) {
        let (table, mut seen) = (self.table, BTreeMap::new());
        loop {
            let sql = match random.between(0, 11) {
                0..=2 => format!("FLUSH RAMCHUNK {table}"),
                3 => format!("FLUSH TABLE {table}"),
                4 => format!("OPTIMIZE TABLE {table} OPTION sync=1, cutoff={}", random.between(1, 3)),
                5 => format!("OPTIMIZE TABLE {table} OPTION cutoff={}", random.between(1, 2)),
                6 => format!("ALTER TABLE {table} optimize_cutoff='{}'", random.between(1, 6)),
                7 => format!("CHECK TABLE {table}"),
                8 => format!("FREEZE {table}"),
                9 => format!("UNFREEZE {table}"),
                _ => format!("SHOW TABLE {table} STATUS"),
            };
            let answer = match client.run(&if sql.starts_with("FREEZE") { format!("{sql}; UNFREEZE {table}") } else { sql.clone() }) {
                Ok(mut answers) => answers.remove(0),
                Err(_) => break,
            };
            self.statements += 1;
            match answer {
                Answer::Error(code, text) if says_stop(code, &text) => break,
                Answer::Error(code, text) => panic!("error {code} answers {sql}: {text}"),
                Answer::Rows(rows) if sql.starts_with("CHECK") => {
                    assert!(rows.len() == 1 && rows[0][3].as_deref() == Some("OK"), "{sql}: {rows:?}");
                }
                Answer::Rows(rows) => {
                    for row in rows {
                        if let [Some(name), Some(value)] = row.as_slice() {
                            seen.insert(name.clone(), value.parse().unwrap_or(0u64));
                        }
                    }
                }
                Answer::Done(_) => {}
            }
            std::thread::sleep(Duration::from_millis(random.between(0, 5)));
        }
        let seen = |name: &str| seen.get(name).copied().unwrap_or(0);
        self.flushes += seen("flushes");
        self.merges += seen("merges");
        self.chunks_max = self.chunks_max.max(seen("disk_chunks"));
    }
}
