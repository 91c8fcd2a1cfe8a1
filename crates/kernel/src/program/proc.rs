//! `/proc` and `/dev/fd`: files that are made when they are read.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};

use cofferdam_vfs::{Caller, Item, Provider};

use crate::program::descriptor::SCRIPT_BASE;
use crate::program::device::Device;
use crate::program::system::System;
use crate::program::table::About;
use crate::shared::lock::lock;

/// Runs by their number. A tree outlives runs and is shared by forks, so a mounted provider finds
/// the run of a caller by the caller's number alone.
fn runs() -> &'static Mutex<HashMap<u32, Weak<System>>> {
    static RUNS: OnceLock<Mutex<HashMap<u32, Weak<System>>>> = OnceLock::new();
    RUNS.get_or_init(Mutex::default)
}

pub(crate) fn next_number() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

pub(crate) fn register(number: u32, system: &Arc<System>) {
    lock(runs()).insert(number, Arc::downgrade(system));
}

pub(crate) fn forget(number: u32) {
    lock(runs()).remove(&number);
}

fn run_of(caller: Caller) -> Option<(Arc<System>, u32)> {
    let system = lock(runs()).get(&((caller.0 >> 32) as u32))?.upgrade()?;
    Some((system, caller.0 as u32))
}

/// `/dev/fd`: the descriptors of the calling process.
pub(crate) struct OwnDescriptors;

impl Provider for OwnDescriptors {
    fn item(&self, _caller: Caller, names: &[&str]) -> Option<Item> {
        descriptor_item(names)
    }
}

fn descriptor_item(names: &[&str]) -> Option<Item> {
    match names {
        // Only the process knows its descriptors, and it can open any by its number.
        [] => Some(Item::Directory(["0", "1", "2"].map(String::from).to_vec())),
        [name] => {
            let fd: u32 = name.parse().ok()?;
            let is_plain = fd.to_string() == *name && fd < SCRIPT_BASE;
            is_plain.then(|| Item::Device(Device::Descriptor(fd).id()))
        }
        _ => None,
    }
}

/// `/proc`: the processes of a run.
pub(crate) struct Proc;

impl Provider for Proc {
    fn item(&self, caller: Caller, names: &[&str]) -> Option<Item> {
        let run = run_of(caller);
        match names {
            [] => {
                let fixed =
                    ["self", "version", "uptime", "meminfo", "cpuinfo", "loadavg", "mounts"];
                let mut all = fixed.map(String::from).to_vec();
                if let Some((system, _)) = &run {
                    all.extend(lock(&system.table).pids().iter().map(u32::to_string));
                }
                Some(Item::Directory(all))
            }
            ["self"] => Some(Item::Link(run.map_or(0, |(_, pid)| pid).to_string())),
            ["version"] => text("Linux version 6.1.0-cofferdam (cofferdam) #1 SMP\n"),
            ["uptime"] => {
                let ns = run.map_or(0, |(system, _)| lock(&system.clock).monotonic_ns());
                let seconds = ns as f64 / 1e9;
                text(&format!("{seconds:.2} {seconds:.2}\n"))
            }
            ["meminfo"] => {
                let (total, used) = run.map_or((0, 0), |(system, _)| {
                    (system.setup.limits.memory_sum_bytes >> 10, system.budget.used() >> 10)
                });
                let free = total.saturating_sub(used);
                text(&format!(
                    "MemTotal:       {total:8} kB\nMemFree:        {free:8} kB\nMemAvailable:   {free:8} kB\n"
                ))
            }
            ["cpuinfo"] => text("processor\t: 0\nmodel name\t: WebAssembly\n"),
            ["loadavg"] => text("0.00 0.00 0.00 1/1 1\n"),
            ["mounts"] => text("sandbox / sandbox rw 0 0\n"),
            [pid, rest @ ..] => {
                let (system, _) = run?;
                let pid: u32 = pid.parse().ok()?;
                let (parent, about) = {
                    let table = lock(&system.table);
                    let (parent, about) = table.about(pid)?;
                    (parent, about.clone())
                };
                of_process(pid, parent, &about, rest)
            }
        }
    }
}

fn of_process(pid: u32, parent: u32, about: &About, names: &[&str]) -> Option<Item> {
    let first = about.argv.first().map_or(&[][..], Vec::as_slice);
    let base = first.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let name = String::from_utf8_lossy(&base[..base.len().min(15)]).into_owned();
    match names {
        [] => {
            let names = ["cmdline", "comm", "cwd", "fd", "stat", "status"];
            Some(Item::Directory(names.map(String::from).to_vec()))
        }
        ["cmdline"] => {
            let mut all = Vec::new();
            for argument in &about.argv {
                all.extend_from_slice(argument);
                all.push(0);
            }
            Some(Item::File(all))
        }
        ["comm"] => text(&format!("{name}\n")),
        ["cwd"] => Some(Item::Link(about.cwd.clone())),
        ["fd", rest @ ..] => descriptor_item(rest),
        ["stat"] => text(&format!("{pid} ({name}) R {parent} 1 1 0 -1 0\n")),
        ["status"] => text(&format!(
            "Name:\t{name}\nState:\tR (running)\nPid:\t{pid}\nPPid:\t{parent}\nUid:\t1000\t1000\t1000\t1000\nGid:\t1000\t1000\t1000\t1000\nThreads:\t1\n"
        )),
        _ => None,
    }
}

fn text(text: &str) -> Option<Item> {
    Some(Item::File(text.as_bytes().to_vec()))
}
