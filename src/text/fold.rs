//! What the dialect's default charset, `non_cont`, makes of a character.
//!
//! Letters of all scripts that put something between words, decimal digits, and the vowel signs of Indic and other scripts are parts of
//! words. Latin, Greek and Cyrillic letters fold to lower case and lose their accents, full-width forms become ASCII. Chinese, Japanese,
//! Korean and Thai are no words here, since nothing in them tells where a word ends. The underscore separates.

use super::charset::Fold;

/// Lower-case letters that lose something, by what stays. Letters that Unicode decomposes into a base and accents, and some that it does
/// not: strokes (`ø`), `ß`, dotless `ı`, final `ς` and the Greek symbol forms.
const BASES: [(char, &str); 57] = [
    ('a', "ªàáâãäåāăąǎǟǡǻȁȃȧḁạảấầẩẫậắằẳẵặ"),
    ('b', "ḃḅḇ"),
    ('c', "çćĉċčḉ"),
    ('d', "ďđḋḍḏḑḓ"),
    ('e', "èéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệ"),
    ('f', "ḟ"),
    ('g', "ĝğġģǧǵḡ"),
    ('h', "ĥħȟḣḥḧḩḫẖ"),
    ('i', "ìíîïĩīĭįıǐȉȋḭḯỉị"),
    ('j', "ĵǰ"),
    ('k', "ķǩḱḳḵ"),
    ('l', "ĺļľŀłḷḹḻḽ"),
    ('m', "ḿṁṃ"),
    ('n', "ñńņňŉǹṅṇṉṋ"),
    ('o', "ºòóôõöøōŏőơǒǫǭǿȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợ"),
    ('p', "ṕṗ"),
    ('r', "ŕŗřȑȓṙṛṝṟ"),
    ('s', "ßśŝşšſșṡṣṥṧṩẛ"),
    ('t', "ţťŧțṫṭṯṱẗ"),
    ('u', "ùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự"),
    ('v', "ṽṿ"),
    ('w', "ŵẁẃẅẇẉẘ"),
    ('x', "ẋẍ"),
    ('y', "ýÿŷȳẏẙỳỵỷỹ"),
    ('z', "źżžẑẓẕ"),
    ('æ', "ǣǽ"),
    ('ʒ', "ǯ"),
    ('α', "άἀἁἂἃἄἅἆἇὰάᾀᾁᾂᾃᾄᾅᾆᾇᾰᾱᾲᾳᾴᾶᾷ"),
    ('β', "ϐ"),
    ('ε', "έϵἐἑἒἓἔἕὲέ"),
    ('η', "ήἠἡἢἣἤἥἦἧὴήᾐᾑᾒᾓᾔᾕᾖᾗῂῃῄῆῇ"),
    ('θ', "ϑ"),
    ('ι', "ΐίϊἰἱἲἳἴἵἶἷὶίιῐῑῒΐῖῗ"),
    ('κ', "ϰ"),
    ('ο', "όὀὁὂὃὄὅὸό"),
    ('π', "ϖ"),
    ('ρ', "ϱῤῥ"),
    ('σ', "ςϲ"),
    ('υ', "ΰϋύὐὑὒὓὔὕὖὗὺύῠῡῢΰῦῧ"),
    ('φ', "ϕ"),
    ('ω', "ώὠὡὢὣὤὥὦὧὼώᾠᾡᾢᾣᾤᾥᾦᾧῲῳῴῶῷ"),
    ('а', "ӑӓ"),
    ('г', "ѓ"),
    ('е', "ѐёӗ"),
    ('ж', "ӂӝ"),
    ('з', "ӟ"),
    ('и', "йѝӣӥ"),
    ('к', "ќ"),
    ('о', "ӧ"),
    ('у', "ўӯӱӳ"),
    ('ч', "ӵ"),
    ('ы', "ӹ"),
    ('э', "ӭ"),
    ('і', "ї"),
    ('ѵ', "ѷ"),
    ('ә', "ӛ"),
    ('ө', "ӫ"),
];

