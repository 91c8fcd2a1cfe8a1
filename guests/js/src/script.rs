//! File, working directory and command line of the script that runs.

use std::cell::RefCell;

use cofferdam_abi::entry::{Script, Start};
use rquickjs::{Ctx, Function, Object, Result};

/// Home folder of a sandbox: working directory and folder of a script that has no other.
pub(crate) const HOME: &str = "/home/user";

/// An owned [`Script`].
#[derive(Clone, Default)]
struct Kept {
    path: String,
    root: String,
    cwd: String,
    arguments: Vec<String>,
}

thread_local! {
    /// `None` for a tool that is not a file of the sandbox.
    static SCRIPT: RefCell<Option<Box<Kept>>> = const { RefCell::new(None) };
    /// Name of the tool in stack traces.
    static NAME: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps what a run was started with.
pub(crate) fn keep(start: &Start<'_>) {
    NAME.with_borrow_mut(|name| {
        name.clear();
        name.push_str(start.file);
    });
    let Script { path, root, cwd, arguments } = &start.script;
    let is_given = !(path.is_empty() && cwd.is_empty() && arguments.is_empty());
    SCRIPT.set(is_given.then(|| {
        Box::new(Kept {
            path: (*path).into(),
            root: (*root).into(),
            cwd: (*cwd).into(),
            arguments: arguments.iter().map(|&text| text.into()).collect(),
        })
    }));
}

/// Returns the absolute path of the script; one in [`HOME`] if it is not a file of the sandbox.
pub(crate) fn path() -> String {
    let given = SCRIPT.with_borrow(|kept| kept.as_ref().map(|kept| kept.path.clone()));
    given.filter(|path| !path.is_empty()).unwrap_or_else(|| {
        NAME.with_borrow(|name| format!("{HOME}/{}", name.rsplit('/').next().unwrap_or(name)))
    })
}

/// Returns the folder that modules may come from; empty if the script is not a file of the sandbox.
fn root() -> String {
    SCRIPT.with_borrow(|kept| kept.as_ref().map(|kept| kept.root.clone())).unwrap_or_default()
}

fn cwd() -> String {
    let given = SCRIPT.with_borrow(|kept| kept.as_ref().map(|kept| kept.cwd.clone()));
    given.filter(|cwd| !cwd.is_empty()).unwrap_or_else(|| HOME.into())
}

fn arguments() -> Vec<String> {
    SCRIPT.with_borrow(|kept| kept.as_ref().map(|kept| kept.arguments.clone())).unwrap_or_default()
}

/// Puts functions that read the script's place into the natives of the preludes.
pub(crate) fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set("scriptPath", Function::new(ctx.clone(), path)?)?;
    native.set("scriptRoot", Function::new(ctx.clone(), root)?)?;
    native.set("scriptCwd", Function::new(ctx.clone(), cwd)?)?;
    native.set("scriptArguments", Function::new(ctx.clone(), arguments)?)
}
