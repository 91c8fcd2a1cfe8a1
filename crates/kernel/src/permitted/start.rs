//! Starting a program behind a permit.

use cofferdam_broker::Action;
use cofferdam_caps::Request;
use cofferdam_caps::process::CommandName;

/// Starting a program by the name that a grant has for it.
///
/// A command with arguments is run with a permit, never with a name alone:
///
/// ```compile_fail
/// use cofferdam_kernel::What;
///
/// fn run(name: &str) -> What {
///     What::Arguments(name, vec![name.to_owned()])
/// }
/// ```
///
/// The permit cannot be forged from the action, nor used for two commands:
///
/// ```compile_fail
/// use cofferdam_broker::Permit;
/// use cofferdam_kernel::permitted::StartProgram;
///
/// fn forged(action: StartProgram) -> Permit<StartProgram> {
///     action.into()
/// }
/// ```
///
/// ```compile_fail
/// use cofferdam_broker::Permit;
/// use cofferdam_kernel::What;
/// use cofferdam_kernel::permitted::StartProgram;
///
/// fn twice(permit: Permit<StartProgram>) -> [What; 2] {
///     [What::Arguments(permit, Vec::new()), What::Arguments(permit, Vec::new())]
/// }
/// ```
///
/// ```
/// use cofferdam_broker::Permit;
/// use cofferdam_kernel::What;
/// use cofferdam_kernel::permitted::StartProgram;
///
/// fn run(permit: Permit<StartProgram>) -> What {
///     What::Arguments(permit, vec!["ls".to_owned()])
/// }
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct StartProgram {
    command: CommandName,
}

impl StartProgram {
    /// Names a program.
    pub fn new(command: CommandName) -> Self {
        StartProgram { command }
    }

    /// Returns the name of the program.
    pub fn command(&self) -> &CommandName {
        &self.command
    }
}

impl Action for StartProgram {
    fn request(&self) -> Request {
        Request::Process { command: self.command.clone() }
    }
}
