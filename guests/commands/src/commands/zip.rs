//! zip and unzip, based on the `zip` crate.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use crate::glob;
use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output::{self, reason};

const ZIP: Usage = Usage {
    name: "zip",
    text: "\
Usage: zip [OPTION]... ARCHIVE FILE...
Add FILEs to ARCHIVE, replacing entries of the same name.

  -r             travel into directories
  -j             junk directory names
  -q             quiet operation
  -0 ... -9      store only, compress faster ... compress better
  -x PATTERN...  exclude names that match
  -d             delete entries from the archive
  -m             move into the archive: delete the files
  -u             update: only files that are new or changed
",
    trouble: 16,
};

const UNZIP: Usage = Usage {
    name: "unzip",
    text: "\
Usage: unzip [OPTION]... ARCHIVE [NAME]... [-x NAME...] [-d DIRECTORY]
Extract the entries of ARCHIVE.

  -l          list the entries
  -v          list verbosely
  -t          test the entries
  -p          extract to standard output, without messages
  -d DIR      extract into DIR
  -o          overwrite files
  -n          never overwrite files
  -j          junk directory names
  -q          quiet operation
  -Z1         list names only
  -x NAME...  exclude entries that match
",
    trouble: 10,
};

/// Exit code of unzip for an archive that cannot be read.
const BAD_ARCHIVE: i32 = 9;
/// Exit code of both for names that match nothing.
const NOTHING: i32 = 11;
/// Deepest directory that is entered.
const MAX_DEPTH: usize = 256;

fn failed(name: &str, what: &str, error: &dyn std::fmt::Display, code: i32) -> i32 {
    eprintln!("{name}: {what}: {error}");
    code
}

pub(crate) fn zip(args: Vec<OsString>) -> i32 {
    let mut specs = vec![
        ('r', "recurse-paths", Value::None),
        ('j', "junk-paths", Value::None),
        ('q', "quiet", Value::None),
        ('x', "exclude", Value::None),
        ('d', "delete", Value::None),
        ('m', "move", Value::None),
        ('u', "update", Value::None),
        ('y', "symlinks", Value::None),
        ('X', "no-extra", Value::None),
        ('D', "no-dir-entries", Value::None),
    ];
    specs.extend("0123456789".chars().map(|digit| (digit, "", Value::None)));
    let items = match options::parse(&ZIP, args, &specs, Order::Anywhere) {
        Ok(items) => items,
        Err(code) => return code,
    };
    let mut has = std::collections::HashSet::new();
    let (mut level, mut names, mut excluded, mut excluding) = (6, Vec::new(), Vec::new(), false);
    for item in items {
        match item {
            // The list of `-x` goes on to the next option.
            Item::Option(key, _) => {
                excluding = key == Key::Short('x');
                match key {
                    Key::Short(digit @ '0'..='9') => level = digit as i64 - '0' as i64,
                    Key::Short(letter) => drop(has.insert(letter)),
                    Key::Long(_) => {}
                }
            }
            Item::Operand(name) if excluding => excluded.push(name.to_string_lossy().into_owned()),
            Item::Operand(name) => names.push(name),
        }
    }
    if names.is_empty() {
        return ZIP.wrong("an archive is needed");
    }
    let mut archive = PathBuf::from(names.remove(0));
    if archive.extension().is_none() {
        archive.set_extension("zip");
    }
    let set = Set { has, level, excluded, archive };
    set.run(&names).unwrap_or_else(|code| code)
}

/// One call of zip.
struct Set {
    has: std::collections::HashSet<char>,
    level: i64,
    excluded: Vec<String>,
    archive: PathBuf,
}

/// A file to be added: its name in the archive, and its path.
type Added = (String, PathBuf);