/// Marks inside words that fold to nothing, so that a letter with a separate accent equals the letter alone: combining accents, Hebrew
/// points, Arabic vowel signs, variation selectors.
const ACCENTS: [(u32, u32); 17] = [
    (0x300, 0x36F),
    (0x483, 0x487),
    (0x591, 0x5BD),
    (0x5BF, 0x5BF),
    (0x5C1, 0x5C2),
    (0x5C4, 0x5C5),
    (0x5C7, 0x5C7),
    (0x610, 0x61A),
    (0x64B, 0x65F),
    (0x670, 0x670),
    (0x6D6, 0x6DC),
    (0x6DF, 0x6E4),
    (0x1AB0, 0x1ACE),
    (0x1DC0, 0x1DFF),
    (0x20D0, 0x20F0),
    (0xFE00, 0xFE0F),
    (0xFE20, 0xFE2F),
];

/// Vowel signs, viramas and nuktas: parts of words as they are. Letters between them are inside the ranges too.
const SIGNS: [(u32, u32); 62] = [
    (0x7EB, 0x7F3),
    (0x7FD, 0x7FD),
    (0x816, 0x82D),
    (0x859, 0x85B),
    (0x898, 0x8E1),
    (0x8E3, 0x963),
    (0x981, 0x9E3),
    (0x9FE, 0xA51),
    (0xA70, 0xA75),
    (0xA81, 0xAE3),
    (0xAFA, 0xB63),
    (0xB82, 0xBD7),
    (0xC00, 0xC63),
    (0xC81, 0xC83),
    (0xCBC, 0xCE3),
    (0xD00, 0xD4D),
    (0xD57, 0xD57),
    (0xD62, 0xD63),
    (0xD81, 0xDDF),
    (0xDF2, 0xDF3),
    (0xEB1, 0xECD),
    (0xF18, 0xF19),
    (0xF35, 0xF35),
    (0xF37, 0xF37),
    (0xF39, 0xF39),
    (0xF3E, 0xF84),
    (0xF86, 0xFBC),
    (0xFC6, 0xFC6),
    (0x102B, 0x103E),
    (0x1056, 0x108F),
    (0x109A, 0x109D),
    (0x135D, 0x135F),
    (0x1712, 0x1734),
    (0x1752, 0x17D3),
    (0x17DD, 0x17DD),
    (0x180B, 0x180D),
    (0x180F, 0x180F),
    (0x1885, 0x193B),
    (0x1A17, 0x1A1B),
    (0x1A55, 0x1A7C),
    (0x1B00, 0x1B44),
    (0x1B6B, 0x1B73),
    (0x1B80, 0x1BAD),
    (0x1BE6, 0x1BF3),
    (0x1C24, 0x1C37),
    (0x1CD0, 0x1CD2),
    (0x1CD4, 0x1CF9),
    (0xA802, 0xA827),
    (0xA82C, 0xA82C),
    (0xA880, 0xA8C5),
    (0xA8E0, 0xA8F1),
    (0xA8FF, 0xA8FF),
    (0xA926, 0xA92D),
    (0xA947, 0xA953),
    (0xA980, 0xA9C0),
    (0xA9E5, 0xA9E5),
    (0xAA29, 0xAA4D),
    (0xAA7B, 0xAAC1),
    (0xAAEB, 0xAAEF),
    (0xAAF5, 0xAAF6),
    (0xABE3, 0xABEA),
    (0xABEC, 0xABED),
];

/// Zeros of the decimal digits outside ASCII; nine more follow each.
const ZEROS: [u32; 35] = [
    0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6, 0xE50, 0xED0, 0xF20, 0x1040, 0x1090, 0x17E0,
    0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0,
];

