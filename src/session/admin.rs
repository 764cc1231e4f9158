//! KILL and CALL KEYWORDS.

use super::answer::Answer;
use super::client::Session;
use super::failure::{Done, Failure, error, not_built};
use super::reply::StatementError;
use crate::chunk::{Part, WordStats};
use crate::sql::ast::OptionValue;
use crate::table::Snapshot;
use crate::types::Value;
use crate::with_part;

impl Session {
    pub(super) fn kill(&mut self, id: u64, answer: &mut Answer<'_>) -> Done {
        if !self.engine.registry.kill(id) {
            return Err(StatementError::with_code(1094, b"HY000", format!("unknown thread id: {id}")).into());
        }
        answer.changed(1, 0)
    }

    /// The words that a query's text is made of, in order; with `stats` how often each is in the table.
    pub(super) fn keywords(
        &mut self,
        text: &str,
        name: &str,
        stats: bool,
        options: &[(String, OptionValue)],
        answer: &mut Answer<'_>,
    ) -> Done {
        self.engine.counters.keywords.add(1);
        let by = sort_mode(options)?;
        let snapshot = self.existing(name, || error(format!("no such table {name}")))?.snapshot();
        let mut rows = Vec::new();
        for token in snapshot.analyzer.query(text) {
            let counted = if stats { word_stats(&snapshot, &token.normalized)? } else { WordStats::default() };
            rows.push((token, counted));
        }
        match by {
            SortMode::Position => {}
            SortMode::Docs => rows.sort_by_key(|(_, s)| std::cmp::Reverse(s.docs)),
            SortMode::Hits => rows.sort_by_key(|(_, s)| std::cmp::Reverse(s.hits)),
        }
        let headings: &[&str] =
            if stats { &["qpos", "tokenized", "normalized", "docs", "hits"] } else { &["qpos", "tokenized", "normalized"] };
        answer.table(
            headings,
            rows.into_iter().map(|(token, counted)| {
                let mut row = vec![token.position.to_string(), token.tokenized, token.normalized];
                if stats {
                    row.extend([counted.docs.to_string(), counted.hits.to_string()]);
                }
                row.into_iter().map(Value::Text).collect::<Vec<_>>()
            }),
        )
    }
}

enum SortMode {
    Position,
    Docs,
    Hits,
}

fn sort_mode(options: &[(String, OptionValue)]) -> Result<SortMode, Failure> {
    let mut mode = SortMode::Position;
    for (name, value) in options {
        match (name.as_str(), value) {
            ("sort_mode", OptionValue::Text(by)) if by == "docs" => mode = SortMode::Docs,
            ("sort_mode", OptionValue::Text(by)) if by == "hits" => mode = SortMode::Hits,
            ("sort_mode", _) => return Err(error("option sort_mode takes 'docs' or 'hits'")),
            // These ask for what happens anyway: words are shown as they are written, blended words are not built.
            ("fold_lemmas" | "fold_blended" | "fold_wildcards", OptionValue::Int(0)) => {}
            ("fold_lemmas" | "fold_blended" | "fold_wildcards" | "expansion_limit" | "jieba_mode", _) => {
                return Err(not_built(&format!("option {name} of CALL KEYWORDS")));
            }
            _ => return Err(error(format!("unknown option '{name}'"))),
        }
    }
    Ok(mode)
}

/// Rows and hits of a word in all parts, dead rows included.
fn word_stats(snapshot: &Snapshot, word: &str) -> Result<WordStats, Failure> {
    let mut sum = WordStats::default();
    for view in &snapshot.parts {
        let stats = with_part!(&view.part, p => p.word_stats(word.as_bytes())).map_err(|e| error(e.to_string()))?;
        sum.docs += stats.docs;
        sum.hits += stats.hits;
    }
    Ok(sum)
}
