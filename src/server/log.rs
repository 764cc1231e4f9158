//! Where messages go: `[date] [thread] LEVEL message`, to standard error or a file.

use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use tracing::{Event, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, MakeWriter};
use tracing_subscriber::registry::LookupSpan;

use crate::storage::{Disk, WriteFile};

/// A file that lines are appended to, by many threads, and that can be opened anew after it was renamed by whoever rotates logs.
pub(super) struct AppendFile {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    file: Mutex<Box<dyn WriteFile>>,
}

impl AppendFile {
    pub(super) fn open(disk: &Arc<dyn Disk>, path: PathBuf) -> io::Result<AppendFile> {
        let file = Mutex::new(disk.append(&path)?);
        Ok(AppendFile { disk: disk.clone(), path, file })
    }

    /// Appends whole lines. A full disk loses them: messages must not stop the server.
    pub(super) fn append(&self, lines: &[u8]) {
        let _ = self.file.lock().write(lines);
    }

    /// Goes on in a file of the old name.
    pub(super) fn reopen(&self) -> io::Result<()> {
        let opened = self.disk.append(&self.path)?;
        *self.file.lock() = opened;
        Ok(())
    }
}

/// Begins to take messages from all floors. The environment variable `CHIMERA_LOG` sets what is told (`debug`, `warn,chimera::table=trace`
/// …); it is `info` otherwise. Panics are messages too. Only the first call in a process has an effect.
pub(super) fn install(file: Option<Arc<AppendFile>>) {
    let filter = EnvFilter::try_from_env("CHIMERA_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).event_format(Line).with_writer(Target(file));
    if builder.try_init().is_ok() {
        std::panic::set_hook(Box::new(|panic| {
            let backtrace = std::backtrace::Backtrace::force_capture();
            tracing::error!("{panic}\n{backtrace}");
        }));
    }
}

struct Target(Option<Arc<AppendFile>>);

enum OneMessage {
    Standard(io::Stderr),
    File(Arc<AppendFile>),
}

impl<'a> MakeWriter<'a> for Target {
    type Writer = OneMessage;

    fn make_writer(&'a self) -> OneMessage {
        match &self.0 {
            Some(file) => OneMessage::File(file.clone()),
            None => OneMessage::Standard(io::stderr()),
        }
    }
}

impl Write for OneMessage {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            OneMessage::Standard(stderr) => stderr.write(bytes),
            OneMessage::File(file) => {
                file.append(bytes);
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The form of a line.
struct Line;

impl<S, N> FormatEvent<S, N> for Line
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let thread = std::thread::current();
        let name = thread.name().unwrap_or("unnamed");
        write!(writer, "[{}] [{name}] {} ", now(), event.metadata().level())?;
        context.field_format().format_fields(writer.by_ref(), event)?;
        writeln!(writer)
    }
}

/// The local time as the dialect's logs show it: `Sun Apr 28 12:38:02.808 2024`.
pub(super) fn now() -> String {
    jiff::ZonedDateTime::now().strftime("%a %b %e %H:%M:%S.%3f %Y").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::RealDisk;

    #[test]
    fn messages_are_lines_of_the_stated_form() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("server.log");
        let disk: Arc<dyn Disk> = Arc::new(RealDisk);
        let file = Arc::new(AppendFile::open(&disk, path.clone()).expect("opened"));
        let subscriber = tracing_subscriber::fmt().event_format(Line).with_writer(Target(Some(file.clone()))).finish();
        tracing::subscriber::with_default(subscriber, || {
            tracing::warn!("disk {} is full", 7);
            // A rotation: what follows goes into a new file of the same name.
            disk.rename(&path, &folder.path().join("old.log")).expect("renamed");
            file.reopen().expect("opened");
            tracing::info!("later");
        });
        let old = String::from_utf8(disk.read(&folder.path().join("old.log")).expect("read")).expect("text");
        assert!(old.starts_with('[') && old.ends_with("] WARN disk 7 is full\n") && old.lines().count() == 1, "{old}");
        let new = String::from_utf8(disk.read(&path).expect("read")).expect("text");
        assert!(new.ends_with("] INFO later\n") && new.lines().count() == 1, "{new}");
    }
}
