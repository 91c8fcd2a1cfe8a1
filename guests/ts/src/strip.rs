//! Detects the form of a tool and strips its types.

use cofferdam_abi::entry::{Form, Thrown};

use crate::erase;
use crate::frame::Frame;
use crate::wrong::Wrong;

/// A tool without its types.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stripped {
    /// True if the tool is a module; otherwise it is a function body or a script.
    pub is_module: bool,
    /// The JavaScript.
    pub text: String,
}

impl Stripped {
    /// Encodes the result for the host: one byte, 1 for a module, followed by the text.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(1 + self.text.len());
        bytes.push(u8::from(self.is_module));
        bytes.extend_from_slice(self.text.as_bytes());
        bytes
    }
}

/// Turns a tool into JavaScript, or returns the error in it. `file` is the name used in messages.
pub fn strip(form: Form, file: &str, source: &str) -> Result<Stripped, Thrown> {
    let body = |text| Stripped { is_module: false, text };
    let module = |text| Stripped { is_module: true, text };
    let stripped = match form {
        Form::Body => erase::erase(Frame::Body, source).map(body),
        Form::Kept => erase::erase(Frame::Script, source).map(body),
        Form::Module => erase::erase(Frame::Module, source).map(module),
        Form::Detect => match erase::erase(Frame::Body, source).map(body) {
            Err(as_body) if is_likely_module(source) => {
                let as_module = erase::erase(Frame::Module, source).map(module);
                let is_meant = source.contains("export");
                as_module.map_err(|as_module| if is_meant { as_module } else { as_body })
            }
            settled => settled,
        },
    };
    stripped.map_err(|wrong: Wrong| wrong.thrown(file, source))
}

/// Returns true if the source may be a module. Source without either word also parses as a body.
fn is_likely_module(source: &str) -> bool {
    source.contains("export") || source.contains("import")
}
