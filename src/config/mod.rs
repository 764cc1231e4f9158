//! Floor 1: what the operator may set, and how it is written down.
//!
//! One table ([`SETTINGS`]) names every setting once: scope, unit, range, default, a sentence of documentation, and where its value lives.
//! Everything else is derived from it: the reader of `manticore.conf` ([`read`]), the values of SHOW VARIABLES ([`variables()`]), SET GLOBAL
//! ([`set_global`]), and the example file ([`example()`]). A setting that is not in the table does not exist.
//!
//! This floor takes text and gives values; it opens no file and changes nothing but the [`SharedSettings`](crate::types::SharedSettings)
//! that SET GLOBAL is given.
//!
//! Invariants: a value outside its range never reaches [`Settings`](crate::types::Settings), whether it came from a file or from SQL; an
//! unknown key is an error, never a silence; a key that exists in the dialect but does nothing here is named in a warning.

mod elsewhere;
mod error;
mod example;
mod listen;
mod reader;
mod syntax;
mod table;
mod units;
mod variables;

pub use error::{ConfigError, ConfigErrors, Problem};
pub use example::example;
pub use listen::{Address, Listener, Protocol};
pub use reader::{Config, read};
pub use table::{SETTINGS, Scope, Setting, defaults};
pub use variables::{set_global, variables};
