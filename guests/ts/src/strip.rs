//! What form a tool has, and its JavaScript.

use cofferdam_abi::entry::{Form, Thrown};

use crate::erase;
use crate::frame::Frame;
use crate::wrong::Wrong;

/// A tool without its types.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stripped {
    /// Whether it turned out to be a module; else it is a body, or a script to be kept.
    pub is_module: bool,
    /// JavaScript.
    pub text: String,
}

impl Stripped {
    /// As the host takes it: one byte, 1 for a module, and the text.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(1 + self.text.len());
        bytes.push(u8::from(self.is_module));
        bytes.extend_from_slice(self.text.as_bytes());
        bytes
    }
}

/// Makes a tool JavaScript, or says what is wrong with it. `file` is the name shown to people.
pub fn strip(form: Form, file: &str, source: &str) -> Result<Stripped, Thrown> {
    let commented;
    let source = match source.strip_prefix("#!") {
        // A first line such as `#!/usr/bin/env node` is legal at the very top only.
        Some(rest) => {
            commented = ["//", rest].concat();
            &commented
        }
        None => source,
    };
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

/// A module without either word is a body as well.
fn is_likely_module(source: &str) -> bool {
    source.contains("export") || source.contains("import")
}
