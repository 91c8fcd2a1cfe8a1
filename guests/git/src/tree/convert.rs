//! Ends of lines: conversion between the work tree and the objects.

use super::attributes::State;
use crate::repo::Repo;
use crate::text::compare::is_binary;

/// Treatment of a file that attributes and settings ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rule {
    /// Returns are removed on the way into an object.
    is_normal: bool,
    /// Returns are added on the way into the work tree.
    is_dos: bool,
    /// Only files that look like text are converted.
    is_guessed: bool,
}

fn rule(repo: &Repo, path: &[u8]) -> Rule {
    let text = repo.attributes.state(path, "text");
    let eol = repo.attributes.value(path, "eol");
    let auto = repo.config.get("core.autocrlf");
    let is_crlf = auto.is_some_and(|value| crate::store::config::truth(value) == Some(true));
    let is_dos = match eol.as_deref() {
        Some(b"crlf") => true,
        Some(_) => false,
        None => match auto {
            Some("input") => false,
            _ => is_crlf || repo.config.get("core.eol") == Some("crlf"),
        },
    };
    let is_auto = matches!(&text, State::Value(value) if value == b"auto");
    let (is_normal, is_guessed) = match text {
        State::Unset => (false, false),
        State::Set => (true, false),
        State::Value(_) if is_auto => (true, true),
        State::Value(_) | State::Unspecified if eol.is_some() => (true, false),
        State::Value(_) | State::Unspecified => (is_crlf || auto == Some("input"), true),
    };
    Rule { is_normal, is_dos: is_normal && is_dos, is_guessed }
}

/// Returns true if nothing would change any file; saves reading attributes.
fn has_returns(data: &[u8]) -> bool {
    data.windows(2).any(|pair| pair == b"\r\n")
}

/// Looks at a whole file as git does: control characters and lone returns make it binary.
fn looks_binary(data: &[u8]) -> bool {
    let lone =
        data.iter().enumerate().any(|(at, b)| *b == b'\r' && data.get(at + 1) != Some(&b'\n'));
    let is_control = |b: &u8| matches!(b, 0..=7 | 11 | 14..=26 | 28..=31 | 127) || *b == 0;
    let controls = data.iter().filter(|b| is_control(b)).count();
    let printable = data.len() - controls;
    lone || is_binary(data) || data.contains(&0) || (printable >> 7) < controls
}

/// Returns the content of a file for an object.
pub(crate) fn to_object(repo: &Repo, path: &[u8], data: Vec<u8>) -> Vec<u8> {
    if !has_returns(&data) {
        return data;
    }
    let rule = rule(repo, path);
    if !rule.is_normal || rule.is_guessed && (looks_binary(&data) || keeps_returns(repo, path)) {
        return data;
    }
    without_returns(&data)
}

/// Returns true if the index has the file with returns, which stay then.
fn keeps_returns(repo: &Repo, path: &[u8]) -> bool {
    let Ok(index) = repo.index() else { return false };
    let Some(entry) = index.get(path) else { return false };
    repo.odb.blob(entry.oid).is_ok_and(|data| has_returns(&data))
}

fn without_returns(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len());
    for (at, byte) in data.iter().enumerate() {
        if *byte != b'\r' || data.get(at + 1) != Some(&b'\n') {
            out.push(*byte);
        }
    }
    out
}

/// Returns the content of an object for the work tree.
pub(crate) fn to_work(repo: &Repo, path: &[u8], data: Vec<u8>) -> Vec<u8> {
    if !data.contains(&b'\n') {
        return data;
    }
    let rule = rule(repo, path);
    if !rule.is_dos || rule.is_guessed && (has_returns(&data) || looks_binary(&data)) {
        return data;
    }
    let mut out = Vec::with_capacity(data.len() + data.len() / 16);
    for (at, byte) in data.iter().enumerate() {
        if *byte == b'\n' && (at == 0 || data[at - 1] != b'\r') {
            out.push(b'\r');
        }
        out.push(*byte);
    }
    out
}

/// Returns a warning for a file whose ends of lines change on the next checkout.
pub(crate) fn warning(repo: &Repo, path: &[u8], data: &[u8]) -> Option<String> {
    if !data.contains(&b'\n') {
        return None;
    }
    let stored = to_object(repo, path, data.to_vec());
    let back = to_work(repo, path, stored);
    if back == data {
        return None;
    }
    let (from, to) = match has_returns(data) && !has_returns(&back) {
        true => ("CRLF", "LF"),
        false => ("LF", "CRLF"),
    };
    Some(format!(
        "warning: in the working copy of '{}', {from} will be replaced by {to} the next time Git touches it",
        crate::bytes::text(path)
    ))
}

/// Returns the words of `git ls-files --eol` for some content.
pub(crate) fn ends(data: &[u8]) -> &'static str {
    let returns = data.windows(2).filter(|pair| pair == b"\r\n").count();
    let lines = data.iter().filter(|b| **b == b'\n').count();
    if looks_binary(data) {
        "-text"
    } else if lines == 0 {
        "none"
    } else if returns == 0 {
        "lf"
    } else if returns == lines {
        "crlf"
    } else {
        "mixed"
    }
}