/// Scripts without separators between words: Thai, Hangul, Han, kana and their neighbours. The `cont` of the dialect.
const CONTINUOUS: [(u32, u32); 14] = [
    (0xE00, 0xE7F),
    (0x1100, 0x11FF),
    (0x2E80, 0x2FDF),
    (0x2FF0, 0x318F),
    (0x31A0, 0x9FFF),
    (0xA960, 0xA97F),
    (0xAC00, 0xD7FF),
    (0xF900, 0xFAFF),
    (0xFE30, 0xFE4F),
    (0xFF65, 0xFFDC),
    (0x1AFF0, 0x1B16F),
    (0x1F200, 0x1F2FF),
    (0x20000, 0x2FFFF),
    (0x30000, 0x3FFFF),
];

/// Alphabetic by the Unicode property, yet no letters of words: modifier letters, which often stand for apostrophes, circled and squared
/// letters.
const NO_LETTERS: [(u32, u32); 3] = [(0x2B0, 0x2FF), (0x2460, 0x24FF), (0x1F000, 0x1FFFF)];

fn within(ranges: &[(u32, u32)], code: u32) -> bool {
    ranges.iter().any(|&(first, last)| (first..=last).contains(&code))
}

/// Whether `c` belongs to a script without separators between words.
pub(super) fn is_continuous(c: char) -> bool {
    within(&CONTINUOUS, c as u32)
}

/// What `non_cont` makes of `c`. Slow: made for filling a table once.
pub(super) fn non_cont(c: char) -> Fold {
    let code = c as u32;
    if c.is_ascii() {
        return if c.is_ascii_alphanumeric() { Fold::Letter(c.to_ascii_lowercase()) } else { Fold::Separator };
    }
    if let Some(ascii) = code.checked_sub(0xFF01 - 0x21).and_then(char::from_u32).filter(char::is_ascii_graphic) {
        return non_cont(ascii);
    }
    if within(&ACCENTS, code) {
        return Fold::Ignored;
    }
    if is_continuous(c) || within(&NO_LETTERS, code) {
        return Fold::Separator;
    }
    let digit = ZEROS.iter().any(|&zero| (zero..zero + 10).contains(&code));
    if !digit && !c.is_alphabetic() && !within(&SIGNS, code) {
        return Fold::Separator;
    }
    // The first character of the lower case is enough: only `İ` has a second one, and that is an accent.
    let lower = c.to_lowercase().next().unwrap_or(c);
    // All letters that lose something stand before U+2000, which spares the look at the list for most.
    let base = BASES.iter().find(|(_, forms)| (lower as u32) < 0x2000 && forms.contains(lower)).map_or(lower, |&(base, _)| base);
    Fold::Letter(base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters() {
        for (from, to) in [
            ("AzÉéÅØŁßẞıİſ", "azeeaolssiis"),
            ("ΑΆάςΣῼ", "ααασσω"),
            ("МмЁйІї", "ммеиіі"),
            ("Ææþð", "ææþð"),
            ("ＡｚＺ０９", "azz09"),
            ("אبहिक्षი", "אبहिक्षი"),
            ("٣४", "٣४"),
            ("e\u{301}\u{FE0F}", "e"),
            ("_-'’ʻ @½²①😀❤中あ한ไ。！", ""),
        ] {
            let folded: String = from
                .chars()
                .filter_map(|c| match non_cont(c) {
                    Fold::Letter(letter) => Some(letter),
                    Fold::Separator | Fold::Ignored | Fold::Single(_) => None,
                })
                .collect();
            assert_eq!(folded, to, "{from}");
        }
    }

    #[test]
    fn folding_twice_changes_nothing() {
        for c in ('\0'..=char::MAX).take(0x20000) {
            if let Fold::Letter(letter) = non_cont(c) {
                assert_eq!(non_cont(letter), Fold::Letter(letter), "{c} {:x}", c as u32);
            }
        }
    }
}
