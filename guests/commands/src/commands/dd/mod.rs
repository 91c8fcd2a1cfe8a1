//! dd: copies and converts blocks. The uutils version needs threads, which a cell does not have.

mod blocks;
mod convert;
mod number;
mod settings;
mod summary;

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd as _;

use crate::options::{self, Item, Order, Usage};
use crate::output::reason;

use blocks::{Failure, Sink, Source};
use settings::{Settings, Status};
use summary::Summary;

const USAGE: Usage = Usage {
    name: "dd",
    text: "Usage: dd [OPERAND]...\nCopy a file, converting and formatting according to the operands.\n\n  \
           bs=BYTES        read and write up to BYTES bytes at a time (default: 512)\n  \
           cbs=BYTES       convert BYTES bytes at a time\n  \
           conv=CONVS      convert the file as per the comma-separated list\n  \
           count=N         copy only N input blocks\n  \
           ibs=BYTES       read up to BYTES bytes at a time (default: 512)\n  \
           if=FILE         read from FILE instead of standard input\n  \
           iflag=FLAGS     read as per the comma-separated list\n  \
           obs=BYTES       write BYTES bytes at a time (default: 512)\n  \
           of=FILE         write to FILE instead of standard output\n  \
           oflag=FLAGS     write as per the comma-separated list\n  \
           seek=N          skip N output blocks (also oseek=N)\n  \
           skip=N          skip N input blocks (also iseek=N)\n  \
           status=LEVEL    'none', 'noxfer' or 'progress'\n\n\
           CONVS: block unblock lcase ucase swab sync sparse excl nocreat notrunc noerror\n       \
           fdatasync fsync\n\
           FLAGS: append count_bytes skip_bytes seek_bytes fullblock directory nofollow direct\n       \
           dsync sync nonblock noatime nocache noctty\n\
           N and BYTES may end in c=1, w=2, b=512, kB=1000, K=1024, MB, M, GB, G and so on, and\n\
           are products of numbers joined by x; a count that ends in B is in bytes.\n",
    trouble: 1,
};

pub(crate) fn run(args: Vec<OsString>) -> i32 {
    let items = match options::parse(&USAGE, args, &[], Order::Anywhere) {
        Ok(items) => items,
        Err(code) => return code,
    };
    let operands = items.into_iter().filter_map(|item| match item {
        Item::Operand(operand) => Some(operand),
        Item::Option(..) => None,
    });
    let settings = match Settings::parse(operands) {
        Ok(settings) => settings,
        Err(message) => return USAGE.wrong(&message),
    };
    let mut summary = Summary::start();
    let copied = copy(&settings, &mut summary);
    if let Err(failure) = &copied {
        eprintln!("dd: {failure}");
    }
    // A file that could not be opened has no records to report.
    let is_started = !matches!(copied, Err(Failure::Open(..) | Failure::Memory(_)));
    if is_started && settings.status != Status::None {
        eprint!("{}", summary.text(settings.status));
    }
    i32::from(copied.is_err())
}

fn copy(settings: &Settings, summary: &mut Summary) -> Result<(), Failure> {
    let mut input = open_input(settings)?;
    let output = open_output(settings)?;
    skip(&mut input, settings)?;
    let mut source = Source::new(&input, settings)?;
    let mut sink = Sink::new(&output, settings)?;
    let copied = source.copy_to(&mut sink, summary);
    // Blocks that were read before a failure are written all the same, as GNU does.
    let flushed = sink.finish(summary);
    copied.and(flushed)
}

fn open_input(settings: &Settings) -> Result<ManuallyDrop<File>, Failure> {
    let Some(path) = &settings.input else {
        // SAFETY: descriptor 0 is open for the life of the process, and `ManuallyDrop` never
        // closes it.
        return Ok(ManuallyDrop::new(unsafe { File::from_raw_fd(0) }));
    };
    settings.input_flags.check(path)?;
    File::open(path).map(ManuallyDrop::new).map_err(|error| Failure::Open(path.clone(), error))
}

fn open_output(settings: &Settings) -> Result<ManuallyDrop<File>, Failure> {
    let start = settings.output_start();
    let Some(path) = &settings.output else {
        // SAFETY: as for descriptor 0 in `open_input`.
        let mut output = ManuallyDrop::new(unsafe { File::from_raw_fd(1) });
        if start > 0 {
            let moved = i64::try_from(start).map(SeekFrom::Current);
            let moved = moved.map_err(|_| io::ErrorKind::InvalidInput.into());
            moved.and_then(|to| output.seek(to)).map_err(Failure::CannotSeek)?;
        }
        return Ok(output);
    };
    settings.output_flags.check(path)?;
    let mut how = OpenOptions::new();
    how.append(settings.append).write(true).create(!settings.nocreat).create_new(settings.excl);
    how.truncate(!settings.append && !settings.notrunc && start == 0);
    if settings.nocreat {
        how.truncate(!settings.notrunc && start == 0);
    }
    let open = |error| Failure::Open(path.clone(), error);
    let mut output = how.open(path).map_err(open)?;
    if start > 0 {
        if !settings.notrunc && output.metadata().is_ok_and(|found| found.is_file()) {
            output.set_len(start).map_err(Failure::CannotSeek)?;
        }
        output.seek(SeekFrom::Start(start)).map_err(Failure::CannotSeek)?;
    }
    Ok(ManuallyDrop::new(output))
}

/// Skips the start of the input: by seeking, or by reading if the input is a pipe.
fn skip(input: &mut File, settings: &Settings) -> Result<(), Failure> {
    let bytes = settings.input_start();
    if bytes == 0 {
        return Ok(());
    }
    let is_file = input.metadata().is_ok_and(|found| found.is_file());
    let by = i64::try_from(bytes);
    if is_file && by.is_ok_and(|by| input.seek(SeekFrom::Current(by)).is_ok()) {
        return Ok(());
    }
    let skipped = io::copy(&mut (&*input).take(bytes), &mut io::sink());
    match skipped.map_err(|error| Failure::Read(settings.input_name(), reason(&error)))? {
        read if read < bytes => Err(Failure::SkippedPastEnd(settings.input_name())),
        _ => Ok(()),
    }
}
