//! Words that are not indexed: which ones a table names.
//!
//! `stopwords='en /path/words.txt'` lists language codes and files. English is the classic list of 127 words, which the dialect
//! uses; other languages come from the `stop-words` crate (stopwords-iso). Files are plain text, cut into words as documents are.

use super::TextError;

/// The English list.
const ENGLISH: &str = "i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its \
itself they them their theirs themselves what which who whom this that these those am is are was were be been being have has had having do \
does did doing a an the and but if or because as until while of at by for with about against between into through during before after above \
below to from up down in out on off over under again further then once here there when where why how all any both each few more most other \
some such no nor not only own same so than too very s t can will just don should now";

/// Codes that the dialect spells in its own way → the code of the list.
const ALIASES: [(&str, &str); 2] = [("cz", "cs"), ("ckb", "ku")];

/// Gives the text of each list that `value` names to `each`.
///
/// `read_file` is asked for entries with a slash in them. Fails for an unknown code, a file that cannot be read and a file that is
/// not UTF-8, naming each.
pub(super) fn for_each_list(
    value: &str,
    read_file: &dyn Fn(&str) -> std::io::Result<Vec<u8>>,
    mut each: impl FnMut(&str),
) -> Result<(), TextError> {
    for name in value.split_whitespace() {
        if name.contains('/') {
            let bytes = read_file(name).map_err(|error| TextError(format!("stopwords: cannot read '{name}': {error}")))?;
            each(str::from_utf8(&bytes).map_err(|_| TextError(format!("stopwords: '{name}' is not UTF-8 text")))?);
        } else if name == "en" {
            each(ENGLISH);
        } else {
            let code = ALIASES.iter().find(|(ours, _)| *ours == name).map_or(name, |(_, theirs)| theirs);
            let Some(list) = stop_words::lookup(code) else {
                return Err(TextError(format!("stopwords: no built-in list '{name}'; a file is named by its absolute path")));
            };
            list.iter().for_each(|word| each(word));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(value: &str) -> Result<Vec<String>, TextError> {
        let read = |name: &str| match name {
            "/a.txt" => Ok(b"Alpha, beta".to_vec()),
            "/bad.txt" => Ok(vec![0xff]),
            _ => Err(std::io::Error::from(std::io::ErrorKind::NotFound)),
        };
        let mut found = Vec::new();
        for_each_list(value, &read, |text| found.extend(text.split([' ', ',']).filter(|w| !w.is_empty()).map(String::from)))?;
        Ok(found)
    }

    #[test]
    fn lists_and_files() {
        assert_eq!(words("en").unwrap().len(), 127);
        assert_eq!(words("/a.txt").unwrap(), ["Alpha", "beta"]);
        assert_eq!(words("en /a.txt").unwrap().len(), 129);
        assert_eq!(words("  ").unwrap(), [""; 0]);
        for code in ["de", "ru", "fr", "it", "cz", "ckb", "zu", "zh"] {
            assert!(words(code).unwrap().len() > 5, "{code}");
        }
    }

    #[test]
    fn what_is_refused() {
        assert!(words("xx").unwrap_err().0.contains("'xx'"));
        assert!(words("/none").unwrap_err().0.contains("/none"));
        assert!(words("/bad.txt").unwrap_err().0.contains("not UTF-8"));
    }
}
