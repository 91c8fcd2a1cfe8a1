//! The calls of programs: processes, pipes, descriptors, signals, modes.

mod fetch;
mod tool;

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use cofferdam_abi::call::Call;
use cofferdam_abi::frame::{self, ANSWER_HEADER, MAX_BATCH, Refusal, Status};
use cofferdam_abi::process::{self as abi, FileStatus, Myself};
use cofferdam_abi::wire::{Malformed, Reader, Result, Writer};
use cofferdam_cell::Leave;
use cofferdam_vfs::{At, DeviceId, Follow, Kind, Mode, Stat};

use crate::program::descriptor::{Description, Descriptor, Descriptors, Object};
use crate::program::errno::Errno;
use crate::program::pipe;
use crate::program::process::Process;
use crate::program::spawn::{self, Found, Hindered, Launch, NotStarted};
use crate::program::system::Environment;
use crate::program::table::{Sent, Waited};
use crate::shared::call_error::CallError;
use crate::shared::call_error::pack_refusal;
use crate::shared::lock::lock;

/// Longest answer to one crossing; it is host memory until the guest has taken it.
const MAX_ANSWER: usize = 16 << 20;

/// Longest environment that is kept for the next run.
const MAX_ENVIRONMENT: usize = 2 << 20;

/// What a call comes to. The payload was appended to the answer.
pub(super) enum Reply {
    Done,
    Refused(NotStarted),
    Failed(CallError),
    Leave(Leave),
}

impl From<Errno> for Reply {
    fn from(errno: Errno) -> Self {
        Reply::Refused(NotStarted::new(errno, errno.to_string()))
    }
}

pub(super) type Answered = Poll<Result<Reply>>;

/// Answers the calls of one crossing, going on where it had to wait.
pub(crate) fn answer(
    process: &mut Process,
    request: &[u8],
    answer: &mut Vec<u8>,
    cx: &mut Context<'_>,
) -> Poll<std::result::Result<(), Leave>> {
    let mut count = 0;
    loop {
        count += 1;
        if count > MAX_BATCH {
            return breach(format!("more than {MAX_BATCH} calls in one crossing"));
        }
        let mut requests = Reader::new(request.get(process.answered..).unwrap_or_default());
        let request = match frame::next_request(&mut requests) {
            Ok(request) => request,
            Err(malformed) => return breach(malformed.to_string()),
        };
        let after = process.answered + frame::REQUEST_HEADER + request.payload.len();
        let header = answer.len();
        answer.extend_from_slice(&[0; ANSWER_HEADER]);
        let reply = match one(process, request.call, request.payload, answer, cx) {
            Poll::Ready(Ok(reply)) => reply,
            Poll::Ready(Err(malformed)) => {
                return breach(format!("{}: {malformed}", request.call.name()));
            }
            Poll::Pending => {
                answer.truncate(header);
                return Poll::Pending;
            }
        };
        let status = match reply {
            Reply::Done => Status::Done,
            Reply::Refused(NotStarted { errno, message }) => {
                process.system.note(errno);
                answer.truncate(header + ANSWER_HEADER);
                let mut w = Writer::new();
                Refusal { name: errno.name(), message: &message, members: Vec::new() }
                    .write(&mut w);
                answer.extend_from_slice(w.as_bytes());
                Status::Refused
            }
            Reply::Failed(refused) => {
                answer.truncate(header + ANSWER_HEADER);
                answer.extend_from_slice(&pack_refusal(&refused));
                Status::Refused
            }
            Reply::Leave(leave) => return Poll::Ready(Err(leave)),
        };
        if answer.len() > MAX_ANSWER {
            return breach(format!("answers of more than {MAX_ANSWER} bytes asked for"));
        }
        let len = answer.len() - header - ANSWER_HEADER;
        answer[header] = status as u8;
        answer[header + 1..header + ANSWER_HEADER].copy_from_slice(&(len as u32).to_le_bytes());
        if requests.is_empty() {
            process.answered = 0;
            return Poll::Ready(Ok(()));
        }
        process.answered = after;
    }
}

fn breach<T>(what: String) -> Poll<std::result::Result<T, Leave>> {
    Poll::Ready(Err(Leave::Breach(what)))
}

