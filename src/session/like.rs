//! LIKE patterns of SHOW: `%` any characters, `_` one, backslash takes their meaning away. Letters match in either case.

/// Whether `text` fits `pattern`.
pub(super) fn like(pattern: &str, text: &str) -> bool {
    let pattern = compile(pattern);
    let text: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
    // Where the last `%` stood and how much of the text it has taken so far: enough to go back to, since a later `%` makes an earlier one final.
    let (mut p, mut t, mut back) = (0, 0, None);
    while t < text.len() {
        match pattern.get(p) {
            Some(Piece::Any) => {
                back = Some((p + 1, t));
                p += 1;
            }
            Some(Piece::One) => {
                p += 1;
                t += 1;
            }
            Some(Piece::Char(c)) if *c == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match back {
                Some((after, taken)) => {
                    back = Some((after, taken + 1));
                    p = after;
                    t = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|piece| matches!(piece, Piece::Any))
}

/// Whether `text` fits the pattern, if there is one.
pub(super) fn fits(pattern: &Option<String>, text: &str) -> bool {
    pattern.as_deref().is_none_or(|p| like(p, text))
}

enum Piece {
    Any,
    One,
    Char(char),
}

fn compile(pattern: &str) -> Vec<Piece> {
    let mut out = Vec::with_capacity(pattern.len());
    let mut chars = pattern.chars().flat_map(char::to_lowercase);
    while let Some(c) = chars.next() {
        out.push(match c {
            '%' => Piece::Any,
            '_' => Piece::One,
            '\\' => Piece::Char(chars.next().unwrap_or('\\')),
            c => Piece::Char(c),
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::like;

    #[test]
    fn patterns() {
        for (pattern, text, fits) in [
            ("b%", "b", true),
            ("b%", "Bcd", true),
            ("b%", "ab", false),
            ("%", "", true),
            ("", "", true),
            ("", "a", false),
            ("_a_", "bAb", true),
            ("%a%b%c", "xaybzbc", true),
            ("%a%b%c", "xaybzcb", false),
            ("disk\\_chunks", "disk_chunks", true),
            ("disk\\_chunks", "disk-chunks", false),
            ("Ж_", "жé", true),
        ] {
            assert_eq!(like(pattern, text), fits, "{pattern} {text}");
        }
        // No pattern makes it walk the text more than once per character of the pattern.
        assert!(!like(&"%a".repeat(200), &"b".repeat(20_000)));
    }
}
