//! tree and du: show what is below directories.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};

use cofferdam_guest_sys::FileStatus;

use crate::bytes::{OsStrExt as _, OsStringExt as _, join};
use crate::files::{Kind, blocks, human, status};
use crate::glob;
use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output::{self, Output, reason};

/// Deepest nesting of directories.
const MAX_DEPTH: usize = 200;

const TREE: Usage = Usage {
    name: "tree",
    text: "\
Usage: tree [OPTION]... [DIRECTORY]...
List contents of directories in a tree-like format.

  -a             all files are listed
  -d             list directories only
  -f             print the full path prefix for each file
  -F             append '/', '*' or '@' as ls -F does
  -L LEVEL       descend only LEVEL directories deep
  -P PATTERN     list only those files that match the pattern
  -I PATTERN     do not list files that match the pattern
  -i             don't print indentation lines
  -s, -h         print the size in bytes, or as people read it
  --noreport     turn off the count at the end
  --dirsfirst    list directories before files
  --charset=X    'ascii' draws with ASCII characters
",
    trouble: 1,
};

#[derive(Default)]
struct Tree {
    all: bool,
    directories_only: bool,
    full: bool,
    marks: bool,
    flat: bool,
    sizes: bool,
    human: bool,
    directories_first: bool,
    ascii: bool,
    level: usize,
    only: Vec<Vec<u8>>,
    without: Vec<Vec<u8>>,
    directories: usize,
    files: usize,
}

pub(crate) fn tree(args: Vec<OsString>) -> i32 {
    run_tree(args).unwrap_or_else(|code| code)
}

fn run_tree(args: Vec<OsString>) -> Result<i32, i32> {
    let mut specs: Vec<options::Spec> =
        "adfFishCnNqrtv".chars().map(|c| (c, "", Value::None)).collect();
    specs.extend([
        ('L', "", Value::Required),
        ('P', "", Value::Required),
        ('I', "", Value::Required),
        ('\0', "noreport", Value::None),
        ('\0', "dirsfirst", Value::None),
        ('\0', "charset", Value::Required),
    ]);
    let mut tree = Tree { level: MAX_DEPTH, ..Tree::default() };
    let mut report = true;
    let mut roots = Vec::new();
    for item in options::parse(&TREE, args, &specs, Order::Anywhere)? {
        match item {
            Item::Option(Key::Short('a'), _) => tree.all = true,
            Item::Option(Key::Short('d'), _) => tree.directories_only = true,
            Item::Option(Key::Short('f'), _) => tree.full = true,
            Item::Option(Key::Short('F'), _) => tree.marks = true,
            Item::Option(Key::Short('i'), _) => tree.flat = true,
            Item::Option(Key::Short('s'), _) => tree.sizes = true,
            Item::Option(Key::Short('h'), _) => (tree.sizes, tree.human) = (true, true),
            Item::Option(Key::Short('L'), Some(level)) => {
                tree.level = match level.to_string_lossy().parse() {
                    Ok(0) | Err(_) => {
                        eprintln!("tree: Invalid level, must be greater than 0.");
                        return Err(1);
                    }
                    Ok(level) => MAX_DEPTH.min(level),
                };
            }
            Item::Option(Key::Short('P'), Some(globs)) => tree.only = alternatives(&globs),
            Item::Option(Key::Short('I'), Some(globs)) => tree.without.extend(alternatives(&globs)),
            Item::Option(Key::Long("noreport"), _) => report = false,
            Item::Option(Key::Long("dirsfirst"), _) => tree.directories_first = true,
            Item::Option(Key::Long("charset"), Some(name)) => {
                tree.ascii = name.to_string_lossy().eq_ignore_ascii_case("ascii");
            }
            Item::Option(..) => {}
            Item::Operand(root) => roots.push(root.into_vec()),
        }
    }
    if roots.is_empty() {
        roots.push(b".".to_vec());
    }
    let mut out = output::stdout();
    let mut code = 0;
    for root in roots {
        let is_dir = status(&root, true).is_ok_and(|found| Kind::of(found.mode) == Kind::Directory);
        let _ = out.write_all(&root);
        if !is_dir {
            let _ = out.write_all(b"  [error opening dir]\n");
            code = 2;
            continue;
        }
        let _ = out.write_all(b"\n");
        // A root counts if it shows anything.
        let shown = tree.directories + tree.files;
        if tree.below(&mut out, &root, "", 1).is_err() {
            code = 2;
        }
        if tree.directories + tree.files > shown {
            tree.directories += 1;
        }
    }
    if report {
        let word = |count: usize, one: &str, many: &str| {
            format!("{count} {}", if count == 1 { one } else { many })
        };
        let directories = word(tree.directories, "directory", "directories");
        let files = word(tree.files, "file", "files");
        let _ = if tree.directories_only {
            writeln!(out, "\n{directories}")
        } else {
            writeln!(out, "\n{directories}, {files}")
        };
    }
    Ok(output::finish("tree", &mut out, code))
}