fn one(
    process: &mut Process,
    call: Call,
    payload: &[u8],
    answer: &mut Vec<u8>,
    cx: &mut Context<'_>,
) -> Answered {
    let mut fields = Reader::new(payload);
    let reply = match call {
        Call::ProcessSpawn => return poll_spawn(process, &fields, answer, cx),
        Call::ProcessWait => return poll_wait(process, &mut fields, answer),
        Call::ProcessKill => kill(process, &mut fields),
        Call::ProcessMyself => myself(process, answer),
        Call::PipeNew => new_pipe(process, answer),
        Call::DescriptorCopy => copy(process, &mut fields, answer),
        Call::DescriptorReplace => replace(process, &mut fields),
        Call::SignalTake => {
            answer.extend(lock(&process.system.table).take_signals(process.pid));
            Ok(Reply::Done)
        }
        Call::SignalSet => set_signals(process, &mut fields),
        Call::FileStat => stat(process, &mut fields, answer),
        Call::FileMode => set_mode(process, &mut fields),
        Call::FifoMake => make_fifo(process, &mut fields),
        Call::ProcessMask => mask(process, &mut fields, answer),
        Call::EnvironmentKeep => keep_environment(process, &mut fields),
        Call::FetchStart | Call::FetchRead => {
            return fetch::poll(process, call, &mut fields, answer, cx);
        }
        Call::FetchStop => fetch::stop(process, &mut fields),
        Call::ToolStart => tool::start(process, &mut fields),
        Call::ToolRead => return tool::poll_read(process, &fields, answer, cx),
        Call::ToolFeed => tool::feed(process, &mut fields),
        Call::CapHit => tool::cap_hit(process, &mut fields),
        Call::SpaceLook => {
            let files = &process.system.world.files;
            let (used, limits) = (files.usage(), files.limits());
            for figure in [used.bytes, limits.bytes, used.nodes, limits.nodes] {
                answer.extend_from_slice(&figure.to_le_bytes());
            }
            Ok(Reply::Done)
        }
        Call::Take => Err(Malformed::new("call inside a batch", 0)),
        Call::ConsoleWrite
        | Call::ClockWall
        | Call::ClockMonotonic
        | Call::RandomBytes
        | Call::TimerStart
        | Call::TicketCancel
        | Call::FetchBody
        | Call::FetchSend
        | Call::FetchDrop
        | Call::StorageGet
        | Call::StorageSet
        | Call::StorageRemove
        | Call::StorageKeys
        | Call::StorageClear
        | Call::FileRead
        | Call::FileWrite
        | Call::FileList
        | Call::FileLook
        | Call::FolderMake
        | Call::FileRemove
        | Call::FileRename
        | Call::StateGet
        | Call::StateSet
        | Call::StateDescribe
        | Call::StateList
        | Call::VariableGet
        | Call::VariableList
        | Call::FunctionCall
        | Call::CommandRun
        | Call::InputRead
        | Call::CodeKeep
        | Call::DomCall => Err(Malformed::new("call of a tool, not of a program", 0)),
    };
    Poll::Ready(reply.and_then(|reply| fields.end().map(|()| reply)))
}

/// Starts a program: somebody may have to be asked, and a module has to be compiled.
fn poll_spawn(
    process: &mut Process,
    fields: &Reader<'_>,
    answer: &mut Vec<u8>,
    cx: &mut Context<'_>,
) -> Answered {
    let spawned = ready!(poll_spawned(process, fields.clone(), answer, cx));
    // What was allowed was allowed for this one.
    process.permitted.clear();
    Poll::Ready(spawned)
}

