//! The durable list of a table's parts: one statement about one LSN.
//!
//! Everything up to `replay_from`, for all parts, is in the files that the manifest names; what came later is in the log. Only a flush,
//! a saved RAM chunk or a TRUNCATE moves `replay_from`; a merge never does, since rows may still sit in RAM.
//!
//! The file is JSON for the operator's eyes, with the checksum of that line below it:
//!
//! ```text
//! {"format":2,"uuid":"…","chunks":[…],…}
//! crc32 1a2b3c4d
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value as Json, json};

use super::TableError;
use super::side::{Kind, attrs_path};
use crate::storage::{Disk, Replacement};
use crate::types::{AttributeStorage, ChunkId, Column, ColumnKind, Lsn, Schema, TableSettings};

/// Version of the manifest that this program writes.
const FORMAT: u64 = 2;
/// Name of the file in a table's folder.
pub const FILE_NAME: &str = "manifest";

/// A chunk as the manifest lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkEntry {
    /// Folder `chunk.<id>`.
    pub id: ChunkId,
    /// Number of its file of dead rows, if it has dead rows.
    pub dead: Option<u64>,
    /// Numbers of its files of UPDATEd rows, each on top of the one before.
    pub attrs: Vec<u64>,
    /// How often the oldest of its rows was rewritten by merges.
    pub level: u32,
    /// When it was published, in seconds since 1970.
    pub created: u64,
}

/// Chunks that a merge has replaced and that can be put back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptEntry {
    /// The replaced chunks.
    pub chunks: Vec<ChunkEntry>,
    /// What stands in their place now.
    pub outputs: Vec<ChunkId>,
    /// Seconds since 1970 after which the replaced chunks go; 0 = only when asked.
    pub until: u64,
}

/// What the file says.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// Identity of the table; in every file it owns.
    pub uuid: u128,
    /// Columns.
    pub schema: Schema,
    /// Options of the table.
    pub settings: TableSettings,
    /// Disk chunks, ascending by id.
    pub chunks: Vec<ChunkEntry>,
    /// Chunks that OPTIMIZE … OPTION keep=1 has replaced.
    pub kept: Option<KeptEntry>,
    /// Number of the file with the saved RAM chunk, if there is one.
    pub ram: Option<u64>,
    /// Folder of the binary log where it is not the table's own: what is to be replayed is looked for there, whatever the config says now.
    pub log_dir: Option<String>,
    /// Replay starts behind this record.
    pub replay_from: Lsn,
    /// Records of earlier epochs are skipped: TRUNCATE came between.
    pub epoch: u32,
    /// Next chunk id to give.
    pub next_chunk: u64,
    /// Next number for files beside the chunks.
    pub next_file: u64,
    /// Automatic ids below this one may have been given.
    pub next_auto_id: u64,
    /// Written by a clean stop with nothing left in the log.
    pub clean: bool,
}

impl Manifest {
    /// Writes the file durably into the table's folder. After [`TableError::Failed`] the old manifest holds; after
    /// [`TableError::Poisoned`] it is unknown which one a crash would leave, so no file that either names may go.
    pub fn write(&self, disk: &dyn Disk, dir: &Path) -> Result<(), TableError> {
        let line = self.to_json().to_string();
        let text = format!("{line}\ncrc32 {:08x}\n", crc32fast::hash(line.as_bytes()));
        let ready = Replacement::prepare(disk, &dir.join(FILE_NAME), text.as_bytes()).map_err(|e| TableError::io("manifest", e))?;
        ready.commit(disk).map_err(|e| TableError::Poisoned(format!("manifest: {e}")))
    }

    /// Reads the file of a table's folder.
    pub fn read(disk: &dyn Disk, dir: &Path) -> Result<Manifest, TableError> {
        let path = dir.join(FILE_NAME);
        let corrupt = |what: &str| TableError::Corrupt(format!("manifest corrupt: {}: {what}", path.display()));
        let bytes = disk.read(&path).map_err(|e| TableError::io("manifest", e))?;
        let text = std::str::from_utf8(&bytes).map_err(|_| corrupt("UTF-8 expected"))?;
        let (line, rest) = text.split_once('\n').ok_or_else(|| corrupt("a checksum line expected"))?;
        if rest != format!("crc32 {:08x}\n", crc32fast::hash(line.as_bytes())) {
            return Err(corrupt("checksum does not match"));
        }
        let json: Json = serde_json::from_str(line).map_err(|_| corrupt("JSON expected"))?;
        let format = json["format"].as_u64().unwrap_or(0);
        if format > FORMAT {
            return Err(TableError::Corrupt(format!("{}: format {format}, newest known is {FORMAT}", path.display())));
        }
        if format < FORMAT {
            return Err(TableError::Corrupt(format!("{}: format {format}, oldest known is {FORMAT}", path.display())));
        }
        Manifest::from_json(&json).ok_or_else(|| corrupt("a field is missing or of the wrong type"))
    }

