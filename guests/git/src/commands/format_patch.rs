//! `git format-patch`: writes commits as mails.

use std::fs;

use super::Call;
use super::log::changes_of;
use crate::args::{Arg, Valued, value_text};
use crate::bytes::{self, join, text};
use crate::fault::{At, Result, fatal};
use crate::ident;
use crate::repo::Repo;
use crate::report::options::{DiffOptions, Format};
use crate::report::pretty::sanitised;
use crate::revision::{self, Range};
use crate::store::object::{Commit, Kind, Signature, body};
use crate::store::oid::Oid;
use crate::text::date::{self, Form};
use crate::text::{mail, message};
use crate::tree::pathspec::Pathspecs;
use crate::walk::{self, Walk};

/// Longest file name without its directory.
const MAX_NAME: usize = 64;
/// Width of the statistics in mails.
const STAT_WIDTH: usize = 72;
/// Version in the signature of every mail.
const SIGNATURE: &str = "2.47.3";

struct Wish {
    most: Option<usize>,
    directory: Vec<u8>,
    is_printed: bool,
    keeps_subject: bool,
    is_signed_off: bool,
    /// `-n` and `-N`; otherwise several patches are numbered.
    is_numbered: Option<bool>,
    first: usize,
    prefix: String,
    version: Option<String>,
    is_root: bool,
    suffix: String,
    has_stat: bool,
    signature: String,
    names_only_numbers: bool,
    is_quiet: bool,
}

const VALUED: Valued = Valued {
    short: "ovUn",
    attached: "MC",
    long: &[
        "--output-directory",
        "--start-number",
        "--subject-prefix",
        "--reroll-count",
        "--suffix",
        "--signature",
        "--unified",
        "--to",
        "--cc",
        "--in-reply-to",
        "--base",
        "--max-count",
    ],
};

/// Runs `git format-patch`.
pub(crate) fn run(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let mut options = DiffOptions::new(&repo);
    options.is_coloured = false;
    let mut wish = Wish {
        most: None,
        directory: Vec::new(),
        is_printed: false,
        keeps_subject: false,
        is_signed_off: false,
        is_numbered: None,
        first: 1,
        prefix: "PATCH".to_owned(),
        version: None,
        is_root: false,
        suffix: ".patch".to_owned(),
        has_stat: true,
        signature: SIGNATURE.to_owned(),
        names_only_numbers: false,
        is_quiet: false,
    };
    let (mut operands, mut paths, mut has_dashes) = (Vec::new(), Vec::new(), false);
    // A letter `n` alone asks for numbers; the parser gives it to numbers such as `-2`, too.
    let args = std::mem::take(&mut call.args);
    let is_bare = |arg: &Vec<u8>| arg == b"-n";
    if args.iter().any(is_bare) {
        wish.is_numbered = Some(true);
    }
    call.args = args.into_iter().filter(|arg| !is_bare(arg)).collect();
    for arg in call.parse(&VALUED)? {
        let (name, value) = match arg {
            Arg::Option(name, value) => (name, value),
            Arg::Operand(operand) if has_dashes => {
                paths.push(operand);
                continue;
            }
            Arg::Operand(operand) => {
                operands.push(operand);
                continue;
            }
            Arg::Dashes => {
                has_dashes = true;
                continue;
            }
        };
        match name.as_str() {
            "-n" | "--max-count" => wish.most = value_text(&value).parse().ok(),
            "-o" | "--output-directory" => wish.directory = value.unwrap_or_default(),
            "--stdout" => wish.is_printed = true,
            "-k" | "--keep-subject" => wish.keeps_subject = true,
            "-s" | "--signoff" => wish.is_signed_off = true,
            "--numbered" => wish.is_numbered = Some(true),
            "-N" | "--no-numbered" => wish.is_numbered = Some(false),
            "--start-number" => wish.first = value_text(&value).parse().unwrap_or(1),
            "--subject-prefix" => wish.prefix = value_text(&value),
            "--rfc" => wish.prefix = "RFC PATCH".to_owned(),
            "-v" | "--reroll-count" => wish.version = Some(value_text(&value)),
            "--root" => wish.is_root = true,
            "--suffix" => wish.suffix = value_text(&value),
            "--signature" => wish.signature = value_text(&value),
            "--no-signature" => wish.signature.clear(),
            "--numbered-files" => wish.names_only_numbers = true,
            "--no-stat" | "-p" => wish.has_stat = false,
            "-q" | "--quiet" => wish.is_quiet = true,
            "--no-cover-letter" | "--zero-commit" | "--no-attach" | "--no-thread" => {}
            _ => {
                if !options.take(&name, value.as_deref().map(text).as_deref())? {
                    return Err(fatal(format!("unrecognized argument: {name}")));
                }
            }
        }
    }
    let paths = if paths.is_empty() { Pathspecs::all() } else { Pathspecs::new(&repo, &paths)? };
    let commits = selected(&repo, &wish, &operands, &paths)?;
    for (n, (oid, commit)) in commits.iter().enumerate() {
        let mail = letter(&repo, &wish, &options, (n, commits.len()), *oid, commit, &paths)?;
        if wish.is_printed {
            call.out.text(mail);
            continue;
        }
        if !wish.directory.is_empty() {
            fs::create_dir_all(bytes::path(&wish.directory)).at(&wish.directory)?;
        }
        let name = join(&wish.directory, &file_name(&wish, wish.first + n, commit));
        fs::write(bytes::path(&name), mail).at(&name)?;
        if !wish.is_quiet {
            call.out.line(&name);
        }
    }
    Ok(0)
}

