//! CREATE, DROP, TRUNCATE and ALTER TABLE; DESC.

use super::super::ast::{ColumnDef, CreateTable, Statement};
use super::super::lexer::Kind;
use super::{Parse, Parser};

/// What the dialect and its clients create, drop and alter besides tables.
const OTHER_OBJECTS: [&str; 15] = [
    "cluster",
    "function",
    "plugin",
    "source",
    "mv",
    "materialized",
    "database",
    "schema",
    "index",
    "view",
    "user",
    "token",
    "chat",
    "temporary",
    "unique",
];

/// What ALTER TABLE does in the dialect besides changing settings.
const ALTERATIONS: [&str; 8] = ["add", "drop", "modify", "rebuild", "reconfigure", "rename", "killlist_target", "settings"];

impl Parser<'_> {
    /// Any of them, from the first word, which is `first` folded.
    pub(super) fn ddl(&mut self, first: &str) -> Parse<Statement> {
        self.advance();
        match first {
            "describe" | "desc" => {
                let table = self.table()?;
                Ok(Statement::Describe { table, like: self.like()? })
            }
            "truncate" => {
                self.expect_word("table")?;
                let table = self.table()?;
                if self.at_word("with") {
                    return Ok(self.not_built("TRUNCATE TABLE … WITH RECONFIGURE"));
                }
                Ok(Statement::Truncate { table })
            }
            "create" => self.create(),
            "drop" => self.drop_table(),
            _ => self.alter(),
        }
    }

    /// Words of a statement that is known and not built, for its error.
    fn not_built_here(&mut self, first: &str) -> Parse<Statement> {
        if !OTHER_OBJECTS.iter().any(|w| self.at_word(w)) {
            return Err(match self.now.kind {
                Kind::Word => self.unknown("kind of object", &[&["table"], &OTHER_OBJECTS[..]].concat()),
                _ => self.unexpected("TABLE"),
            });
        }
        let words = format!("{first} {}", self.slice(self.now).to_ascii_uppercase());
        Ok(self.not_built(words))
    }

    fn create(&mut self) -> Parse<Statement> {
        if self.take_word("database") || self.take_word("schema") {
            if self.take_words("if", "not") {
                self.expect_word("exists")?;
            }
            return Ok(Statement::CreateDatabase { name: self.name("database")? });
        }
        if !self.take_word("table") {
            return self.not_built_here("CREATE");
        }
        let mut create = CreateTable { table: String::new(), if_not_exists: false, columns: Vec::new(), options: Vec::new() };
        if self.take_words("if", "not") {
            self.expect_word("exists")?;
            create.if_not_exists = true;
        }
        create.table = self.table()?;
        if self.at_word("like") {
            return Ok(self.not_built("CREATE TABLE … LIKE"));
        }
        if self.take_symbol("(") {
            loop {
                create.columns.push(self.column()?);
                if !self.take_symbol(",") {
                    break;
                }
            }
            self.expect_symbol(")")?;
        }
        create.options = self.settings()?;
        Ok(Statement::CreateTable(create))
    }

    fn column(&mut self) -> Parse<ColumnDef> {
        let name = self.name("column name")?;
        let mut type_name = self.name("type")?;
        if self.take_symbol("(") {
            // `bit(4)`, `int(11)`: the width belongs to the type.
            type_name = format!("{type_name}({})", self.count()?);
            self.expect_symbol(")")?;
        }
        let (mut flags, mut options) = (Vec::new(), Vec::new());
        while matches!(self.now.kind, Kind::Word | Kind::Quoted) {
            if self.peek_symbol("=") {
                // `from` is reserved, and a setting of a vector column.
                let name = if self.take_word("from") { "from".to_owned() } else { self.name("setting name")? };
                self.expect_symbol("=")?;
                options.push((name, self.string_or_number()?));
            } else {
                flags.push(self.name("column flag")?);
            }
        }
        Ok(ColumnDef { name, type_name, flags, options })
    }

    fn string_or_number(&mut self) -> Parse<String> {
        match self.now.kind {
            Kind::Int(_) | Kind::Float(_) => {
                let token = self.advance();
                Ok(self.slice(token).to_owned())
            }
            _ => self.string_or_word(),
        }
    }

    fn drop_table(&mut self) -> Parse<Statement> {
        if !self.take_word("table") {
            return self.not_built_here("DROP");
        }
        let if_exists = self.take_words("if", "exists");
        let table = self.table()?;
        if self.at_symbol(",") {
            return Ok(self.not_built("DROP TABLE of several tables at once"));
        }
        Ok(Statement::DropTable { table, if_exists })
    }

    fn alter(&mut self) -> Parse<Statement> {
        if !self.take_word("table") {
            return self.not_built_here("ALTER");
        }
        let table = self.table()?;
        if self.now.kind != Kind::Word {
            return Err(self.unexpected("setting name"));
        }
        if self.peek_symbol("=") {
            return Ok(Statement::AlterSettings { table, settings: self.settings()? });
        }
        if !ALTERATIONS.iter().any(|w| self.at_word(w)) {
            return Err(self.unknown("alteration", &ALTERATIONS));
        }
        let mut words = format!("ALTER TABLE … {}", self.slice(self.now).to_ascii_uppercase());
        let next = self.peek();
        if ["column", "secondary", "knn", "embeddings"].iter().any(|w| self.slice(next).eq_ignore_ascii_case(w)) {
            words.push(' ');
            words.push_str(&self.slice(next).to_ascii_uppercase());
        }
        Ok(self.not_built(words))
    }
}