fn poll_spawned(
    process: &mut Process,
    fields: Reader<'_>,
    answer: &mut Vec<u8>,
    cx: &mut Context<'_>,
) -> Answered {
    while process.spawning.is_none() {
        if let Some(question) = &mut process.question {
            let answer = ready!(Pin::new(question).poll(cx));
            process.question = None;
            match answer {
                Ok(program) => process.permitted.push(program),
                Err(not_started) => return Poll::Ready(Ok(Reply::Refused(not_started))),
            }
        }
        let mut fields = fields.clone();
        let spawn = match abi::Spawn::read(&mut fields).and_then(|s| fields.end().map(|()| s)) {
            Ok(spawn) => spawn,
            Err(malformed) => return Poll::Ready(Err(malformed)),
        };
        let (launch, found) = match prepare(process, &spawn) {
            Ok(prepared) => prepared,
            Err(Hindered::NotStarted(not_started)) => {
                return Poll::Ready(Ok(Reply::Refused(not_started)));
            }
            Err(Hindered::Asked(question)) => {
                process.question = Some(question);
                continue;
            }
        };
        let module = match found {
            Found::Command(image) => {
                return Poll::Ready(Ok(born(process, image, launch, answer)));
            }
            Found::Module(module) => module,
        };
        let Some(compiler) = &process.system.world.programs.compiler else {
            return Poll::Ready(Ok(Errno::NotExecutable.into()));
        };
        let name = launch.argv.first().map_or(&[][..], Vec::as_slice);
        let compiling = compiler.compile(&String::from_utf8_lossy(name), module);
        process.spawning = Some((launch, compiling));
    }
    let Some((_, compiling)) = &mut process.spawning else { return Poll::Pending };
    let compiled = ready!(Pin::new(compiling).poll(cx));
    let Some((mut launch, _)) = process.spawning.take() else { return Poll::Pending };
    Poll::Ready(Ok(match compiled {
        Ok(image) => {
            if let Err(errno) = launch.preopen_root(&process.system) {
                return Poll::Ready(Ok(errno.into()));
            }
            launch.begins_in_cwd = true;
            born(process, image, launch, answer)
        }
        Err(unfit) => {
            let name = launch.argv.first().map_or(&[][..], Vec::as_slice);
            let text = format!("{}: {unfit}", String::from_utf8_lossy(name));
            Reply::Refused(NotStarted::new(Errno::NotExecutable, text))
        }
    }))
}

/// Checks what a child is to be, before anything is made.
fn prepare(
    process: &Process,
    spawn: &abi::Spawn<'_>,
) -> std::result::Result<(Launch, Found), Hindered> {
    let text = |bytes| std::str::from_utf8(bytes).map_err(|_| Errno::NotFound);
    let failed = |errno: Errno| NotStarted::plain(errno, &String::from_utf8_lossy(spawn.program));
    let program = text(spawn.program).map_err(failed)?;
    let cwd = text(spawn.cwd).map_err(failed)?;
    let mut descriptors = Descriptors::default();
    for (child, parent) in &spawn.descriptors {
        let descriptor = process.descriptors.get((*parent).into()).map_err(failed)?;
        // What a program finds open by name is given to it anew.
        let descriptor = Descriptor { preopen: None, ..descriptor.clone() };
        descriptors.put(*child, descriptor).map_err(failed)?;
    }
    let owned = |list: &[&[u8]]| list.iter().map(|bytes| bytes.to_vec()).collect();
    let mut launch = Launch {
        argv: owned(&spawn.argv),
        env: owned(&spawn.env),
        cwd: if cwd.starts_with('/') { cwd.into() } else { process.cwd.clone() },
        descriptors,
        state: spawn.state.to_vec(),
        ignored: lock(&process.system.table).ignored(process.pid),
        mask: process.mask,
        is_command: false,
        begins_in_cwd: false,
        permitted: process.permitted.clone(),
    };
    launch.check().map_err(failed)?;
    if !lock(&process.system.table).has_room() {
        process.system.note_processes();
        return Err(failed(Errno::Again).into());
    }
    let found = spawn::find(&process.system, process.pid, program, &mut launch)?;
    if let Found::Command(_) = found {
        launch.preopen_root(&process.system).map_err(failed)?;
    }
    Ok((launch, found))
}

fn born(
    process: &Process,
    image: cofferdam_cell::ProgramImage<Process>,
    launch: Launch,
    answer: &mut Vec<u8>,
) -> Reply {
    match spawn::start(&process.system, process.pid, image, launch) {
        Ok(pid) => {
            answer.extend_from_slice(&pid.to_le_bytes());
            Reply::Done
        }
        Err(errno) => errno.into(),
    }
}