impl Set {
    fn run(&self, names: &[OsString]) -> Result<i32, i32> {
        let shown = self.archive.display().to_string();
        let old = match fs::read(&self.archive) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(failed("zip", &shown, &reason(&error), 15)),
        };
        let mut files = Vec::new();
        let mut code = 0;
        if !self.has.contains(&'d') {
            for name in names {
                if name == "-" {
                    files.push(("-".to_owned(), PathBuf::from("-")));
                } else if self.collect(Path::new(name), &mut files, 0).is_err() {
                    let warning = format!("\tzip warning: name not matched: {}", name.display());
                    if self.has.contains(&'q') {
                        eprintln!("{warning}");
                    } else {
                        println!("{warning}");
                    }
                    code = 12;
                }
            }
            if files.is_empty() {
                println!("\nzip error: Nothing to do! ({shown})");
                return Err(12);
            }
        }
        let mut bytes = io::Cursor::new(Vec::new());
        let done = self.write(old.as_deref(), names, &files, &mut bytes);
        let count = match done {
            Ok(count) => count,
            Err(error) => return Err(failed("zip", &shown, &error, 15)),
        };
        let bytes = bytes.into_inner();
        let stored = match count {
            0 => fs::remove_file(&self.archive),
            _ => fs::write(&self.archive, bytes),
        };
        if let Err(error) = stored {
            return Err(failed("zip", &shown, &reason(&error), 15));
        }
        if self.has.contains(&'m') {
            for (_, path) in files.iter().rev() {
                let _ = if path.is_dir() { fs::remove_dir(path) } else { fs::remove_file(path) };
            }
        }
        Ok(code)
    }

    fn excludes(&self, name: &str) -> bool {
        let fits = |pattern: &String| glob::matches(pattern.as_bytes(), name.as_bytes());
        self.excluded.iter().any(fits)
    }

    fn collect(&self, path: &Path, files: &mut Vec<Added>, depth: usize) -> io::Result<()> {
        let data = fs::metadata(path)?;
        let text = path.to_string_lossy();
        let mut name = text.trim_start_matches("./").trim_start_matches('/').to_owned();
        if self.has.contains(&'j') {
            let last = path.file_name().map(|name| name.to_string_lossy().into_owned());
            name = last.unwrap_or_default();
        }
        if !data.is_dir() {
            if !self.excludes(&name) {
                files.push((name, path.to_path_buf()));
            }
            return Ok(());
        }
        let name = format!("{}/", name.trim_end_matches('/'));
        let keeps = !self.has.contains(&'j') && !self.has.contains(&'D') && name != "/";
        if keeps && name != "./" && !self.excludes(&name) {
            files.push((name, path.to_path_buf()));
        }
        if self.has.contains(&'r') && depth < MAX_DEPTH {
            let mut entries: Vec<_> = fs::read_dir(path)?.flatten().map(|e| e.path()).collect();
            entries.sort();
            for entry in entries {
                self.collect(&entry, files, depth + 1)?;
            }
        }
        Ok(())
    }

    /// Writes the new archive and returns the number of its entries.
    fn write(
        &self,
        old: Option<&[u8]>,
        deleted: &[OsString],
        files: &[Added],
        to: &mut io::Cursor<Vec<u8>>,
    ) -> Result<usize, String> {
        let text = |error: zip::result::ZipError| error.to_string();
        let mut writer = ZipWriter::new(to);
        let mut count = 0;
        let mut known = Vec::new();
        let say = |line: &str| {
            if !self.has.contains(&'q') {
                println!("{line}");
            }
        };
        if let Some(old) = old {
            let mut archive = ZipArchive::new(io::Cursor::new(old)).map_err(text)?;
            for at in 0..archive.len() {
                let entry = archive.by_index_raw(at).map_err(text)?;
                let name = entry.name().map_err(text)?.into_owned();
                let is_named = |pattern: &OsString| {
                    glob::matches(pattern.to_string_lossy().as_bytes(), name.as_bytes())
                };
                if self.has.contains(&'d') && deleted.iter().any(is_named) {
                    say(&format!("deleting: {name}"));
                    continue;
                }
                if files.iter().any(|(fresh, _)| *fresh == name) {
                    known.push(name);
                    continue;
                }
                writer.raw_copy_file(entry).map_err(text)?;
                count += 1;
            }
        }
        for (name, path) in files {
            self.add(&mut writer, name, path, known.contains(name), &say)?;
            count += 1;
        }
        writer.finish().map_err(text)?;
        Ok(count)
    }

    fn add<W: Write + io::Seek>(
        &self,
        writer: &mut ZipWriter<W>,
        name: &str,
        path: &Path,
        is_known: bool,
        say: &dyn Fn(&str),
    ) -> Result<(), String> {
        let text = |error: zip::result::ZipError| error.to_string();
        let mut options =
            SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        if let Ok(status) = crate::files::status(path.to_string_lossy().as_bytes(), true) {
            options = options.unix_permissions(status.mode & 0o7777);
            if let Some(time) = zip_time(status.modified / 1_000_000_000) {
                options = options.last_modified_time(time);
            }
        }
        let verb = if is_known { "updating" } else { "  adding" };
        if name.ends_with('/') {
            writer.add_directory(name, options).map_err(text)?;
            say(&format!("{verb}: {name} (stored 0%)"));
            return Ok(());
        }
        let mut bytes = Vec::new();
        let read = match name {
            "-" => output::Input.read_to_end(&mut bytes),
            _ => File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)),
        };
        read.map_err(|error| format!("{name}: {}", reason(&error)))?;
        // An entry that compression does not shorten is stored.
        let packed =
            if self.level == 0 { usize::MAX } else { packed_len(&bytes, self.level as u32) };
        let is_stored = packed >= bytes.len();
        if !is_stored {
            // A level is refused for entries that are stored.
            options = options
                .compression_method(CompressionMethod::Deflated)
                .compression_level(Some(self.level));
        }
        writer.start_file(name, options).map_err(text)?;
        writer.write_all(&bytes).map_err(|error| reason(&error))?;
        if is_stored {
            say(&format!("{verb}: {name} (stored 0%)"));
        } else {
            let saved = 100 - (packed * 100).div_ceil(bytes.len()).min(100);
            say(&format!("{verb}: {name} (deflated {saved}%)"));
        }
        Ok(())
    }
}