    /// Chunks in use and kept ones.
    pub fn all_chunks(&self) -> impl Iterator<Item = &ChunkEntry> {
        self.chunks.iter().chain(self.kept.iter().flat_map(|k| &k.chunks))
    }

    /// Files in the table's folder, beside the chunks' own, that the manifest names.
    pub fn side_files(&self, dir: &Path) -> Vec<PathBuf> {
        let of_chunk = |c: &ChunkEntry| {
            let attrs = c.attrs.iter().map(|n| attrs_path(dir, *n));
            c.dead.map(|n| Kind::Dead.path(dir, n)).into_iter().chain(attrs).collect::<Vec<_>>()
        };
        let mut all: Vec<PathBuf> = self.all_chunks().flat_map(of_chunk).collect();
        all.extend(self.ram.map(|n| Kind::Ram.path(dir, n)));
        all
    }

    fn to_json(&self) -> Json {
        json!({
            "format": FORMAT,
            "uuid": format!("{:032x}", self.uuid),
            "schema": { "version": self.schema.version, "columns": self.schema.columns.iter().map(column_to_json).collect::<Vec<_>>() },
            "settings": settings_to_json(&self.settings),
            "chunks": self.chunks.iter().map(chunk_to_json).collect::<Vec<_>>(),
            "kept": self.kept.as_ref().map(|k| json!({
                "chunks": k.chunks.iter().map(chunk_to_json).collect::<Vec<_>>(),
                "outputs": k.outputs.iter().map(|id| id.0).collect::<Vec<_>>(),
                "until": k.until,
            })),
            "ram": self.ram,
            "log_dir": self.log_dir,
            "replay_from": self.replay_from.0,
            "epoch": self.epoch,
            "next_chunk": self.next_chunk,
            "next_file": self.next_file,
            "next_auto_id": self.next_auto_id,
            "clean": self.clean,
        })
    }

    fn from_json(json: &Json) -> Option<Manifest> {
        let columns = json["schema"]["columns"].as_array()?.iter().map(column_from_json).collect::<Option<Vec<_>>>()?;
        let chunks = |json: &Json| json.as_array()?.iter().map(chunk_from_json).collect::<Option<Vec<_>>>();
        let kept = match &json["kept"] {
            Json::Null => None,
            kept => Some(KeptEntry {
                chunks: chunks(&kept["chunks"])?,
                outputs: kept["outputs"].as_array()?.iter().map(|id| id.as_u64().map(ChunkId)).collect::<Option<_>>()?,
                until: kept["until"].as_u64()?,
            }),
        };
        Some(Manifest {
            uuid: u128::from_str_radix(json["uuid"].as_str()?, 16).ok()?,
            schema: Schema { version: json["schema"]["version"].as_u64()? as u32, columns },
            settings: settings_from_json(&json["settings"])?,
            chunks: chunks(&json["chunks"])?,
            kept,
            ram: json["ram"].as_u64(),
            log_dir: json["log_dir"].as_str().map(str::to_owned),
            replay_from: Lsn(json["replay_from"].as_u64()?),
            epoch: json["epoch"].as_u64()? as u32,
            next_chunk: json["next_chunk"].as_u64()?,
            next_file: json["next_file"].as_u64()?,
            next_auto_id: json["next_auto_id"].as_u64()?,
            clean: json["clean"].as_bool()?,
        })
    }
}

fn chunk_to_json(chunk: &ChunkEntry) -> Json {
    json!({ "id": chunk.id.0, "dead": chunk.dead, "attrs": chunk.attrs, "level": chunk.level, "created": chunk.created })
}

fn chunk_from_json(json: &Json) -> Option<ChunkEntry> {
    Some(ChunkEntry {
        id: ChunkId(json["id"].as_u64()?),
        dead: json["dead"].as_u64(),
        attrs: json["attrs"].as_array()?.iter().map(Json::as_u64).collect::<Option<_>>()?,
        level: json["level"].as_u64()? as u32,
        created: json["created"].as_u64()?,
    })
}

fn column_to_json(column: &Column) -> Json {
    json!({
        "name": column.name, "kind": column.kind.desc_name(), "uid": column.uid,
        "indexed": column.indexed, "stored": column.stored, "attribute": column.attribute, "columnar": column.columnar,
    })
}