fn poll_wait(process: &Process, fields: &mut Reader<'_>, answer: &mut Vec<u8>) -> Answered {
    let read = |fields: &mut Reader<'_>| Ok((fields.u32()?, fields.u8()?, fields.end()?));
    let (pid, flags) = match read(fields) {
        Ok((pid, flags, ())) => (pid, flags),
        Err(malformed) => return Poll::Ready(Err(malformed)),
    };
    // Whoever changes the table wakes us: a child that ends, a signal that comes.
    let mut table = lock(&process.system.table);
    let waited = match table.wait(process.pid, pid) {
        Ok(waited) => waited,
        Err(errno) => return Poll::Ready(Ok(errno.into())),
    };
    let (pid, status) = match waited {
        Waited::Ended { pid, status } => (pid, status),
        Waited::NotYet if flags & 1 != 0 => (0, 0),
        Waited::NotYet if table.has_signals(process.pid) => {
            return Poll::Ready(Ok(Errno::Interrupted.into()));
        }
        Waited::NotYet => return Poll::Pending,
    };
    answer.extend_from_slice(&pid.to_le_bytes());
    answer.extend_from_slice(&status.to_le_bytes());
    Poll::Ready(Ok(Reply::Done))
}

fn kill(process: &Process, fields: &mut Reader<'_>) -> Result<Reply> {
    let (pid, signal) = (fields.u32()?, fields.u8()?);
    let sent = lock(&process.system.table).send(process.pid, pid, signal);
    Ok(match sent {
        Ok(Sent::Done) => Reply::Done,
        Ok(Sent::KillsSender) => Reply::Leave(Leave::Signal(signal)),
        Err(errno) => errno.into(),
    })
}

fn myself(process: &mut Process, answer: &mut Vec<u8>) -> Result<Reply> {
    let state = std::mem::take(&mut process.state);
    let mut w = Writer::onto(std::mem::take(answer));
    Myself {
        pid: process.pid,
        parent: process.parent,
        cwd: process.cwd.as_bytes(),
        state: &state,
        ignored: lock(&process.system.table).ignored(process.pid).0,
        argv: process.argv.iter().map(Vec::as_slice).collect(),
        env: process.env.iter().map(Vec::as_slice).collect(),
        open: process.descriptors.numbers().collect(),
        now: process.system.now().0,
    }
    .write(&mut w);
    *answer = w.finish();
    Ok(Reply::Done)
}

fn new_pipe(process: &mut Process, answer: &mut Vec<u8>) -> Result<Reply> {
    let (reader, writer) = pipe::pipe(process.system.pipe_capacity());
    let reader = Descriptor::new(Description::new(Object::PipeRead(reader), 0));
    let writer = Descriptor::new(Description::new(Object::PipeWrite(writer), 0));
    let read = match process.descriptors.add(reader, 0) {
        Ok(read) => read,
        Err(errno) => return Ok(errno.into()),
    };
    let write = match process.descriptors.add(writer, 0) {
        Ok(write) => write,
        Err(errno) => {
            let _ = process.descriptors.close(read.into());
            return Ok(errno.into());
        }
    };
    answer.extend_from_slice(&read.to_le_bytes());
    answer.extend_from_slice(&write.to_le_bytes());
    Ok(Reply::Done)
}

fn copy(process: &mut Process, fields: &mut Reader<'_>, answer: &mut Vec<u8>) -> Result<Reply> {
    let (fd, least) = (fields.u32()?, fields.u32()?);
    let copied = process.descriptors.get(fd.into()).cloned().and_then(|descriptor| {
        let descriptor = Descriptor { preopen: None, ..descriptor };
        process.descriptors.add(descriptor, least)
    });
    Ok(match copied {
        Ok(fd) => {
            answer.extend_from_slice(&fd.to_le_bytes());
            Reply::Done
        }
        Err(errno) => errno.into(),
    })
}

