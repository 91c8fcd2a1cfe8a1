//! `git am`: applies mails with patches as commits.

use std::fs;
use std::io::Read as _;

use super::{Call, apply};
use crate::args::{Arg, Valued};
use crate::bytes::{self, join, text};
use crate::fault::{At, Fault, Result, fatal};
use crate::ident;
use crate::repo::Repo;
use crate::store::object::{Commit, Kind, Signature};
use crate::store::oid::Oid;
use crate::text::{date, mail, message};
use crate::tree::checkout;

/// Directory with the mails that are still to be applied.
const STATE: &str = "rebase-apply";

#[derive(Default)]
struct Wish {
    is_signed_off: bool,
    keeps_subject: bool,
    is_quiet: bool,
    strip: Option<usize>,
}

/// Runs `git am`.
pub(crate) fn run(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    repo.root()?;
    let mut wish = Wish::default();
    let mut files = Vec::new();
    let mut task = None;
    let valued = Valued {
        short: "pC",
        long: &["--directory", "--whitespace", "--exclude", "--include", "--patch-format"],
        attached: "S",
    };
    for arg in call.parse(&valued)? {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "-s" | "--signoff" => wish.is_signed_off = true,
                "-k" | "--keep" => wish.keeps_subject = true,
                "-q" | "--quiet" => wish.is_quiet = true,
                "-p" => wish.strip = value.as_deref().and_then(|n| text(n).parse().ok()),
                "--continue"
                | "-r"
                | "--resolved"
                | "--skip"
                | "--abort"
                | "--quit"
                | "--show-current-patch" => task = Some(name),
                // No three-way merge is tried; the others change nothing here.
                "-3"
                | "-n"
                | "--3way"
                | "--no-3way"
                | "-b"
                | "--keep-non-patch"
                | "--keep-cr"
                | "--no-keep-cr"
                | "-c"
                | "--scissors"
                | "--no-scissors"
                | "-m"
                | "--message-id"
                | "--ignore-whitespace"
                | "--whitespace"
                | "-C"
                | "--reject"
                | "--committer-date-is-author-date"
                | "--ignore-date"
                | "--no-verify"
                | "--patch-format"
                | "--empty"
                | "-u"
                | "--utf8" => {}
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => files.push(operand),
            Arg::Dashes => {}
        }
    }
    let is_running = repo.state(&format!("{STATE}/next")).is_some();
    if let Some(task) = task {
        if !is_running {
            return Err(fatal("Resolve operation not in progress, we are not resuming."));
        }
        return match task.as_str() {
            "--abort" => abort(&repo),
            "--quit" => clear(&repo),
            "--show-current-patch" => {
                let at = number(&repo, "next");
                call.out.text(repo.state(&format!("{STATE}/{at:04}")).unwrap_or_default());
                Ok(0)
            }
            "--skip" => {
                let head = repo.head_tree()?;
                let mut index = repo.index()?;
                checkout::force(&repo, &mut index, head)?;
                repo.write_index(&mut index)?;
                step(&repo)?;
                proceed(call, &repo, &wish)
            }
            _ => resolved(call, &repo, &wish),
        };
    }
    if is_running {
        return Err(fatal(format!(
            "previous rebase directory .git/{STATE} still exists but mbox given."
        )));
    }
    let mut mails = Vec::new();
    if files.is_empty() {
        let mut data = Vec::new();
        std::io::stdin().read_to_end(&mut data).at(b"standard input")?;
        mails.extend(mail::split(&data));
    }
    for file in &files {
        let data = fs::read(bytes::path(file)).map_err(|e| {
            fatal(format!(
                "could not open '{}' for reading: {}",
                text(file),
                crate::fault::reason(&e)
            ))
        })?;
        mails.extend(mail::split(&data));
    }
    let is_mail = |data: &Vec<u8>| {
        [&b"From "[..], b"From: ", b"Subject: ", b"Date: "]
            .iter()
            .any(|start| data.starts_with(start))
    };
    // Standard input is taken for a mailbox whatever it holds.
    if !files.is_empty() && !mails.first().is_some_and(is_mail) {
        return Err(Fault { code: 128, text: "Patch format detection failed.".to_owned() });
    }
    let mut index = repo.index()?;
    let staged = crate::tree::changes::tree_and_index(
        &repo.odb,
        repo.head_tree()?,
        &index,
        &crate::tree::pathspec::Pathspecs::all(),
    )?;
    if !staged.is_empty() {
        let names: Vec<String> = staged.iter().map(|change| text(&change.path)).collect();
        return Err(fatal(format!(
            "Dirty index: cannot apply patches (dirty: {})",
            names.join(" ")
        )));
    }
    repo.write_index(&mut index)?;
    let dir = repo.file(STATE);
    fs::create_dir_all(bytes::path(&dir)).at(&dir)?;
    for (n, data) in mails.iter().enumerate() {
        let file = join(&dir, format!("{:04}", n + 1).as_bytes());
        fs::write(bytes::path(&file), data).at(&file)?;
    }
    let head = repo.head()?.unwrap_or(Oid::ZERO);
    for (name, value) in [
        ("next", "1".to_owned()),
        ("last", mails.len().to_string()),
        ("applying", String::new()),
        ("abort-safety", head.to_string()),
        ("orig-head", head.to_string()),
        ("sign", if wish.is_signed_off { "t" } else { "f" }.to_owned()),
        ("keep", if wish.keeps_subject { "t" } else { "f" }.to_owned()),
    ] {
        repo.set_state(&format!("{STATE}/{name}"), format!("{value}\n").as_bytes())?;
    }
    repo.set_state("ORIG_HEAD", format!("{head}\n").as_bytes())?;
    proceed(call, &repo, &wish)
}