fn column_from_json(json: &Json) -> Option<Column> {
    use ColumnKind::*;
    let name = json["kind"].as_str()?;
    let kind = [Text, String, Uint, Bigint, Float, Bool, Timestamp, Multi, Multi64, Json].into_iter().find(|k| k.desc_name() == name)?;
    Some(Column {
        name: json["name"].as_str()?.to_owned(),
        kind,
        uid: json["uid"].as_u64()? as u32,
        indexed: json["indexed"].as_bool()?,
        stored: json["stored"].as_bool()?,
        attribute: json["attribute"].as_bool()?,
        // Manifests from before there were columnar attributes do not speak of them.
        columnar: json.get("columnar").is_some_and(|value| value == true),
    })
}

fn settings_to_json(settings: &TableSettings) -> Json {
    let mut out = Map::new();
    out.insert("rt_mem_limit".into(), json!(settings.rt_mem_limit));
    out.insert("auto_optimize".into(), json!(settings.auto_optimize));
    out.insert("optimize_cutoff".into(), json!(settings.optimize_cutoff));
    out.insert("max_chunk_size".into(), json!(settings.max_chunk_size));
    out.insert("diskchunk_flush_write_timeout".into(), json!(settings.diskchunk_flush_write_timeout));
    out.insert("diskchunk_flush_search_timeout".into(), json!(settings.diskchunk_flush_search_timeout));
    out.insert("engine".into(), json!(settings.storage.name()));
    out.insert("text".into(), json!(settings.text));
    Json::Object(out)
}

fn settings_from_json(json: &Json) -> Option<TableSettings> {
    let mut text = BTreeMap::new();
    for (name, value) in json["text"].as_object()? {
        text.insert(name.clone(), value.as_str()?.to_owned());
    }
    Some(TableSettings {
        rt_mem_limit: json["rt_mem_limit"].as_u64(),
        auto_optimize: json["auto_optimize"].as_u64().map(|n| n as u32),
        optimize_cutoff: json["optimize_cutoff"].as_u64().map(|n| n as u32),
        max_chunk_size: json["max_chunk_size"].as_u64(),
        diskchunk_flush_write_timeout: json["diskchunk_flush_write_timeout"].as_i64(),
        diskchunk_flush_search_timeout: json["diskchunk_flush_search_timeout"].as_i64(),
        // Manifests from before there was a choice do not speak of it.
        storage: match json.get("engine") {
            None => AttributeStorage::Rowwise,
            Some(name) => AttributeStorage::named(name.as_str()?)?,
        },
        text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::CrashDisk;

    #[test]
    fn what_was_written_is_read_and_damage_is_named() {
        let column =
            |name: &str, kind| Column { name: name.into(), kind, uid: 3, indexed: true, stored: true, attribute: false, columnar: false };
        let manifest = Manifest {
            uuid: 0xfeed_0000_0000_0000_0000_0000_0000_0001,
            schema: Schema { version: 2, columns: vec![column("titel »ä«", ColumnKind::Text)] },
            settings: TableSettings {
                rt_mem_limit: Some(1 << 20),
                diskchunk_flush_write_timeout: Some(-1),
                text: [("morphology".to_owned(), "stem_en".to_owned())].into(),
                ..TableSettings::default()
            },
            chunks: vec![ChunkEntry { id: ChunkId(4), dead: Some(9), attrs: Vec::new(), level: 2, created: 1_700_000_000 }],
            kept: Some(KeptEntry {
                chunks: vec![ChunkEntry { id: ChunkId(2), dead: None, attrs: vec![3, 8], level: 0, created: 0 }],
                outputs: vec![ChunkId(4)],
                until: 99,
            }),
            ram: Some(11),
            log_dir: Some("/logs/t.1".into()),
            replay_from: Lsn(77),
            epoch: 1,
            next_chunk: 5,
            next_file: 12,
            next_auto_id: u64::MAX >> 2,
            clean: false,
        };
        let (disk, dir) = (CrashDisk::new(), Path::new("/t"));
        disk.create_dir(dir).expect("create");
        manifest.write(&disk, dir).expect("write");
        assert_eq!(Manifest::read(&disk, dir).expect("read"), manifest);

        let path = dir.join(FILE_NAME);
        let whole = disk.read(&path).expect("there");
        for at in 0..whole.len() {
            let mut bad = whole.clone();
            bad[at] ^= 4;
            disk.create(&path).expect("create").write(&bad).expect("write");
            let error = Manifest::read(&disk, dir).expect_err("a flipped bit").to_string();
            assert!(error.contains("/t/manifest"), "{error}");
        }
    }
}