fn alternatives(globs: &OsStr) -> Vec<Vec<u8>> {
    globs.as_bytes().split(|b| *b == b'|').map(<[u8]>::to_vec).collect()
}

impl Tree {
    fn below(
        &mut self,
        out: &mut Output,
        dir: &[u8],
        indent: &str,
        depth: usize,
    ) -> io::Result<()> {
        let mut entries: Vec<(Vec<u8>, FileStatus)> = Vec::new();
        for entry in fs::read_dir(OsStr::from_bytes(dir))? {
            let name = entry?.file_name().into_vec();
            let Ok(found) = status(&join(dir, &name), false) else { continue };
            let is_dir = Kind::of(found.mode) == Kind::Directory;
            let any = |globs: &[Vec<u8>]| globs.iter().any(|glob| glob::matches(glob, &name));
            let wanted = (self.all || !name.starts_with(b"."))
                && !any(&self.without)
                && (is_dir
                    || (!self.directories_only && (self.only.is_empty() || any(&self.only))));
            if wanted {
                entries.push((name, found));
            }
        }
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        if self.directories_first {
            entries.sort_by_key(|(_, found)| Kind::of(found.mode) != Kind::Directory);
        }
        let count = entries.len();
        for (number, (name, found)) in entries.into_iter().enumerate() {
            let last = number + 1 == count;
            let (branch, further) = match (self.flat, self.ascii, last) {
                (true, ..) => ("", ""),
                (false, true, true) => ("`-- ", "    "),
                (false, true, false) => ("|-- ", "|   "),
                (false, false, true) => ("└── ", "    "),
                (false, false, false) => ("├── ", "│\u{a0}\u{a0} "),
            };
            let path = join(dir, &name);
            write!(out, "{indent}{branch}")?;
            if self.sizes {
                let size = if self.human { human(found.size) } else { found.size.to_string() };
                let width = if self.human { 4 } else { 11 };
                write!(out, "[{size:>width$}]  ")?;
            }
            out.write_all(if self.full { &path } else { &name })?;
            let kind = Kind::of(found.mode);
            if self.marks {
                let mark: &[u8] = match kind {
                    Kind::Directory => b"/",
                    Kind::Regular if found.mode & 0o111 != 0 => b"*",
                    _ => b"",
                };
                out.write_all(mark)?;
            }
            if kind == Kind::Link {
                let to = fs::read_link(OsStr::from_bytes(&path)).unwrap_or_default();
                out.write_all(b" -> ")?;
                out.write_all(to.as_os_str().as_bytes())?;
            }
            out.write_all(b"\n")?;
            if kind == Kind::Directory {
                self.directories += 1;
                if depth < self.level {
                    let inside = format!("{indent}{further}");
                    let _ = self.below(out, &path, &inside, depth + 1);
                }
            } else {
                self.files += 1;
            }
        }
        Ok(())
    }
}

const DU: Usage = Usage {
    name: "du",
    text: "\
Usage: du [OPTION]... [FILE]...
Summarize disk usage of each FILE, recursively for directories.

  -a, --all             write counts for all files, not just directories
      --apparent-size   print apparent sizes, rather than disk usage
  -b, --bytes           equivalent to '--apparent-size --block-size=1'
  -c, --total           produce a grand total
  -d, --max-depth=N     print the total only if it is N or fewer levels deep
  -h, --human-readable  print sizes in human readable format
  -k                    like --block-size=1K
  -m                    like --block-size=1M
  -s, --summarize       display only a total for each argument
      --exclude=PATTERN exclude files that match PATTERN
",
    trouble: 1,
};