/// Returns the commits to write, the oldest first, without merges.
fn selected(
    repo: &Repo,
    wish: &Wish,
    operands: &[Vec<u8>],
    paths: &Pathspecs,
) -> Result<Vec<(Oid, Commit)>> {
    let mut range = Range::default();
    for operand in operands {
        if !range.add(repo, operand)? {
            return Err(revision::unknown(repo, operand));
        }
    }
    for oid in range.shown.iter_mut().chain(&mut range.hidden) {
        *oid = revision::peel(repo, *oid, Kind::Commit)?;
    }
    let head = repo.head()?.ok_or_else(|| fatal("no commits yet"))?;
    if range.hidden.is_empty() && wish.most.is_none() && !wish.is_root {
        // One commit alone stands for what follows it.
        range.hidden = std::mem::take(&mut range.shown);
    }
    if range.shown.is_empty() {
        range.shown.push(head);
    }
    if operands.is_empty() && wish.most.is_none() && !wish.is_root {
        return Ok(Vec::new());
    }
    let mut all = Walk::new(&repo.odb, walk::ancestors(&repo.odb, &range.hidden)?);
    for oid in &range.shown {
        all.push(*oid)?;
    }
    let mut found = Vec::new();
    while let Some((oid, commit)) = all.pop() {
        for parent in walk::parents(&repo.odb, &commit) {
            all.push(parent)?;
        }
        let is_wanted = commit.parents.len() < 2
            && (paths.is_empty() || !changes_of(repo, &commit, paths)?.is_empty());
        if is_wanted {
            found.push((oid, commit));
        }
        if wish.most.is_some_and(|most| found.len() >= most) {
            break;
        }
    }
    found.reverse();
    Ok(found)
}

fn file_name(wish: &Wish, number: usize, commit: &Commit) -> Vec<u8> {
    if wish.names_only_numbers {
        return number.to_string().into_bytes();
    }
    let version = wish.version.as_ref().map_or_else(String::new, |v| format!("v{v}-"));
    let mut name = format!("{version}{number:04}-").into_bytes();
    name.extend(sanitised(&commit.subject()));
    name.truncate(MAX_NAME - wish.suffix.len() - 1);
    name.extend(wish.suffix.bytes());
    name
}

fn letter(
    repo: &Repo,
    wish: &Wish,
    options: &DiffOptions,
    (n, count): (usize, usize),
    oid: Oid,
    commit: &Commit,
    paths: &Pathspecs,
) -> Result<Vec<u8>> {
    let author = Signature::parse(&commit.author);
    let mut out = format!("From {oid} Mon Sep 17 00:00:00 2001\n");
    let (name, address) = (text(&author.name), text(&author.mail));
    out += &match name.is_ascii() {
        true => format!("From: {name} <{address}>\n"),
        false => mail::header("From", &name).trim_end().to_owned() + &format!(" <{address}>\n"),
    };
    let when = date::format(&Form::Rfc, author.seconds, author.zone, Repo::now());
    out += &format!("Date: {when}\n");
    let version = wish.version.as_ref().map_or_else(String::new, |v| format!(" v{v}"));
    let number = match wish.is_numbered.unwrap_or(count > 1) {
        true => {
            let last = wish.first + count - 1;
            format!(" {:0width$}/{last}", wish.first + n, width = last.to_string().len())
        }
        false => String::new(),
    };
    let subject = text(&commit.subject());
    let subject = match wish.keeps_subject {
        true => subject,
        false => format!("[{}{version}{number}] {subject}", wish.prefix),
    };
    out += &mail::header("Subject", &subject);
    let mut message = body(&commit.message).to_vec();
    if wish.is_signed_off {
        let who = Signature::parse(&ident::committer(repo)?);
        let trailer = [b"Signed-off-by: ".as_slice(), &who.name, b" <", &who.mail, b">"].concat();
        let whole = message::with_trailer(&message::cleaned(&commit.message, false), &trailer);
        message = body(&whole).to_vec();
    }
    if !message.is_ascii() || !commit.message.is_ascii() {
        out += "MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n";
    }
    let mut out = out.into_bytes();
    out.push(b'\n');
    let message = message.trim_ascii_end();
    if !message.is_empty() {
        out.extend(message);
        out.push(b'\n');
    }
    let mut options = options.clone();
    options.formats = match wish.has_stat {
        true => vec![Format::Stat, Format::Summary, Format::Patch],
        false => vec![Format::Patch],
    };
    options.width.get_or_insert(STAT_WIDTH);
    let changes = options.prepare(repo, changes_of(repo, commit, paths)?)?;
    out.extend(if wish.has_stat { &b"---\n"[..] } else { b"\n" });
    options.write(repo, &changes, &mut out)?;
    if !wish.signature.is_empty() {
        out.extend(format!("-- \n{}\n\n", wish.signature).bytes());
    }
    Ok(out)
}
