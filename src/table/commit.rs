//! One commit: a new segment (maybe none), kills, attribute edits; all or nothing.
//!
//! ```text
//! no lock      add up the ops → tokenize → RAM segment → find documents on a snapshot → encode the log record
//! lexicon read ┐ find again in what was published since → LSN → append to the log → kill, edit, add → publish
//! writer lock  ┘
//! no lock      wait for the log sync that binlog_flush asks for
//! ```

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::draft::{Cause, Draft, Edit, Kill};
use super::housekeeping::Wish;
use super::log::codec::{encode_edit, encode_gone, encode_put};
use super::log::{AppendError, RecordHead};
use super::snapshot::Place;
use super::table::{Table, Writer};
use super::write_out::EDITS_WAIT_FACTOR;
use super::{Committed, Op, PartKey, Seen, Snapshot, TableError};
use crate::chunk::{AnyPart, Lexicon, PartView, RamSegment, RowImage, SegmentBuilder};
use crate::types::{DocId, Lsn, RowId, StopToken};

/// How often a writer that waits for room looks whether it was stopped.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How long a writer waits for room while the table is frozen.
const FROZEN_WAIT: Duration = Duration::from_secs(30);

/// Everything that could be done before the lock.
struct Prepared {
    base: Arc<Snapshot>,
    draft: Draft,
    /// Where `draft.kills[i]` was found on `base`.
    kill_places: Vec<Option<Place>>,
    /// Where `draft.edits[i]` was found on `base`, with the image it will get if nothing is published meanwhile.
    edit_places: Vec<Option<(Place, Arc<RowImage>)>>,
    builder: Option<SegmentBuilder>,
    segment: Option<RamSegment>,
    payload: Vec<u8>,
    payload_crc: u32,
}

impl Prepared {
    fn give_birth(&mut self, lexicon: &Arc<Lexicon>) {
        self.segment = self.builder.take().map(|b| b.finish(lexicon));
    }
}

/// What those who tidy up behind the writers should look at.
struct Due {
    flush: bool,
    edits: bool,
    tidy: bool,
    sync: bool,
}

impl Table {
    /// Applies all ops or none. Returns when they are visible, and as durable as `binlog_flush` asks.
    pub fn commit(&self, ops: Vec<Op>, stop: &StopToken) -> Result<Committed, TableError> {
        self.wait_for_room(ops.iter().any(|op| matches!(op, Op::Update { .. })), stop)?;
        let mut prepared = self.prepare(Draft::new(ops)?)?;
        let brings_rows = prepared.builder.is_some();
        // Held from the segment's birth to its publication: a segment of a lexicon that was sealed meanwhile would be lost to the flush.
        let lexicon = self.lexicon.read();
        prepared.give_birth(&lexicon);
        let (committed, lsn, due) = {
            let mut writer = self.writer.lock();
            if let Some(reason) = &writer.poisoned {
                return Err(TableError::Poisoned(reason.clone()));
            }
            if self.stop.is_stopped() {
                return Err(TableError::Stopped(format!("table '{}' is being closed", self.name)));
            }
            // A panic in here may have left the log ahead of the snapshot: nothing more may be written on top of that.
            let outcome = catch_unwind(AssertUnwindSafe(|| self.publish_commit(&mut writer, prepared)));
            let (committed, lsn) = match outcome {
                Ok(result) => result?,
                Err(_) => return Err(self.poison(&mut writer, "a write failed half-way (internal error, see the log)".into())),
            };
            (committed, lsn, self.due(&writer, &lexicon))
        };
        drop(lexicon);
        if let (Some(log), Some(lsn)) = (&self.log, lsn)
            && self.around.settings.load().binlog_flush == 1
            && let Err(error) = log.wait_durable(lsn)
        {
            return Err(self.poison(&mut self.writer.lock(), error.to_string()));
        }
        self.tidy_up_behind(due);
        if brings_rows {
            self.slow_down(stop);
        }
        Ok(committed)
    }

    /// Applies effects read back from the log: not logged again, kills by id, nothing refused.
    pub(super) fn replay(&self, ops: Vec<Op>, lsn: Lsn) -> Result<(), TableError> {
        let mut prepared = self.prepare(Draft::new(ops)?)?;
        prepared.give_birth(&self.lexicon.read());
        let mut writer = self.writer.lock();
        let current = self.snapshot.load_full();
        let (kills, edits, _) = self.resolve(&current, &mut prepared)?;
        self.install(&mut writer, &current, prepared.segment, kills, edits, lsn);
        Ok(())
    }