fn number(repo: &Repo, name: &str) -> usize {
    let data = repo.state(&format!("{STATE}/{name}")).unwrap_or_default();
    text(bytes::trim(&data)).parse().unwrap_or(0)
}

fn step(repo: &Repo) -> Result<()> {
    let next = number(repo, "next") + 1;
    repo.set_state(&format!("{STATE}/next"), format!("{next}\n").as_bytes())
}

fn clear(repo: &Repo) -> Result<i32> {
    let dir = repo.file(STATE);
    fs::remove_dir_all(bytes::path(&dir)).at(&dir)?;
    Ok(0)
}

fn abort(repo: &Repo) -> Result<i32> {
    let start = repo.state(&format!("{STATE}/orig-head")).unwrap_or_default();
    if let Some(oid) = Oid::parse(bytes::trim(&start)) {
        let mut index = repo.index()?;
        checkout::force(repo, &mut index, repo.odb.commit(oid)?.tree)?;
        repo.write_index(&mut index)?;
        if repo.head()? != Some(oid) {
            repo.update_ref(b"HEAD", oid, "am --abort")?;
        }
    }
    clear(repo)
}

/// Returns the mail that is being applied.
fn current(repo: &Repo, wish: &Wish) -> mail::Mail {
    let at = number(repo, "next");
    let data = repo.state(&format!("{STATE}/{at:04}")).unwrap_or_default();
    let keeps = repo.state(&format!("{STATE}/keep")).is_some_and(|flag| flag.starts_with(b"t"));
    mail::parse(&data, keeps || wish.keeps_subject)
}

/// Applies all mails from the next one on.
fn proceed(call: &mut Call<'_>, repo: &Repo, wish: &Wish) -> Result<i32> {
    while number(repo, "next") <= number(repo, "last") {
        let mail = current(repo, wish);
        if mail.patch.is_empty() {
            call.out.line("Patch is empty.");
            return Err(hints(Vec::new(), true));
        }
        if !wish.is_quiet {
            call.out.line(format!("Applying: {}", mail.subject));
        }
        if let Err(fault) = apply::to_index(repo, &mail.patch, wish.strip.unwrap_or(1)) {
            return Err(stopped(call, repo, &mail, fault));
        }
        commit(repo, wish, &mail)?;
        step(repo)?;
    }
    clear(repo)
}

