//! How strings are compared: `libc_ci`, the dialect's default, which is byte order with ASCII letters folded.

use std::borrow::Cow;
use std::cmp::Ordering;

/// Order of two strings.
pub(crate) fn compare(a: &str, b: &str) -> Ordering {
    for (x, y) in a.bytes().zip(b.bytes()) {
        match x.to_ascii_lowercase().cmp(&y.to_ascii_lowercase()) {
            Ordering::Equal => {}
            different => return different,
        }
    }
    a.len().cmp(&b.len())
}

/// Whether two strings are the same.
pub(crate) fn equal(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b)
}

/// The form in which equal strings are identical.
pub(crate) fn fold(s: &str) -> Cow<'_, str> {
    if s.bytes().any(|b| b.is_ascii_uppercase()) { Cow::Owned(s.to_ascii_lowercase()) } else { Cow::Borrowed(s) }
}

/// Whether `s` fits a LIKE pattern: `%` is any run of characters, `_` one, `\` takes the next one as it is.
pub(crate) fn like(s: &str, pattern: &str) -> bool {
    let (s, p): (Vec<char>, Vec<char>) = (s.chars().collect(), pattern.chars().collect());
    let (mut si, mut pi) = (0, 0);
    // Where to go back to: behind the last `%`, and how much it has swallowed.
    let mut retry: Option<(usize, usize)> = None;
    loop {
        let fits = match p.get(pi) {
            Some('%') => {
                retry = Some((pi + 1, si));
                pi += 1;
                continue;
            }
            Some('_') if si < s.len() => Some(1),
            Some('\\') if pi + 1 < p.len() => (s.get(si).is_some_and(|c| c.eq_ignore_ascii_case(&p[pi + 1]))).then_some(2),
            Some(c) => (s.get(si).is_some_and(|x| x.eq_ignore_ascii_case(c))).then_some(1),
            None if si == s.len() => return true,
            None => None,
        };
        match (fits, retry) {
            (Some(width), _) => {
                si += 1;
                pi += width;
            }
            (None, Some((behind, swallowed))) if swallowed < s.len() => {
                retry = Some((behind, swallowed + 1));
                (pi, si) = (behind, swallowed + 1);
            }
            (None, _) => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_does_not_count() {
        assert_eq!(compare("abc", "ABC"), Ordering::Equal);
        assert_eq!(compare("abc", "ABD"), Ordering::Less);
        assert_eq!(compare("ab", "ABD"), Ordering::Less);
        assert!(equal("Straße", "STRAße") && !equal("Ä", "ä"));
        assert_eq!(fold("AbC"), "abc");
    }

    #[test]
    fn like_patterns() {
        for (s, pattern, fits) in [
            ("movies", "mov%", true),
            ("movies", "%ie%", true),
            ("movies", "m_vies", true),
            ("movies", "m_v", false),
            ("a%b", r"a\%b", true),
            ("axb", r"a\%b", false),
            ("", "%", true),
            ("", "_", false),
            ("aaab", "%a_", true),
            ("Movies", "movies", true),
        ] {
            assert_eq!(like(s, pattern), fits, "{s} like {pattern}");
        }
    }
}