/// Returns the length of the compressed form, for the message.
fn packed_len(bytes: &[u8], level: u32) -> usize {
    let level = flate2::Compression::new(level);
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), level);
    let done = encoder.write_all(bytes).and_then(|()| encoder.finish());
    done.map_or(bytes.len(), |packed| packed.len())
}

/// Converts seconds since 1970 to the time of an entry; times before 1980 have none.
fn zip_time(seconds: u64) -> Option<DateTime> {
    let text = cofferdam_guest_sys::calendar::format(b"%Y %m %d %H %M %S", seconds as i64);
    let text = String::from_utf8(text).ok()?;
    let parts: Vec<u16> = text.split(' ').filter_map(|part| part.parse().ok()).collect();
    let &[year, month, day, hour, minute, second] = parts.as_slice() else { return None };
    let [month, day, hour, minute, second] =
        [month, day, hour, minute, second].map(|part| part as u8);
    DateTime::from_date_and_time(year, month, day, hour, minute, second).ok()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Job {
    Extract,
    List,
    Names,
    Test,
    Print,
}

pub(crate) fn unzip(args: Vec<OsString>) -> i32 {
    run_unzip(args).unwrap_or_else(|code| code)
}

fn run_unzip(args: Vec<OsString>) -> Result<i32, i32> {
    let specs = [
        ('l', "", Value::None),
        ('v', "", Value::None),
        ('t', "", Value::None),
        ('p', "", Value::None),
        ('c', "", Value::None),
        ('d', "", Value::Required),
        ('o', "", Value::None),
        ('n', "", Value::None),
        ('j', "", Value::None),
        ('q', "", Value::None),
        ('Z', "", Value::None),
        ('1', "", Value::None),
        ('x', "", Value::None),
        ('u', "", Value::None),
    ];
    let (mut job, mut dir, mut never, mut over, mut junk, mut quiet) =
        (Job::Extract, PathBuf::new(), false, false, false, false);
    let (mut names, mut excluded, mut excluding) = (Vec::new(), Vec::new(), false);
    for item in options::parse(&UNZIP, args, &specs, Order::Anywhere)? {
        match item {
            Item::Option(Key::Short('l' | 'v'), _) => job = Job::List,
            Item::Option(Key::Short('Z' | '1'), _) => job = Job::Names,
            Item::Option(Key::Short('t'), _) => job = Job::Test,
            Item::Option(Key::Short('p' | 'c'), _) => job = Job::Print,
            Item::Option(Key::Short('d'), Some(to)) => dir = PathBuf::from(to),
            Item::Option(Key::Short('o'), _) => over = true,
            Item::Option(Key::Short('n'), _) => never = true,
            Item::Option(Key::Short('j'), _) => junk = true,
            Item::Option(Key::Short('q'), _) => quiet = true,
            Item::Option(Key::Short('x'), _) => excluding = true,
            Item::Option(..) => {}
            Item::Operand(name) if excluding => excluded.push(name.to_string_lossy().into_owned()),
            Item::Operand(name) => names.push(name.to_string_lossy().into_owned()),
        }
    }
    if names.is_empty() {
        return Err(UNZIP.wrong("an archive is needed"));
    }
    let archive = names.remove(0);
    let file = File::open(&archive).or_else(|_| File::open(format!("{archive}.zip")));
    let file = file.map_err(|_| {
        eprintln!("unzip:  cannot find or open {archive}, {archive}.zip or {archive}.ZIP.");
        BAD_ARCHIVE
    })?;
    let mut zip = ZipArchive::new(file).map_err(|error| {
        eprintln!("  End-of-central-directory signature not found: {error}");
        eprintln!("unzip:  cannot find zipfile directory in {archive}");
        BAD_ARCHIVE
    })?;
    let fits = |pattern: &String, name: &str| glob::matches(pattern.as_bytes(), name.as_bytes());
    let wanted = |name: &str| {
        (names.is_empty() || names.iter().any(|pattern| fits(pattern, name)))
            && !excluded.iter().any(|pattern| fits(pattern, name))
    };
    let mut out = output::stdout();
    let shown = |error: io::Error| failed("unzip", &archive, &reason(&error), 50);
    if !quiet && !matches!(job, Job::Print | Job::Names) {
        writeln!(out, "Archive:  {archive}").map_err(shown)?;
    }
    if job == Job::List {
        writeln!(out, "  Length      Date    Time    Name\n---------  ---------- -----   ----")
            .map_err(shown)?;
    }
    let (mut total, mut count, mut code) = (0, 0, 0);
    for at in 0..zip.len() {
        let mut entry = zip.by_index(at).map_err(|e| failed("unzip", &archive, &e, BAD_ARCHIVE))?;
        let name = entry.name().map_err(|e| failed("unzip", &archive, &e, BAD_ARCHIVE))?;
        let name = name.into_owned();
        if !wanted(&name) {
            continue;
        }
        count += 1;
        total += entry.size();
        let done = match job {
            Job::List => {
                let time = entry.last_modified().unwrap_or_default();
                writeln!(
                    out,
                    "{:>9}  {:04}-{:02}-{:02} {:02}:{:02}   {name}",
                    entry.size(),
                    time.year(),
                    time.month(),
                    time.day(),
                    time.hour(),
                    time.minute()
                )
            }
            Job::Names => writeln!(out, "{name}"),
            Job::Test => io::copy(&mut entry, &mut io::sink()).and_then(|_| match quiet {
                true => Ok(()),
                false => writeln!(out, "    testing: {name:<22}   OK"),
            }),
            Job::Print => io::copy(&mut entry, &mut out).map(drop),
            Job::Extract => {
                let Some(inside) = entry.enclosed_name() else {
                    eprintln!("warning:  skipped \"../\" path component(s) in {name}");
                    code = 1;
                    continue;
                };
                let inside = match inside.file_name() {
                    Some(last) if junk => PathBuf::from(last),
                    _ => inside,
                };
                let to = dir.join(inside);
                if to.exists() && !entry.is_dir() && !over {
                    if !never {
                        eprintln!("unzip: {} exists; use -o to replace it", to.display());
                        code = 1;
                    }
                    continue;
                }
                extract(&mut entry, &to, junk, quiet, &mut out)
            }
        };
        if let Err(error) = done {
            let _ = out.flush();
            eprintln!("unzip: {name}: {}", reason(&error));
            code = 2;
        }
    }
    if job == Job::List {
        let noun = if count == 1 { "file" } else { "files" };
        writeln!(
            out,
            "---------                     -------\n{total:>9}                     {count} {noun}"
        )
        .map_err(shown)?;
    }
    if job == Job::Test && code == 0 && !quiet {
        writeln!(out, "No errors detected in compressed data of {archive}.").map_err(shown)?;
    }
    if count == 0 && !names.is_empty() {
        let _ = out.flush();
        eprintln!("caution: filename not matched:  {}", names.join(" "));
        code = NOTHING;
    }
    Ok(output::finish("unzip", &mut out, code))
}

fn extract<R: Read>(
    entry: &mut zip::read::ZipFile<'_, R>,
    to: &Path,
    junk: bool,
    quiet: bool,
    out: &mut output::Output,
) -> io::Result<()> {
    if entry.is_dir() {
        if junk {
            return Ok(());
        }
        if !to.is_dir() && !quiet {
            writeln!(out, "   creating: {}/", to.display())?;
        }
        return fs::create_dir_all(to);
    }
    if let Some(folder) = to.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder)?;
    }
    let verb = match entry.compression() {
        CompressionMethod::Stored => " extracting",
        _ => "  inflating",
    };
    if !quiet {
        writeln!(out, "{verb}: {:<22}  ", to.display())?;
    }
    let mut file = File::create(to)?;
    io::copy(entry, &mut file)?;
    if let Some(mode) = entry.unix_mode().filter(|mode| mode & 0o777 != 0) {
        let path = to.to_string_lossy();
        cofferdam_guest_sys::chmod(path.as_bytes(), mode & 0o777)?;
    }
    Ok(())
}
