//! Numbers with suffixes: `128M`, `10h`.

/// Bytes of `text`: an integer, or one followed by k, m, g or t in either case. None if it is not of this form or past 63 bits.
pub(super) fn size(text: &str) -> Option<i64> {
    let (number, suffix) = split(text)?;
    let unit: i64 = match suffix.as_str() {
        "" => 1,
        "k" => 1 << 10,
        "m" => 1 << 20,
        "g" => 1 << 30,
        "t" => 1 << 40,
        _ => return None,
    };
    number.checked_mul(unit)
}

/// Whole seconds of `text`: an integer, or one followed by us, ms, s, m, h, d or w in either case. None if it is not of this form, or
/// not a whole number of seconds.
pub(super) fn seconds(text: &str) -> Option<i64> {
    let (number, suffix) = split(text)?;
    let (times, per): (i64, i64) = match suffix.as_str() {
        "us" => (1, 1_000_000),
        "ms" => (1, 1_000),
        "" | "s" => (1, 1),
        "m" => (60, 1),
        "h" => (3_600, 1),
        "d" => (86_400, 1),
        "w" => (604_800, 1),
        _ => return None,
    };
    if number % per != 0 { None } else { (number / per).checked_mul(times) }
}

/// An integer without suffix.
pub(super) fn count(text: &str) -> Option<i64> {
    match split(text)? {
        (number, suffix) if suffix.is_empty() => Some(number),
        _ => None,
    }
}

/// `bytes` as an operator writes it: the largest suffix that divides it.
pub(super) fn print_size(bytes: i64) -> String {
    for (suffix, unit) in [("T", 1i64 << 40), ("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)] {
        if bytes != 0 && bytes % unit == 0 {
            return format!("{}{suffix}", bytes / unit);
        }
    }
    bytes.to_string()
}

/// `seconds` as an operator writes it: the largest suffix that divides it.
pub(super) fn print_seconds(seconds: i64) -> String {
    for (suffix, unit) in [("w", 604_800), ("d", 86_400), ("h", 3_600), ("m", 60)] {
        if seconds > 0 && seconds % unit == 0 {
            return format!("{}{suffix}", seconds / unit);
        }
    }
    if seconds > 0 { format!("{seconds}s") } else { seconds.to_string() }
}

fn split(text: &str) -> Option<(i64, String)> {
    let text = text.trim();
    let digits = text.strip_prefix('-').unwrap_or(text);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len()) + (text.len() - digits.len());
    let number = text[..end].parse().ok()?;
    Some((number, text[end..].to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (text, bytes) in [
            ("0", Some(0)),
            ("1000", Some(1000)),
            ("10k", Some(10 << 10)),
            ("128M", Some(128 << 20)),
            ("2g", Some(2 << 30)),
            ("1T", Some(1 << 40)),
            ("-1", Some(-1)),
            ("", None),
            ("M", None),
            ("1.5G", None),
            ("10 parsecs", None),
            ("9999999999T", None),
            ("99999999999999999999", None),
            ("ä", None),
        ] {
            assert_eq!(size(text), bytes, "{text}");
        }
    }

    #[test]
    fn times() {
        for (text, expected) in [
            ("15", Some(15)),
            ("15s", Some(15)),
            ("5M", Some(300)),
            ("10h", Some(36_000)),
            ("2d", Some(172_800)),
            ("1W", Some(604_800)),
            ("3000ms", Some(3)),
            ("2000000us", Some(2)),
            ("500ms", None),
            ("1y", None),
            ("-1", Some(-1)),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }

    #[test]
    fn printing_is_read_back() {
        for number in [0, 1, 59, 60, 3600, 36_000, 604_800, 1 << 20, 3 << 30] {
            assert_eq!(size(&print_size(number)), Some(number));
            assert_eq!(seconds(&print_seconds(number)), Some(number));
        }
    }
}