fn replace(process: &mut Process, fields: &mut Reader<'_>) -> Result<Reply> {
    let (fd, to) = (fields.u32()?, fields.u32()?);
    let replaced = process.descriptors.get(fd.into()).cloned().and_then(|descriptor| {
        let descriptor = Descriptor { preopen: None, ..descriptor };
        match fd == to {
            true => Ok(()),
            false => process.descriptors.put(to, descriptor),
        }
    });
    Ok(match replaced {
        Ok(()) => Reply::Done,
        Err(Errno::TooManyDescriptors) => Errno::BadDescriptor.into(),
        Err(errno) => errno.into(),
    })
}

fn set_signals(process: &Process, fields: &mut Reader<'_>) -> Result<Reply> {
    let (caught, ignored) = (fields.u64()?, fields.u64()?);
    lock(&process.system.table).set_signals(process.pid, caught, ignored);
    Ok(Reply::Done)
}

/// A path of a call: absolute, or from where the process was started.
fn path_of(process: &Process, bytes: &[u8]) -> std::result::Result<String, Errno> {
    let text = std::str::from_utf8(bytes).map_err(|_| Errno::IllegalSequence)?;
    Ok(match text {
        "" => return Err(Errno::NotFound),
        text if text.starts_with('/') => text.to_owned(),
        text => format!("{}/{text}", process.cwd),
    })
}

fn stat(process: &Process, fields: &mut Reader<'_>, answer: &mut Vec<u8>) -> Result<Reply> {
    let follow = if fields.u8()? == 0 { Follow::Never } else { Follow::Link };
    let path = fields.bytes()?;
    let found = path_of(process, path).and_then(|path| {
        Ok(process.system.files(process.pid).stat(At::root(&path).follow(follow))?)
    });
    Ok(match found {
        Ok(stat) => {
            let mut w = Writer::new();
            status_of(&stat).write(&mut w);
            answer.extend_from_slice(w.as_bytes());
            Reply::Done
        }
        Err(errno) => errno.into(),
    })
}

fn status_of(stat: &Stat) -> FileStatus {
    let kind = match stat.kind {
        Kind::File => 0o100_000,
        Kind::Directory => 0o040_000,
        Kind::Link => 0o120_000,
        Kind::Device(DeviceId::FIFO) | Kind::Other => 0o010_000,
        Kind::Device(_) => 0o020_000,
    };
    FileStatus {
        mode: kind | stat.mode.bits(),
        links: stat.links.min(u64::from(u32::MAX)) as u32,
        uid: 1000,
        gid: 1000,
        device: stat.device,
        inode: stat.ino.0,
        size: stat.size,
        accessed: stat.accessed.0,
        modified: stat.modified.0,
        changed: stat.changed.0,
    }
}

fn set_mode(process: &Process, fields: &mut Reader<'_>) -> Result<Reply> {
    let mode = Mode::new(fields.u32()?);
    let path = fields.bytes()?;
    let set = path_of(process, path).and_then(|path| {
        process.change("chmod", At::root(&path))?;
        Ok(process.system.files(process.pid).set_mode(At::root(&path), mode)?)
    });
    Ok(set.map_or_else(Reply::from, |()| Reply::Done))
}

fn make_fifo(process: &Process, fields: &mut Reader<'_>) -> Result<Reply> {
    let mode = process.mode(fields.u32()? & 0o777);
    let path = fields.bytes()?;
    let made = path_of(process, path)
        .and_then(|path| Ok(process.system.files(process.pid).make_fifo(At::root(&path), mode)?));
    Ok(made.map_or_else(Reply::from, |()| Reply::Done))
}

fn mask(process: &mut Process, fields: &mut Reader<'_>, answer: &mut Vec<u8>) -> Result<Reply> {
    let had = std::mem::replace(&mut process.mask, fields.u32()? & 0o777);
    answer.extend_from_slice(&had.to_le_bytes());
    Ok(Reply::Done)
}

fn keep_environment(process: &Process, fields: &mut Reader<'_>) -> Result<Reply> {
    let all = fields.remaining();
    let given = abi::Environment::read(fields)?;
    if process.parent == 0 && all <= MAX_ENVIRONMENT {
        let variables = given.variables.iter().map(|bytes| bytes.to_vec()).collect();
        let kept = Environment { cwd: given.cwd.to_vec(), variables };
        *lock(&process.system.environment) = Some(kept);
    }
    Ok(Reply::Done)
}
