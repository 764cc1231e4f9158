//! Tests of a whole table on the crash double: against a model, and at every operation of a long script.

mod crash;
mod force_merge;
mod harness;
mod lost_rows;
mod model;
mod updates;