    fn prepare(&self, draft: Draft) -> Result<Prepared, TableError> {
        let base = self.snapshot();
        let mut draft = draft;
        look_again(&mut draft, &base);
        let kill_places: Vec<_> = draft.kills.iter().map(|k| base.locate(k.id)).collect();
        if let Some((kill, _)) = draft.kills.iter().zip(&kill_places).find(|(k, p)| k.cause == Cause::Insert && p.is_some()) {
            return Err(TableError::DuplicateId(kill.id));
        }
        let edit_places = draft.edits.iter().map(|e| base.locate(e.id).map(|p| self.edited(&base, p, e))).collect();
        let builder = (!draft.rows.is_empty()).then(|| {
            let mut builder = SegmentBuilder::new(base.schema.clone());
            for (id, values) in &draft.rows {
                builder.add(&base.analyzer, *id, values);
            }
            builder
        });
        let mut payload = Vec::new();
        if self.log.is_some() {
            draft.kills.iter().filter(|k| k.cause == Cause::Delete).for_each(|k| encode_gone(&mut payload, k.id));
            draft.edits.iter().for_each(|e| encode_edit(&mut payload, &base.schema, e.id, &e.changes));
            draft.rows.iter().for_each(|(id, values)| encode_put(&mut payload, *id, values));
        }
        if payload.len() > u32::MAX as usize {
            return Err(TableError::Failed("the statement is too large for the binary log: 4G is the most".into()));
        }
        let payload_crc = crc32fast::hash(&payload);
        Ok(Prepared { base, draft, kill_places, edit_places, builder, segment: None, payload, payload_crc })
    }

    /// The image that an edit gives to a row.
    fn edited(&self, snapshot: &Snapshot, place: Place, edit: &Edit) -> (Place, Arc<RowImage>) {
        let view = &snapshot.parts[place.part];
        let image = view.part.layout().edited(view.row(place.row), &snapshot.schema, &edit.changes);
        (place, Arc::new(image))
    }

    fn publish_commit(&self, writer: &mut Writer, mut prepared: Prepared) -> Result<(Committed, Option<Lsn>), TableError> {
        let current = self.snapshot.load_full();
        let (kills, edits, unchanged) = self.resolve(&current, &mut prepared)?;
        let mut affected = std::mem::take(&mut prepared.draft.affected);
        for (kill, place) in prepared.draft.kills.iter().zip(&kills) {
            if kill.cause == Cause::Delete && place.is_some() {
                affected[kill.op] += 1;
            }
        }
        for (edit, place) in prepared.draft.edits.iter().zip(&edits) {
            affected[edit.op] += place.is_some() as u64;
        }
        let committed = Committed { affected };
        if prepared.segment.is_none() && kills.iter().all(Option::is_none) && edits.iter().all(Option::is_none) {
            return Ok((committed, None));
        }
        let lsn = Lsn(writer.lsn.0 + 1);
        if let Some(log) = &self.log {
            if !unchanged {
                // Some documents no longer meet the WHERE: the record must not name them.
                self.encode_again(&current, &mut prepared, &kills, &edits);
            }
            let head = RecordHead { lsn, epoch: writer.epoch, schema_version: current.schema.version };
            log.append(head, &prepared.payload, prepared.payload_crc).map_err(|error| match error {
                AppendError::Refused(_) => TableError::Failed(error.to_string()),
                AppendError::Broken(reason) => self.poison(writer, reason),
            })?;
            writer.log_dirty = true;
        }
        self.install(writer, &current, prepared.segment, kills, edits, lsn);
        Ok((committed, Some(lsn)))
    }

    fn encode_again(&self, current: &Snapshot, prepared: &mut Prepared, kills: &[Option<Place>], edits: &[Option<(Place, Arc<RowImage>)>]) {
        let payload = &mut prepared.payload;
        payload.clear();
        let gone = prepared.draft.kills.iter().zip(kills).filter(|(k, p)| k.cause == Cause::Delete && p.is_some());
        gone.for_each(|(k, _)| encode_gone(payload, k.id));
        let edited = prepared.draft.edits.iter().zip(edits).filter(|(_, p)| p.is_some());
        edited.for_each(|(e, _)| encode_edit(payload, &current.schema, e.id, &e.changes));
        prepared.draft.rows.iter().for_each(|(id, values)| encode_put(payload, *id, values));
        prepared.payload_crc = crc32fast::hash(payload);
    }

