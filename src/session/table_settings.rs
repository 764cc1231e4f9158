//! Settings of a table as CREATE TABLE and ALTER TABLE write them.

use super::engine::Engine;
use super::failure::{Failure, error, not_built};
use crate::table;
use crate::types::{AttributeStorage, TableSettings};

/// Settings of the dialect that are known by name and not built. Those of text are known to `text`.
const NOT_BUILT: &[&str] = &[
    "access_blob_attrs",
    "access_dict",
    "access_doclists",
    "access_hitlists",
    "access_plain_attrs",
    "attr_update_reserve",
    "columnar_attrs",
    "columnar_no_fast_fetch",
    "docstore_block_size",
    "docstore_compression",
    "docstore_compression_level",
    "ha_strategy",
    "hnsw_parallel_build",
    "kbatch",
    "killlist_target",
    "preopen",
    "rowwise_attrs",
    "stored_fields",
    "stored_only_fields",
];

/// Puts `name='value'` into `settings`. Fails on unknown names, wrong values and what is not built; text options are only collected.
pub(super) fn put(settings: &mut TableSettings, name: &str, value: &str) -> Result<(), Failure> {
    let wrong = |wanted: &str| error(format!("{name}='{value}': {wanted} expected"));
    match name {
        "rt_mem_limit" => {
            let wanted = "a size of 64K or more";
            settings.rt_mem_limit = Some(size(value).filter(|&n| n >= 64 << 10).ok_or_else(|| wrong(wanted))?);
        }
        "auto_optimize" => {
            let factor = value.trim().parse::<u32>().ok().filter(|&n| n <= 1000);
            settings.auto_optimize = Some(factor.ok_or_else(|| wrong("a number from 0 to 1000"))?);
        }
        "optimize_cutoff" => {
            let cutoff = value.trim().parse::<u32>().ok().filter(|&n| n > 0);
            settings.optimize_cutoff = Some(cutoff.ok_or_else(|| wrong("a number from 1"))?);
        }
        "max_chunk_size" => {
            let bytes = size(value).filter(|&n| n == 0 || n >= 64 << 10).ok_or_else(|| wrong("0 (no cap) or a size of 64K or more"))?;
            settings.max_chunk_size = (bytes > 0).then_some(bytes);
        }
        "diskchunk_flush_write_timeout" => {
            settings.diskchunk_flush_write_timeout = Some(seconds(value).ok_or_else(|| wrong("seconds, or -1 for never"))?)
        }
        "diskchunk_flush_search_timeout" => {
            settings.diskchunk_flush_search_timeout = Some(seconds(value).ok_or_else(|| wrong("seconds, or -1"))?)
        }
        "type" if value == "rt" => {}
        "type" => return Err(not_built(&format!("a table of type '{value}'"))),
        "engine" => settings.storage = AttributeStorage::named(value).ok_or_else(|| wrong("'rowwise' or 'columnar'"))?,
        name if NOT_BUILT.contains(&name) => return Err(not_built(&format!("the table setting {name}"))),
        name => {
            settings.text.insert(name.to_owned(), value.to_owned());
        }
    }
    Ok(())
}

/// Whether a setting of this name is not about text.
pub(super) fn is_storage_setting(name: &str) -> bool {
    [
        "rt_mem_limit",
        "auto_optimize",
        "optimize_cutoff",
        "max_chunk_size",
        "diskchunk_flush_write_timeout",
        "diskchunk_flush_search_timeout",
    ]
    .contains(&name)
}

/// Checks the text options together. The error names option and value.
pub(super) fn check_text(settings: &TableSettings, engine: &Engine) -> Result<(), Failure> {
    table::analyzer(&*engine.catalog.surroundings().disk, settings)?;
    Ok(())
}

/// Bytes of `128M`.
pub(super) fn size(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: u64 = match &text[digits.len()..] {
        "" => 1,
        "k" | "K" => 1 << 10,
        "m" | "M" => 1 << 20,
        "g" | "G" => 1 << 30,
        "t" | "T" => 1 << 40,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// Seconds of `30`, `30s`, `5m`, `2h`, `1d`; -1 as it is.
pub(super) fn seconds(text: &str) -> Option<i64> {
    let text = text.trim();
    if text == "-1" {
        return Some(-1);
    }
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: u32 = match &text[digits.len()..] {
        "" | "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return None,
    };
    digits.parse::<u32>().ok()?.checked_mul(unit).map(i64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_or_refused() {
        let mut s = TableSettings::default();
        for (name, value) in [
            ("rt_mem_limit", "256K"),
            ("auto_optimize", "0"),
            ("optimize_cutoff", "16"),
            ("max_chunk_size", "3M"),
            ("diskchunk_flush_write_timeout", "-1"),
            ("diskchunk_flush_search_timeout", "5m"),
            ("engine", "rowwise"),
            ("engine", "columnar"),
            ("type", "rt"),
            ("morphology", "stem_en"),
        ] {
            put(&mut s, name, value).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        }
        assert_eq!((s.rt_mem_limit, s.optimize_cutoff, s.max_chunk_size), (Some(256 << 10), Some(16), Some(3 << 20)));
        assert_eq!((s.diskchunk_flush_write_timeout, s.diskchunk_flush_search_timeout), (Some(-1), Some(300)));
        assert_eq!(s.text["morphology"], "stem_en");
        assert_eq!((s.auto_optimize, s.storage), (Some(0), AttributeStorage::Columnar));
        for (name, value, part) in [
            ("rt_mem_limit", "1K", "a size of 64K or more"),
            ("rt_mem_limit", "99999999999999T", "a size"),
            ("optimize_cutoff", "0", "a number from 1"),
            ("auto_optimize", "-1", "a number from 0 to 1000"),
            ("diskchunk_flush_write_timeout", "soon", "seconds"),
            ("engine", "diagonal", "engine='diagonal': 'rowwise' or 'columnar' expected"),
            ("type", "distributed", "a table of type 'distributed' is not built yet"),
            ("docstore_compression", "zstd", "the table setting docstore_compression is not built yet"),
        ] {
            match put(&mut s, name, value) {
                Err(Failure::Statement(e)) => assert!(e.message.contains(part), "{name}: {}", e.message),
                other => panic!("{name}: {other:?}"),
            }
        }
    }
}
