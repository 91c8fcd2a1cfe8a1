//! The identity of a program, which grants belong to.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use cofferdam_broker::{identity, shortened};
use sha2::{Digest, Sha256};

use crate::program::{Found, Program};

/// Longest script whose whole content is hashed.
const MAX_SCRIPT: u64 = 16 << 20;

/// Longest program whose whole content is hashed; of a longer one, parts and its dates are.
const MAX_HASHED: u64 = 4 << 20;

/// Most characters of a command line in an identity, which a grant limits to 512 bytes. The hash
/// covers all of it.
const MAX_NAME: usize = 100;

/// Variables through which interpreters and the loader run further code.
const CODE_VARIABLES: [&str; 17] = [
    "BASH_ENV",
    "BUN_OPTIONS",
    "ENV",
    "JAVA_TOOL_OPTIONS",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "LUA_INIT",
    "LUA_PATH",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PERL5LIB",
    "PERL5OPT",
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "RUBYLIB",
    "RUBYOPT",
];

// T-NAT-016: code that runs with the grants of another.
/// Returns the identity that grants belong to: the interpreter and the script with its hash, or
/// else the command line with the hash of the program. Options before the script and variables that
/// run further code make it another one.
pub(crate) fn identify(program: &Program, found: &Found) -> io::Result<String> {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if let Some(script) = &found.script {
        let mut content = found.file.host.as_os_str().as_encoded_bytes().to_vec();
        content.push(0);
        File::open(&script.host)?.take(MAX_SCRIPT).read_to_end(&mut content)?;
        // An option may take a file, so that the script is one of the words behind it.
        let is_option = |word: &OsString| word.as_encoded_bytes().starts_with(b"-");
        let end = match program.words[1..script.index].iter().any(is_option) {
            true => program.words.len(),
            false => script.index,
        };
        for word in &program.words[1..end] {
            content.push(0);
            content.extend_from_slice(word.as_encoded_bytes());
        }
        add_variables(&mut content, program);
        let shown = format!("{} {}", name(&found.file.path), name(&script.at));
        return Ok(identity(&shortened(&shown, MAX_NAME), &content));
    }
    let mut content = fingerprint(&found.file.host)?;
    for word in program.words.iter().skip(1) {
        content.push(0);
        content.extend_from_slice(word.as_encoded_bytes());
    }
    add_variables(&mut content, program);
    let words: Vec<_> = program.words.iter().skip(1).map(|word| word.to_string_lossy()).collect();
    let shown = format!("{} {}", name(&found.file.path), words.join(" "));
    Ok(identity(&shortened(shown.trim_end(), MAX_NAME), &content))
}

fn add_variables(content: &mut Vec<u8>, program: &Program) {
    for name in CODE_VARIABLES {
        if let Some(value) = program.variables.get(name) {
            content.extend_from_slice(format!("\0{name}={value}").as_bytes());
        }
    }
}

/// Returns a hash of a program. Programs of a hundred megabytes are known by their ends, size,
/// dates and inode: reading them whole would take longer than most runs.
fn fingerprint(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let found = file.metadata()?;
    let mut hash = Sha256::new();
    hash.update(path.as_os_str().as_encoded_bytes());
    let mut content = Vec::new();
    if found.len() <= MAX_HASHED {
        file.read_to_end(&mut content)?;
    } else {
        Read::by_ref(&mut file).take(1 << 16).read_to_end(&mut content)?;
        file.seek(SeekFrom::End(-(1 << 16)))?;
        file.read_to_end(&mut content)?;
        for number in [found.len(), found.ino(), found.mtime() as u64, found.mtime_nsec() as u64] {
            content.extend(number.to_le_bytes());
        }
    }
    hash.update(&content);
    Ok(hash.finalize().to_vec())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;
    use crate::program::{self, Located};

    /// T-NAT-016: code that is given a script as its argument, or is loaded before it.
    #[test]
    fn other_code_has_not_the_identity_of_a_script() {
        let folder = std::env::temp_dir().join(format!("cofferdam-code-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let script = folder.join("main.py");
        fs::write(&script, "1").unwrap();
        let file = |name: &str| {
            let path = PathBuf::from(format!("/usr/bin/{name}"));
            Located { path: path.clone(), named: path, host: "/bin/sh".into(), is_mounted: false }
        };
        let run = |name: &str, before: &[&str], variables: &[(&str, &str)]| {
            let words = [&[name], before].concat().into_iter().map(OsString::from);
            let words = words.chain([script.clone().into()]).collect();
            let text = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
            let variables = variables.iter().map(text).collect();
            let program = Program { words, variables, ..Program::default() };
            let file = file(name);
            let script = program::script(&file.path, &program);
            let found = Found { file, interpreters: Vec::new(), line: None, script };
            (found.script.is_some(), identify(&program, &found).unwrap())
        };
        let (_, plain) = run("python3", &[], &[]);
        assert_eq!(run("python3", &[], &[("DEBUG", "1")]), (true, plain.clone()));
        for before in [&["-c", "x"][..], &["-m", "x"], &["-Ic", "x"]] {
            let (is_script, identity) = run("python3", before, &[]);
            assert!(!is_script && identity != plain, "{before:?}");
        }
        for (name, option) in
            [("bash", "-lc"), ("node", "-e"), ("node", "--eval=1"), ("perl", "-ne")]
        {
            assert!(!run(name, &[option], &[]).0, "{name} {option}");
        }
        for (name, option) in [("bash", "-e"), ("python3", "-u"), ("bun", "run"), ("sh", "-ex")] {
            assert!(run(name, &[option], &[]).0, "{name} {option}");
        }
        assert_ne!(run("python3", &["-u"], &[]).1, plain);
        assert_ne!(run("bun", &["run"], &[]).1, run("bun", &[], &[]).1);
        assert_ne!(run("python3", &[], &[("PYTHONPATH", "/w")]).1, plain);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn identity_of_a_long_command_line_fits_a_grant_and_covers_all_of_it() {
        let identity_of = |last: &str| {
            let words = ["true", &"é".repeat(5000), last].map(Into::into).to_vec();
            let program = Program { words, search: "/usr/bin".into(), ..Program::default() };
            identify(&program, &program::find(&program).unwrap()).unwrap()
        };
        assert!(identity_of("a").len() <= cofferdam_broker::MAX_LABEL);
        assert_ne!(identity_of("a"), identity_of("b"));
    }
}