/// Returns the fault of a mail that does not apply, with the ways to go on.
fn stopped(call: &mut Call<'_>, repo: &Repo, mail: &mail::Mail, fault: Fault) -> Fault {
    let at = number(repo, "next");
    call.out.line(format!("Patch failed at {at:04} {}", mail.subject));
    let lines = vec![
        fault.text,
        "hint: Use 'git am --show-current-patch=diff' to see the failed patch".to_owned(),
    ];
    hints(lines, false)
}

/// Returns the fault with the ways to go on.
fn hints(mut lines: Vec<String>, is_empty: bool) -> Fault {
    let mut add = |hint: &str| lines.push(format!("hint: {hint}"));
    add("When you have resolved this problem, run \"git am --continue\".");
    add("If you prefer to skip this patch, run \"git am --skip\" instead.");
    if is_empty {
        add("To record the empty patch as an empty commit, run \"git am --allow-empty\".");
    }
    add("To restore the original branch and stop patching, run \"git am --abort\".");
    add("Disable this message with \"git config advice.mergeConflict false\"");
    Fault { code: 128, text: lines.join("\n") }
}

fn resolved(call: &mut Call<'_>, repo: &Repo, wish: &Wish) -> Result<i32> {
    let mail = current(repo, wish);
    let index = repo.index()?;
    if !wish.is_quiet {
        call.out.line(format!("Applying: {}", mail.subject));
    }
    if !index.conflicts().is_empty() {
        call.out.line("You still have unmerged paths in your index.\nYou should 'git add' each file with resolved conflicts to mark them as such.\nYou might run `git rm` on a file to accept \"deleted by them\" for it.");
        return Ok(128);
    }
    if index.write_tree(&repo.odb)? == repo.head_tree()? {
        call.out.line("No changes - did you forget to use 'git add'?\nIf there is nothing left to stage, chances are that something else\nalready introduced the same changes; you might want to skip this patch.");
        return Err(hints(Vec::new(), false));
    }
    commit(repo, wish, &mail)?;
    step(repo)?;
    proceed(call, repo, wish)
}

/// Makes the commit of a mail from the index.
fn commit(repo: &Repo, wish: &Wish, mail: &mail::Mail) -> Result<()> {
    let committer = ident::committer(repo)?;
    let (name, address) = match mail.from.rsplit_once('<') {
        Some((name, address)) => (name.trim().trim_matches('"'), address.trim_end_matches('>')),
        None => (mail.from.as_str(), mail.from.as_str()),
    };
    let (seconds, zone) = date::parse(&mail.date, Repo::now())
        .ok_or_else(|| fatal(format!("invalid date format: {}", mail.date)))?;
    let author = format!("{name} <{address}> {seconds} {}", date::zone_text(zone));
    let mut whole = [mail.subject.as_bytes(), b"\n\n", &mail.body].concat();
    whole = message::cleaned(&whole, false);
    let is_signed = repo.state(&format!("{STATE}/sign")).is_some_and(|flag| flag.starts_with(b"t"));
    if is_signed || wish.is_signed_off {
        let who = Signature::parse(&committer);
        let trailer = [b"Signed-off-by: ".as_slice(), &who.name, b" <", &who.mail, b">"].concat();
        whole = message::with_trailer(&whole, &trailer);
    }
    let commit = Commit {
        tree: repo.index()?.write_tree(&repo.odb)?,
        parents: repo.head()?.into_iter().collect(),
        author: author.into_bytes(),
        committer,
        more: Vec::new(),
        message: whole,
    };
    let oid = repo.odb.write(Kind::Commit, &commit.write())?;
    repo.update_ref(b"HEAD", oid, &format!("am: {}", mail.subject))
}
