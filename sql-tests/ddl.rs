//! Tables that come, are emptied and go while the server is killed.

use std::collections::BTreeMap;

use crate::client::{Answer, Client};
use crate::load::says_stop;
use crate::random::Random;

/// Names that are in use or not.
const NAMES: [&str; 4] = ["d0", "d1", "d2", "d3"];

/// Table → number of its rows, whose ids are 1 to that number.
type Tables = BTreeMap<&'static str, u64>;

/// A client that creates, fills, empties and drops.
#[derive(Default)]
pub struct Maker {
    tables: Tables,
    /// A statement that was sent and not answered: the tables as they are if it held.
    pending: Option<(String, Tables)>,
    pub acknowledged: u64,
}

impl Maker {
    /// Works until the connection is gone or the server says that it stops.
    pub fn work(&mut self, mut client: Client, mut random: Random) {
        loop {
            let name = NAMES[random.between(0, NAMES.len() as u64 - 1) as usize];
            let mut after = self.tables.clone();
            let sql = match (self.tables.get(name).copied(), random.between(0, 9)) {
                (None, _) => {
                    after.insert(name, 0);
                    format!("CREATE TABLE {name}(f text, n int)")
                }
                (Some(_), 0) => {
                    after.remove(name);
                    format!("DROP TABLE {name}")
                }
                (Some(_), 1) => {
                    after.insert(name, 0);
                    format!("TRUNCATE TABLE {name}")
                }
                (Some(_), 2 | 3) => format!("FLUSH RAMCHUNK {name}"),
                (Some(_), 4) => format!("OPTIMIZE TABLE {name} OPTION cutoff=1"),
                (Some(rows), _) => {
                    let more = random.between(1, 50);
                    after.insert(name, rows + more);
                    let values: Vec<String> = (rows + 1..=rows + more).map(|id| format!("({id},'every w{id}',{id})")).collect();
                    format!("INSERT INTO {name}(id,f,n) VALUES {}", values.join(","))
                }
            };
            self.pending = Some((sql, after));
            let Some((sql, after)) = &self.pending else { return };
            match client.one(sql) {
                Ok(Answer::Done(_)) => self.tables = after.clone(),
                Ok(Answer::Error(code, text)) if says_stop(code, &text) => return,
                Err(_) => return,
                other => panic!("{other:?} answers {sql:.200}"),
            }
            self.pending = None;
            self.acknowledged += 1;
        }
    }

    /// Compares names and rows with what was acknowledged; a statement that was under way held or did not.
    pub fn verify(&mut self, client: &mut Client) -> Result<(), String> {
        let mut found = Tables::new();
        for row in client.rows("SHOW TABLES LIKE 'd%'") {
            let shown = row[0].clone().unwrap_or_default();
            let name = NAMES.into_iter().find(|n| *n == shown).ok_or_else(|| format!("a table '{shown}' that nobody made"))?;
            let counted = client.rows(&format!("SELECT COUNT(*), MIN(id), MAX(id) FROM {name}"));
            let rows = counted[0][0].as_deref().and_then(|n| n.parse().ok()).unwrap_or(u64::MAX);
            if rows > 0 && (counted[0][1].as_deref() != Some("1") || counted[0][2] != counted[0][0]) {
                return Err(format!("table '{name}' has rows, least and greatest id {:?}", counted[0]));
            }
            let matched = client.rows(&format!("SELECT COUNT(*) FROM {name} WHERE MATCH('every')"));
            if matched[0][0] != counted[0][0] {
                return Err(format!("table '{name}' has {rows} rows and finds {:?} by their word", matched[0][0]));
            }
            found.insert(name, rows);
        }
        match self.pending.take() {
            _ if found == self.tables => Ok(()),
            Some((_, after)) if found == after => {
                self.tables = after;
                Ok(())
            }
            pending => Err(format!("tables and rows are {found:?}, acknowledged {:?}, under way {pending:.300?}", self.tables)),
        }
    }
}
