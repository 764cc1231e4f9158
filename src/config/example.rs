//! The example file, printed from the table.

use super::table::{SETTINGS, Scope, Setting};

/// The text of `manticore.conf.example`: every setting with its documentation, allowed values and default, commented out, so that the file
/// as it is means the same as no file.
pub fn example() -> String {
    let mut out = String::from(
        "# Settings of the server and what holds where nothing is said. Start it with: chimera --config manticore.conf\n\
         # Sizes take k, m, g and t; times take us, ms, s, m, h, d and w. `#` begins a comment, a `\\` at the end continues a line.\n\
         \nsearchd {\n",
    );
    let shown = SETTINGS.iter().filter(|setting| setting.scope != Scope::Session);
    for (i, setting) in shown.enumerate() {
        if i > 0 {
            out.push('\n');
        }
        print(setting, &mut out);
    }
    out.push_str("}\n");
    out
}

fn print(setting: &Setting, out: &mut String) {
    let mut about = setting.doc.to_owned();
    if !matches!(setting.kind, super::table::Kind::Text) {
        about.push_str(&format!(" Allowed: {}.", setting.allowed()));
    }
    if setting.scope == Scope::Global {
        about.push_str(&format!(" At run time: SET GLOBAL {}.", setting.name));
    }
    for line in wrap(&about, 116) {
        out.push_str(&format!("    # {line}\n"));
    }
    match setting.default {
        Some(default) => out.push_str(&format!("    # {} = {default}\n", setting.name)),
        None => out.push_str(&format!("    # {} = … (unset: {})\n", setting.name, setting.unset)),
    }
}

/// Breaks `text` at blanks into lines of at most `width` characters; a longer word has a line of its own.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, read};

    #[test]
    fn the_file_in_the_repository_is_this_text() {
        let file = include_str!("../../manticore.conf.example");
        assert_eq!(file, example(), "print it anew: chimera --example > manticore.conf.example");
    }

    #[test]
    fn it_means_the_same_as_no_file() {
        assert_eq!(read(&example(), "example"), Ok(Config::builtin()));
    }

    #[test]
    fn its_lines_are_accepted_when_the_comment_sign_is_removed() {
        let text: String = example()
            .lines()
            .map(|line| if line.contains(" = ") && !line.contains('…') { line.replacen("# ", "", 1) } else { line.to_owned() } + "\n")
            .collect();
        let config = read(&text, "example").unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(config, Config::builtin());
    }
}