struct Du {
    all: bool,
    apparent: bool,
    human: bool,
    unit: u64,
    depth: usize,
    exclude: Vec<Vec<u8>>,
    code: i32,
    out: Output,
}

pub(crate) fn du(args: Vec<OsString>) -> i32 {
    run_du(args).unwrap_or_else(|code| code)
}

fn run_du(args: Vec<OsString>) -> Result<i32, i32> {
    let specs = [
        ('a', "all", Value::None),
        ('\0', "apparent-size", Value::None),
        ('b', "bytes", Value::None),
        ('c', "total", Value::None),
        ('d', "max-depth", Value::Required),
        ('h', "human-readable", Value::None),
        ('k', "", Value::None),
        ('m', "", Value::None),
        ('s', "summarize", Value::None),
        ('x', "one-file-system", Value::None),
        ('L', "dereference", Value::None),
        ('\0', "exclude", Value::Required),
    ];
    let mut du = Du {
        all: false,
        apparent: false,
        human: false,
        unit: 1024,
        depth: usize::MAX,
        exclude: Vec::new(),
        code: 0,
        out: output::stdout(),
    };
    let mut total = false;
    let mut roots = Vec::new();
    for item in options::parse(&DU, args, &specs, Order::Anywhere)? {
        match item {
            Item::Option(Key::Short('a'), _) => du.all = true,
            Item::Option(Key::Long("apparent-size"), _) => du.apparent = true,
            Item::Option(Key::Short('b'), _) => (du.apparent, du.unit) = (true, 1),
            Item::Option(Key::Short('c'), _) => total = true,
            Item::Option(Key::Short('h'), _) => du.human = true,
            Item::Option(Key::Short('k'), _) => du.unit = 1024,
            Item::Option(Key::Short('m'), _) => du.unit = 1 << 20,
            Item::Option(Key::Short('s'), _) => du.depth = 0,
            Item::Option(Key::Short('d'), Some(value)) => {
                let text = value.to_string_lossy();
                du.depth = text
                    .parse()
                    .map_err(|_| DU.wrong(&format!("invalid maximum depth '{text}'")))?;
            }
            Item::Option(Key::Long("exclude"), Some(value)) => du.exclude.push(value.into_vec()),
            Item::Option(..) => {}
            Item::Operand(root) => roots.push(root.into_vec()),
        }
    }
    if roots.is_empty() {
        roots.push(b".".to_vec());
    }
    let mut sum = 0;
    for root in roots {
        sum += du.measure(&root, 0);
    }
    if total {
        du.line(sum, b"total");
    }
    let code = du.code;
    Ok(output::finish("du", &mut du.out, code))
}

impl Du {
    fn line(&mut self, bytes: u64, name: &[u8]) {
        let size = if self.human { human(bytes) } else { bytes.div_ceil(self.unit).to_string() };
        let _ = write!(self.out, "{size}\t");
        let _ = self.out.write_all(name);
        let _ = self.out.write_all(b"\n");
    }

    fn measure(&mut self, path: &[u8], depth: usize) -> u64 {
        let found = match status(path, false) {
            Ok(found) => found,
            Err(error) => {
                let _ = self.out.flush();
                let shown = String::from_utf8_lossy(path);
                eprintln!("du: cannot access '{shown}': {}", reason(&error));
                self.code = 1;
                return 0;
            }
        };
        let mut bytes = if self.apparent { found.size } else { blocks(&found) * 512 };
        let is_dir = Kind::of(found.mode) == Kind::Directory;
        if is_dir && depth < MAX_DEPTH {
            let mut names: Vec<Vec<u8>> = match fs::read_dir(OsStr::from_bytes(path)) {
                Ok(entries) => {
                    entries.flatten().map(|entry| entry.file_name().into_vec()).collect()
                }
                Err(error) => {
                    let shown = String::from_utf8_lossy(path);
                    eprintln!("du: cannot read directory '{shown}': {}", reason(&error));
                    self.code = 1;
                    Vec::new()
                }
            };
            names.retain(|name| !self.exclude.iter().any(|glob| glob::matches(glob, name)));
            names.sort();
            for name in names {
                bytes += self.measure(&join(path, &name), depth + 1);
            }
        }
        if (is_dir && depth <= self.depth) || depth == 0 || (self.all && depth <= self.depth) {
            self.line(bytes, path);
        }
        bytes
    }
}