    /// Where the documents are now. The third result is false where a document that was found on the base no longer counts.
    #[expect(clippy::type_complexity, reason = "one caller above, one below; a struct would only repeat the names")]
    fn resolve(
        &self,
        current: &Arc<Snapshot>,
        prepared: &mut Prepared,
    ) -> Result<(Vec<Option<Place>>, Vec<Option<(Place, Arc<RowImage>)>>, bool), TableError> {
        let moves = Moves::new(&prepared.base, current);
        let mut unchanged = true;
        let mut kills = Vec::with_capacity(prepared.kill_places.len());
        for (kill, before) in prepared.draft.kills.iter().zip(&prepared.kill_places) {
            let place = match moves.find(kill.id, *before) {
                Found::Same(place) => Some(place),
                Found::Moved(place) => still_kills(kill, &prepared.draft.seen, &current.parts[place.part], place.row).then_some(place),
                Found::Gone => None,
            };
            if kill.cause == Cause::Insert && place.is_some() {
                return Err(TableError::DuplicateId(kill.id));
            }
            unchanged &= kill.cause != Cause::Delete || place.is_some() == before.is_some();
            kills.push(place);
        }
        let mut edits = Vec::with_capacity(prepared.edit_places.len());
        let Draft { edits: wanted, seen, .. } = &mut prepared.draft;
        for (edit, before) in wanted.iter_mut().zip(&prepared.edit_places) {
            let place = match moves.find(edit.id, before.as_ref().map(|b| b.0)) {
                Found::Same(place) => Some(place),
                Found::Moved(place) => {
                    unchanged = false;
                    still_edits(edit, seen, &current.parts[place.part], place.row).then_some(place)
                }
                Found::Gone => None,
            };
            unchanged &= place.is_some() == before.is_some();
            edits.push(place.map(|place| {
                // The image from before the lock holds if nothing was published since.
                match before {
                    Some((_, image)) if moves.is_same() => (place, image.clone()),
                    _ => self.edited(current, place, edit),
                }
            }));
        }
        Ok((kills, edits, unchanged))
    }

    fn install(
        &self,
        writer: &mut Writer,
        current: &Snapshot,
        segment: Option<RamSegment>,
        kills: Vec<Option<Place>>,
        edits: Vec<Option<(Place, Arc<RowImage>)>>,
        lsn: Lsn,
    ) {
        let mut next = current.clone();
        next.edit(edits.into_iter().flatten().collect());
        next.kill(kills.into_iter().flatten().collect());
        if let Some(segment) = segment {
            next.add(PartKey::Ram(writer.next_segment), PartView::new(AnyPart::Ram(Arc::new(segment))));
            writer.next_segment += 1;
            writer.last_write = Some(Instant::now());
        }
        next.lsn = lsn;
        writer.lsn = lsn;
        writer.count_ram(&next);
        self.snapshot.store(Arc::new(next));
    }

    fn due(&self, writer: &Writer, lexicon: &Lexicon) -> Due {
        let snapshot = self.snapshot.load();
        Due {
            flush: writer.active_bytes + lexicon.memory_bytes() >= self.ram_limit(),
            edits: snapshot.unfiled_bytes() >= self.edits_limit(),
            tidy: self.tidy_due(&snapshot, writer.active_from),
            sync: writer.log_dirty,
        }
    }

    /// Wakes those who tidy up behind the writers.
    fn tidy_up_behind(&self, due: Due) {
        if due.edits {
            self.signals.ask(Wish::Edits);
        }
        if due.flush {
            self.signals.ask(Wish::Flush);
        }
        if due.tidy {
            while self.tidy_small() {}
            let active_from = self.writer.lock().active_from;
            if self.tidy_due(&self.snapshot(), active_from) {
                self.signals.ask(Wish::Tidy);
            }
        }
        if due.sync {
            self.signals.ask(Wish::Sync);
        }
    }

    /// Holds a writer up while the RAM chunk is at twice its limit: a flush is under way, or cannot be. An UPDATE is held up too while rows
    /// UPDATEd before it take far too much memory.
    fn wait_for_room(&self, updates: bool, stop: &StopToken) -> Result<(), TableError> {
        let mut waited = None;
        let mut writer = self.writer.lock();
        loop {
            if let Some(reason) = &writer.poisoned {
                return Err(TableError::Poisoned(reason.clone()));
            }
            let used = writer.active_bytes + writer.sealed_bytes;
            let ram_is_full = used >= 2 * self.ram_limit();
            let edits_are_many = updates && self.snapshot.load().unfiled_bytes() >= self.edits_limit().saturating_mul(EDITS_WAIT_FACTOR);
            if !ram_is_full && !edits_are_many {
                return Ok(());
            }
            let name = &self.name;
            match (&writer.flush_error, &writer.edits_error) {
                (Some(error), _) if ram_is_full => {
                    return Err(TableError::Failed(format!("the RAM chunk of table '{name}' is full and cannot be flushed: {error}")));
                }
                (_, Some(error)) if edits_are_many => {
                    return Err(TableError::Failed(format!("the updated rows of table '{name}' cannot be written out: {error}")));
                }
                _ => {}
            }
            if stop.is_stopped() || self.stop.is_stopped() {
                return Err(TableError::Stopped("stopped while waiting for room in the RAM chunk".into()));
            }
            let since = *waited.get_or_insert_with(|| {
                self.counters.write_waits.fetch_add(1, Ordering::Relaxed);
                Instant::now()
            });
            if self.is_frozen() && since.elapsed() > FROZEN_WAIT {
                let full = match ram_is_full {
                    true => format!("the RAM chunk of table '{name}' is full and the table is frozen: UNFREEZE it to let it be flushed"),
                    false => format!("too many updated rows of table '{name}' wait for a file and it is frozen: UNFREEZE it"),
                };
                return Err(TableError::Frozen(full));
            }
            self.signals.ask(if ram_is_full { Wish::Flush } else { Wish::Edits });
            self.room.wait_for(&mut writer, LOOK_EVERY);
        }
    }
}

