//! The real sessions behind a connection: [`Session`] as a [`Client`].

use std::sync::Arc;
use std::time::Duration;

use super::backend::{Backend, Client, Prepared, Transaction};
use crate::session::{ClientGone, ColumnMeta, Engine, NetworkTimeouts, Session, Sink, StatementError};
use crate::types::{StopToken, Value};

impl Backend for Arc<Engine> {
    fn open(&self, peer: &str) -> Result<Box<dyn Client>, StatementError> {
        Ok(Box::new(Session::open(self, peer.to_owned())))
    }
}

impl Client for Session {
    fn id(&self) -> u32 {
        // The protocol has 32 bits; who lives through four billion connections meets a number again.
        Session::id(self) as u32
    }

    fn identify(&mut self, user: &str) {
        Session::identify(self, user, "mysql");
    }

    fn idle_timeout(&self) -> Option<Duration> {
        Session::idle_timeout(self)
    }

    fn network_timeouts(&self) -> NetworkTimeouts {
        Session::network_timeouts(self)
    }

    fn run(&mut self, text: &[u8], sink: &mut dyn Sink) -> Result<(), ClientGone> {
        Session::run(self, text, sink)
    }

    fn prepare(&mut self, text: &[u8]) -> Result<Prepared, StatementError> {
        let prepared = Session::prepare(self, text)?;
        Ok(Prepared { id: prepared.id, params: prepared.params, columns: prepared.columns })
    }

    fn execute(&mut self, id: u32, values: &[Value], sink: &mut dyn Sink) -> Result<(), ClientGone> {
        Session::execute(self, id, values, sink)
    }

    fn close_statement(&mut self, id: u32) {
        Session::close_statement(self, id);
    }

    fn reset_statement(&mut self, id: u32) -> Result<(), StatementError> {
        Session::reset_statement(self, id)
    }

    fn use_database(&mut self, name: &str) -> Result<(), StatementError> {
        Session::use_database(self, name)
    }

    fn field_list(&mut self, table: &str, wildcard: &str) -> Result<Vec<ColumnMeta>, StatementError> {
        Session::field_list(self, table, wildcard)
    }

    fn statistics(&mut self) -> String {
        Session::statistics(self)
    }

    fn reset_connection(&mut self) {
        Session::reset_connection(self);
    }

    fn stop_token(&self) -> StopToken {
        Session::stop_token(self)
    }

    fn transaction(&self) -> Transaction {
        Transaction { autocommit: self.autocommit(), open: self.in_transaction() }
    }
}
