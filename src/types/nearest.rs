//! The known name that a misspelt one was probably meant to be.

/// The candidate closest to `word`, if it is closer than a third of the word's length (and at most three edits away).
pub fn nearest(word: &str, candidates: impl IntoIterator<Item = &'static str>) -> Option<&'static str> {
    let word = word.to_ascii_lowercase();
    let limit = (word.chars().count() / 3).clamp(1, 3);
    candidates.into_iter().map(|name| (distance(&word, name), name)).filter(|(edits, _)| *edits <= limit).min().map(|(_, name)| name)
}

/// Insertions, deletions, replacements and swaps of neighbours that turn `left` into `right`.
fn distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let width = right.len() + 1;
    let mut before_last: Vec<usize> = vec![0; width];
    let mut last: Vec<usize> = (0..width).collect();
    for i in 1..=left.len() {
        let mut row = vec![i; width];
        for j in 1..width {
            let replaced = last[j - 1] + usize::from(left[i - 1] != right[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[width - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_name_that_was_meant() {
        let names = ["rt_mem_limit", "rt_merge_iops", "threads", "log"];
        for (word, meant) in [
            ("rt_mem_limt", Some("rt_mem_limit")),
            ("RT_MEM_LIMIT", Some("rt_mem_limit")),
            ("thraeds", Some("threads")),
            ("lgo", Some("log")),
            ("something_else", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, names), meant, "{word}");
        }
    }
}