/// Takes out of a draft what its statements no longer mean, since documents have changed between their snapshots and `now`.
fn look_again(draft: &mut Draft, now: &Arc<Snapshot>) {
    let Draft { kills, edits, seen, .. } = draft;
    let changed = |op: usize, id: DocId| -> Option<Place> {
        let seen = seen.get(op)?.as_ref()?;
        if Arc::ptr_eq(&seen.snapshot, now) {
            return None;
        }
        let place = now.locate(id)?;
        has_changed(&seen.snapshot, now, place).then_some(place)
    };
    kills.retain(|kill| changed(kill.op, kill.id).is_none_or(|place| still_kills(kill, seen, &now.parts[place.part], place.row)));
    edits.retain_mut(|edit| changed(edit.op, edit.id).is_none_or(|place| still_edits(edit, seen, &now.parts[place.part], place.row)));
}

/// Whether a kill still holds for a row that its statement has not seen like that.
fn still_kills(kill: &Kill, seen: &[Option<Seen>], view: &PartView, row: RowId) -> bool {
    match kill.cause {
        Cause::Insert | Cause::Replace => true,
        Cause::Delete => seen.get(kill.op).and_then(Option::as_ref).is_none_or(|seen| (seen.recheck)(view, row)),
    }
}

/// Whether an edit still holds for a row that its statement has not seen like that. New values that depend on the row are computed again.
fn still_edits(edit: &mut Edit, seen: &[Option<Seen>], view: &PartView, row: RowId) -> bool {
    let Some(seen) = seen.get(edit.op).and_then(Option::as_ref) else { return true };
    if let Some(compute) = &seen.recompute {
        edit.changes = compute(view, row);
    }
    !edit.changes.is_empty() && (seen.recheck)(view, row)
}

/// Whether the row at `place` of `now` is not what it was in `then`: it came since, or was updated since to other values.
fn has_changed(then: &Snapshot, now: &Snapshot, place: Place) -> bool {
    match then.index_of(now.keys[place.part]) {
        Some(part) => now.parts[place.part].edits.get(place.row) != then.parts[part].edits.get(place.row),
        None => true,
    }
}

/// What was published between the statement's snapshot and now.
struct Moves<'a> {
    base: &'a Snapshot,
    current: &'a Snapshot,
    same: bool,
    /// Parts of `current` that `base` lacks.
    fresh: Vec<usize>,
}

enum Found {
    /// Where it was found on the base (index of the part in the current snapshot).
    Same(Place),
    /// In a part published since, or changed since.
    Moved(Place),
    Gone,
}

impl<'a> Moves<'a> {
    fn new(base: &'a Arc<Snapshot>, current: &'a Arc<Snapshot>) -> Moves<'a> {
        let same = Arc::ptr_eq(base, current);
        let fresh = match same {
            true => Vec::new(),
            false => (0..current.keys.len()).filter(|i| base.index_of(current.keys[*i]).is_none()).collect(),
        };
        Moves { base, current, same, fresh }
    }

    /// Whether nothing was published since.
    fn is_same(&self) -> bool {
        self.same
    }

    fn find(&self, id: DocId, before: Option<Place>) -> Found {
        if self.same {
            return before.map_or(Found::Gone, Found::Same);
        }
        if let Some(place) = self.fresh.iter().rev().find_map(|part| self.current.locate_in(*part, id)) {
            return Found::Moved(place);
        }
        let Some(before) = before else { return Found::Gone };
        match self.current.index_of(self.base.keys[before.part]) {
            Some(part) if !self.current.parts[part].dead.contains(before.row) => {
                let place = Place { part, row: before.row };
                match has_changed(self.base, self.current, place) {
                    false => Found::Same(place),
                    true => Found::Moved(place),
                }
            }
            _ => Found::Gone,
        }
    }
}
