//! Searches files and prints the results.

use std::io::{Read, Write};
use std::path::Path;

use grep_printer::{
    ColorSpecs, JSON, JSONBuilder, Standard, StandardBuilder, Summary, SummaryBuilder, SummaryKind,
};
use grep_regex::RegexMatcher;
use grep_searcher::Searcher;
use termcolor::{Ansi, NoColor, WriteColor};

use super::settings::{Report, Settings};
use super::{FOUND, NOTHING, TROUBLE, walk};
use crate::output::{self, Input, reason};

/// Prints the results of a search.
enum Printer<W: WriteColor> {
    Lines(Standard<W>),
    Summary(Summary<W>),
    Json(JSON<W>),
}

pub(super) fn run(settings: &Settings) -> Result<i32, String> {
    match settings.color || settings.is_terminal() {
        true => run_with(settings, Ansi::new(output::stdout())),
        false => run_with(settings, NoColor::new(output::stdout())),
    }
}

fn run_with<W: WriteColor>(settings: &Settings, out: W) -> Result<i32, String> {
    let matcher = settings.matcher()?;
    // Standard input is searched if it has data; otherwise the working directory is searched.
    let mut begin = [0];
    let has_input = settings.paths.is_empty()
        && !cofferdam_guest_sys::is_terminal(0)
        && Input.read(&mut begin).is_ok_and(|len| len > 0);
    let dash = settings.paths.iter().any(|path| path.as_os_str() == "-");
    let many = match settings.paths.as_slice() {
        [] => !has_input,
        [one] => one.is_dir(),
        _ => true,
    };
    let names = settings.names.unwrap_or(many);
    let mut printer = printer(settings, names, out);
    let (mut any, mut trouble) = (false, false);
    let (mut usual, mut named) = (settings.searcher(false)?, settings.searcher(true)?);
    if has_input {
        let input = begin.as_slice().chain(Input);
        any = printer.search_input(&matcher, &mut named, input)?;
    } else {
        if dash {
            any |= printer.search_input(&matcher, &mut named, Input)?;
        }
        trouble |= walk::each(settings, |found| {
            if found.path.as_os_str() == "-" {
                return Ok(true);
            }
            let searcher = if found.named { &mut named } else { &mut usual };
            match printer.search(&matcher, searcher, &found.path) {
                Ok(matched) => any |= matched,
                Err(error) => {
                    trouble = true;
                    if !settings.no_messages {
                        eprintln!("rg: {}: {}", found.path.display(), reason(&error));
                    }
                }
            }
            Ok(!(any && settings.report == Report::Quiet))
        })?;
    }
    let code = match (trouble, any) {
        (_, true) if settings.report == Report::Quiet => FOUND,
        (true, _) => TROUBLE,
        (false, true) => FOUND,
        (false, false) => NOTHING,
    };
    Ok(output::finish("rg", &mut printer.out(), code))
}

fn printer<W: WriteColor>(settings: &Settings, names: bool, out: W) -> Printer<W> {
    let colors = ColorSpecs::default_with_color();
    let null = settings.null.then_some(0);
    let kind = match settings.report {
        Report::Lines => {
            let has_context = settings.before > 0 || settings.after > 0;
            let heading = settings.heading.unwrap_or(settings.is_terminal()) && names;
            let between = match (heading, has_context) {
                (true, _) => Some(Vec::new()),
                (false, true) => Some(b"--".to_vec()),
                (false, false) => None,
            };
            let printer = StandardBuilder::new()
                .color_specs(colors)
                .heading(heading)
                .path(names)
                .only_matching(settings.only_matching)
                .per_match(settings.per_match)
                .per_match_one_line(true)
                .replacement(settings.replacement.clone())
                .max_columns(settings.max_columns)
                .column(settings.column)
                .byte_offset(settings.offsets)
                .trim_ascii(settings.trim)
                .separator_search(between)
                .path_terminator(null)
                .build(out);
            return Printer::Lines(printer);
        }
        Report::Json => {
            let replacement = settings.replacement.clone();
            return Printer::Json(JSONBuilder::new().replacement(replacement).build(out));
        }
        Report::Count => SummaryKind::Count,
        Report::CountMatches => SummaryKind::CountMatches,
        Report::With => SummaryKind::PathWithMatch,
        Report::Without => SummaryKind::PathWithoutMatch,
        Report::Quiet => SummaryKind::QuietWithMatch,
    };
    let printer = SummaryBuilder::new()
        .kind(kind)
        .color_specs(colors)
        .path(names)
        .exclude_zero(!settings.include_zero)
        .path_terminator(null)
        .build(out);
    Printer::Summary(printer)
}

/// Displayed name of standard input.
const INPUT: &str = "<stdin>";

impl<W: WriteColor> Printer<W> {
    fn search(
        &mut self,
        matcher: &RegexMatcher,
        searcher: &mut Searcher,
        path: &Path,
    ) -> std::io::Result<bool> {
        let file = std::fs::File::open(path)?;
        self.read(matcher, searcher, path, file)
    }

    fn search_input(
        &mut self,
        matcher: &RegexMatcher,
        searcher: &mut Searcher,
        input: impl Read,
    ) -> Result<bool, String> {
        self.read(matcher, searcher, Path::new(INPUT), input).map_err(|e| reason(&e))
    }

    fn read(
        &mut self,
        matcher: &RegexMatcher,
        searcher: &mut Searcher,
        path: &Path,
        from: impl Read,
    ) -> std::io::Result<bool> {
        match self {
            Printer::Lines(printer) => {
                let mut sink = printer.sink_with_path(matcher, path);
                searcher.search_reader(matcher, from, &mut sink)?;
                Ok(sink.has_match())
            }
            Printer::Summary(printer) => {
                let mut sink = printer.sink_with_path(matcher, path);
                searcher.search_reader(matcher, from, &mut sink)?;
                Ok(sink.has_match())
            }
            Printer::Json(printer) => {
                let mut sink = printer.sink_with_path(matcher, path);
                searcher.search_reader(matcher, from, &mut sink)?;
                Ok(sink.has_match())
            }
        }
    }

    fn out(&mut self) -> &mut dyn Write {
        match self {
            Printer::Lines(printer) => printer.get_mut(),
            Printer::Summary(printer) => printer.get_mut(),
            Printer::Json(printer) => printer.get_mut(),
        }
    }
}
