//! The `jobs`, `fg`, `bg` and `disown` builtins.

use cofferdam_guest_sys::Status;

use super::shown;
use crate::shell::{Exec, Shell};
use crate::syntax::ast::Text;

pub(super) fn jobs(shell: &mut Shell, args: &[Text]) -> Exec {
    shell.jobs.look();
    let pids = args[1..].iter().any(|arg| arg == b"-p");
    let long = args[1..].iter().any(|arg| arg == b"-l");
    let running_only = args[1..].iter().any(|arg| arg == b"-r");
    let stopped_only = args[1..].iter().any(|arg| arg == b"-s");
    let specs: Vec<&Text> = args[1..].iter().filter(|arg| arg.first() == Some(&b'%')).collect();
    let mut out = Vec::new();
    let wanted: Vec<usize> = if specs.is_empty() {
        (0..shell.jobs.list.len()).collect()
    } else {
        specs.iter().filter_map(|spec| shell.jobs.find(spec)).collect()
    };
    let current = shell.jobs.find(b"%+");
    let previous = shell.jobs.find(b"%-");
    let mut told = Vec::new();
    for at in wanted {
        let job = &shell.jobs.list[at];
        let state = match job.status() {
            None => "Running".to_owned(),
            Some(Status::Exited(0)) => "Done".to_owned(),
            Some(Status::Exited(code)) => format!("Exit {code}"),
            Some(Status::Killed(15)) => "Terminated".to_owned(),
            Some(Status::Killed(9)) => "Killed".to_owned(),
            Some(Status::Killed(signal)) => format!("Signal {signal}"),
        };
        if stopped_only || (running_only && job.status().is_some()) {
            continue;
        }
        if job.status().is_some() {
            told.push(at);
        }
        if pids {
            out.extend_from_slice(format!("{}\n", job.pids.first().unwrap_or(&0)).as_bytes());
            continue;
        }
        let mark = if Some(at) == current {
            '+'
        } else if Some(at) == previous {
            '-'
        } else {
            ' '
        };
        let pid = if long { format!("{} ", job.pids.first().unwrap_or(&0)) } else { String::new() };
        let ampersand = if job.status().is_none() { " &" } else { "" };
        let line =
            format!("[{}]{mark}  {pid}{state:<24}{}{ampersand}\n", job.number, shown(&job.text));
        out.extend_from_slice(line.as_bytes());
    }
    for at in told.into_iter().rev() {
        shell.jobs.list.remove(at);
    }
    shell.print(&out, "jobs")
}

pub(super) fn fg(shell: &mut Shell, args: &[Text]) -> Exec {
    if !shell.options.monitor() {
        shell.warn("fg: no job control");
        return Ok(1);
    }
    let spec = args.get(1).cloned().unwrap_or_else(|| b"%+".to_vec());
    let Some(at) = shell.jobs.find(&spec) else {
        no_job(shell, "fg", &spec);
        return Ok(1);
    };
    let line = [shell.jobs.list[at].text.as_slice(), b"\n"].concat();
    shell.print(&line, "fg")?;
    shell.wait_job(at)
}

pub(super) fn bg(shell: &mut Shell, args: &[Text]) -> Exec {
    if !shell.options.monitor() {
        shell.warn("bg: no job control");
        return Ok(1);
    }
    let spec = args.get(1).cloned().unwrap_or_else(|| b"%+".to_vec());
    match shell.jobs.find(&spec) {
        Some(_) => {
            shell.warn("bg: job already in background");
            Ok(0)
        }
        None => {
            no_job(shell, "bg", &spec);
            Ok(1)
        }
    }
}

/// Complains of a job that does not exist. As in bash, the current one is named in words.
fn no_job(shell: &mut Shell, who: &str, spec: &[u8]) {
    let spec = if spec == b"%+" { "current".to_owned() } else { shown(spec) };
    shell.warn(&format!("{who}: {spec}: no such job"));
}

pub(super) fn suspend(shell: &mut Shell, _: &[Text]) -> Exec {
    shell.warn("suspend: cannot suspend: no job control");
    Ok(1)
}

pub(super) fn disown(shell: &mut Shell, args: &[Text]) -> Exec {
    let specs: Vec<&Text> = args[1..].iter().filter(|arg| arg.first() != Some(&b'-')).collect();
    if specs.is_empty() {
        let keeps = args[1..].iter().any(|arg| arg.contains(&b'h'));
        if args.len() > 1 {
            shell.jobs.list.retain(|_| keeps);
        } else if shell.jobs.list.pop().is_none() {
            no_job(shell, "disown", b"%+");
            return Ok(1);
        }
        return Ok(0);
    }
    let mut status = 0;
    for spec in specs {
        let at = match super::number(spec) {
            Some(pid) => shell.jobs.of(pid as u32),
            None => shell.jobs.find(spec),
        };
        match at {
            // `-h` keeps the job in the table; only a hangup would have spared it.
            Some(_) if args[1] == b"-h" => {}
            Some(at) => {
                shell.jobs.list.remove(at);
            }
            None => {
                shell.warn(&format!("disown: {}: no such job", shown(spec)));
                status = 1;
            }
        }
    }
    Ok(status)
}
