//! Lists of commands, and the effect of failures under `set -e`.

use crate::shell::traps::Event;
use crate::shell::{Exec, Flow, Shell};
use crate::syntax::ast::{Item, Kind, Link, List, Pipeline};

impl Shell {
    /// Runs a list of commands in order.
    pub fn exec_list(&mut self, list: &List) -> Exec {
        let mut status = 0;
        for item in &list.items {
            if self.options.noexec() && !self.interactive {
                return Ok(status);
            }
            status = self.exec_item(item)?;
            self.status = status;
            if self.traps.catches() {
                self.run_signal_traps()?;
            }
        }
        Ok(status)
    }

    /// Runs commands as a condition: their failure does not end the shell under `set -e`.
    pub(super) fn exec_condition(&mut self, list: &List) -> Exec {
        self.errexit_off += 1;
        let answer = self.exec_list(list);
        self.errexit_off -= 1;
        answer
    }

    fn exec_item(&mut self, item: &Item) -> Exec {
        if item.background {
            return self.exec_background(item);
        }
        if item.rest.is_empty() {
            return self.exec_last(&item.first);
        }
        let mut status = self.exec_tested(&item.first)?;
        self.status = status;
        let last = item.rest.len() - 1;
        for (at, (link, pipeline)) in item.rest.iter().enumerate() {
            let wanted = match link {
                Link::And => status == 0,
                Link::Or => status != 0,
            };
            if !wanted {
                continue;
            }
            status =
                if at == last { self.exec_last(pipeline)? } else { self.exec_tested(pipeline)? };
            self.status = status;
        }
        Ok(status)
    }

    fn exec_tested(&mut self, pipeline: &Pipeline) -> Exec {
        self.errexit_off += 1;
        let answer = self.exec_pipeline(pipeline);
        self.errexit_off -= 1;
        answer
    }

    /// Runs the last pipeline of an `&&`/`
    /// ` list, whose failure triggers `ERR` and `set -e`.
    fn exec_last(&mut self, pipeline: &Pipeline) -> Exec {
        if pipeline.negated {
            // `set -e` inside a negated function counts unless it was on before.
            return match self.options.errexit() {
                true => self.exec_tested(pipeline),
                false => self.exec_pipeline(pipeline),
            };
        }
        let status = self.exec_pipeline(pipeline)?;
        if status == 0 || self.errexit_off > 0 {
            return Ok(status);
        }
        // A compound command has already handled the failure of its last inner command.
        let counts = match pipeline.stages.as_slice() {
            [command] => match &command.kind {
                Kind::Simple(_) | Kind::Subshell(_) | Kind::Arith(_) | Kind::Test(_) => true,
                Kind::Group(_)
                | Kind::If(..)
                | Kind::Loop(_)
                | Kind::For(..)
                | Kind::Select(..)
                | Kind::ArithFor(..)
                | Kind::Case(..)
                | Kind::Function(..)
                | Kind::Coproc(..) => false,
            },
            _ => true,
        };
        if counts {
            self.status = status;
            self.failed(status)?;
        }
        Ok(status)
    }

    /// Handles a failure: runs the `ERR` trap, then exits if `set -e` is on.
    pub(super) fn failed(&mut self, status: i32) -> Result<(), Flow> {
        self.run_trap(Event::Err)?;
        if self.options.errexit() {
            // The EXIT trap sees the function that failed.
            return Err(Flow::Exit(self.run_exit_trap(status)));
        }
        Ok(())
    }
}
