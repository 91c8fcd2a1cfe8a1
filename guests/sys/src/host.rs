//! Host services that only a cell has: fetches through the broker, tools, and cap reports.
//!
//! On a real Unix every function here fails with [`HostError`].

pub use cofferdam_abi::process::Cap;

/// An error reported by the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostError {
    /// Error class. `PermissionError` for a denial, whose `message` is then a line of JSON.
    pub name: String,
    /// Human-readable description.
    pub message: String,
    /// Failure kind of a request that was sent; empty for all other errors.
    pub kind: String,
}

impl HostError {
    pub(crate) fn plain(message: &str) -> Self {
        HostError { name: "Error".to_owned(), message: message.to_owned(), kind: String::new() }
    }
}

/// An HTTP request.
#[derive(Debug, Clone, Default)]
pub struct FetchRequest {
    /// HTTP method, such as `GET`.
    pub method: String,
    /// Absolute URL.
    pub url: String,
    /// Header names and values.
    pub headers: Vec<(String, String)>,
    /// Request body.
    pub body: Option<Vec<u8>>,
    /// Descriptor whose rest follows `body`. The host reads it while it sends.
    pub from: Option<u32>,
    /// Follow redirects.
    pub follow: bool,
    /// Timeout in milliseconds; the host's own limit applies as well.
    pub time_ms: Option<f64>,
}

/// An HTTP response without its body.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FetchHead {
    /// Status code.
    pub status: u16,
    /// Reason phrase.
    pub status_text: String,
    /// Final URL, after redirects.
    pub url: String,
    /// Header names in lower case, and values with one character per byte.
    pub headers: Vec<(String, String)>,
    /// Number to pass to [`fetch_read`]; `None` if the response has no body.
    pub stream: Option<u32>,
    /// Bytes sent of a body that was read from a descriptor.
    pub sent: Option<u64>,
}

/// An event of a running tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// The tool ended with this exit code.
    Ended(u8),
    /// The tool wrote to standard output.
    Output(Vec<u8>),
    /// The tool wrote to standard error.
    Error(Vec<u8>),
    /// The tool waits for standard input.
    WantsInput,
}

#[cfg(target_arch = "wasm32")]
mod cell {
    use cofferdam_abi::call::ProgramCall;
    use cofferdam_abi::process::ToolEvent;
    use cofferdam_abi::wire::Malformed;
    use cofferdam_abi::{Value, value};

    use super::{Cap, FetchHead, FetchRequest, Heard, HostError};
    use crate::system::try_call;

    fn text(text: &str) -> Value {
        Value::String(text.to_owned())
    }

    fn member<'a>(members: &'a [(String, Value)], name: &str) -> Option<&'a Value> {
        members.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// Sends a request and waits for the response head.
    pub fn fetch(request: FetchRequest) -> Result<FetchHead, HostError> {
        let header = |(name, value): &(String, String)| Value::Array(vec![text(name), text(value)]);
        let mut head = vec![
            ("method".to_owned(), Value::String(request.method)),
            ("url".to_owned(), Value::String(request.url)),
            ("redirect".to_owned(), text(if request.follow { "follow" } else { "manual" })),
            ("headers".to_owned(), Value::Array(request.headers.iter().map(header).collect())),
            ("hasBody".to_owned(), Value::Bool(request.body.is_some())),
        ];
        if let Some(fd) = request.from {
            head.push(("from".to_owned(), Value::Number(f64::from(fd))));
        }
        if let Some(ms) = request.time_ms {
            head.push(("timeMs".to_owned(), Value::Number(ms)));
        }
        let answer = try_call(
            ProgramCall::FetchStart,
            |w| {
                let mut packed = cofferdam_abi::wire::Writer::new();
                value::encode(&Value::Object(head), &mut packed);
                w.bytes(packed.as_bytes());
                w.raw(request.body.as_deref().unwrap_or_default());
            },
            |r| value::decode(r.take(r.remaining())?),
        )?;
        let Value::Object(members) = answer else {
            return Err(HostError::plain("malformed answer from the host"));
        };
        let number = |name: &str| match member(&members, name) {
            Some(Value::Number(number)) => Some(*number),
            _ => None,
        };
        let words = |name: &str| match member(&members, name) {
            Some(Value::String(words)) => words.clone(),
            _ => String::new(),
        };
        let pair = |pair: &Value| match pair {
            Value::Array(pair) => match pair.as_slice() {
                [Value::String(name), Value::String(value)] => Some((name.clone(), value.clone())),
                _ => None,
            },
            _ => None,
        };
        let headers = match member(&members, "headers") {
            Some(Value::Array(list)) => list.iter().filter_map(pair).collect(),
            _ => Vec::new(),
        };
        Ok(FetchHead {
            status: number("status").unwrap_or(0.0) as u16,
            status_text: words("statusText"),
            url: words("url"),
            headers,
            stream: number("stream").map(|number| number as u32),
            sent: number("sent").map(|number| number as u64),
        })
    }

    /// Returns the next bytes of a body, or an empty vector at its end.
    pub fn fetch_read(stream: u32) -> Result<Vec<u8>, HostError> {
        try_call(
            ProgramCall::FetchRead,
            |w| {
                w.u32(stream);
            },
            |r| r.take(r.remaining()).map(<[u8]>::to_vec),
        )
    }

    /// Starts a tool.
    pub fn tool_start(name: &str, source: &str, arguments: &[String]) -> Result<(), HostError> {
        tool_start_with(name, source, arguments, &[])
    }

    /// Starts a tool; `more` are further members of the call, such as `cwd`.
    pub fn tool_start_with(
        name: &str,
        source: &str,
        arguments: &[String],
        more: &[(&str, &str)],
    ) -> Result<(), HostError> {
        let mut members = vec![
            ("name".to_owned(), text(name)),
            ("source".to_owned(), text(source)),
            ("arguments".to_owned(), Value::Array(arguments.iter().map(|a| text(a)).collect())),
        ];
        members.extend(more.iter().map(|(name, value)| ((*name).to_owned(), text(value))));
        let tool = Value::Object(members);
        try_call(
            ProgramCall::ToolStart,
            |w| {
                let mut packed = cofferdam_abi::wire::Writer::new();
                value::encode(&tool, &mut packed);
                w.bytes(packed.as_bytes());
            },
            |_| Ok(()),
        )
    }

    /// Waits for the next event of the tool.
    pub fn tool_read() -> Result<Heard, HostError> {
        try_call(
            ProgramCall::ToolRead,
            |_| (),
            |r| {
                let event = ToolEvent::from_number(r.u8()?);
                let bytes = r.take(r.remaining())?;
                match event {
                    Some(ToolEvent::Ended) => Ok(Heard::Ended(bytes.first().copied().unwrap_or(1))),
                    Some(ToolEvent::Output) => Ok(Heard::Output(bytes.to_vec())),
                    Some(ToolEvent::Error) => Ok(Heard::Error(bytes.to_vec())),
                    Some(ToolEvent::WantsInput) => Ok(Heard::WantsInput),
                    None => Err(Malformed::new("unknown event", 0)),
                }
            },
        )
    }

    /// Sends standard input to the tool; an empty slice ends the input.
    pub fn tool_feed(bytes: &[u8]) -> Result<(), HostError> {
        try_call(
            ProgramCall::ToolFeed,
            |w| {
                w.raw(bytes);
            },
            |_| Ok(()),
        )
    }

    /// Returns the bytes used and allowed, then the files used and allowed, in the sandbox.
    pub fn space() -> Result<[(u64, u64); 2], HostError> {
        try_call(
            ProgramCall::SpaceLook,
            |_| (),
            |r| Ok([(r.u64()?, r.u64()?), (r.u64()?, r.u64()?)]),
        )
    }

    /// Reports a reached cap to the host, so that a run that fails because of the cap names it.
    pub fn cap_hit(cap: Cap, allowed: u64) {
        let _ = try_call(
            ProgramCall::CapHit,
            |w| {
                w.u8(cap as u8).u64(allowed);
            },
            |_| Ok(()),
        );
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod cell {
    use super::{Cap, FetchHead, FetchRequest, Heard, HostError};

    fn absent<T>() -> Result<T, HostError> {
        Err(HostError::plain("only in a sandbox"))
    }

    /// Always fails outside a cell.
    pub fn fetch(_: FetchRequest) -> Result<FetchHead, HostError> {
        absent()
    }

    /// Always fails outside a cell.
    pub fn fetch_read(_: u32) -> Result<Vec<u8>, HostError> {
        absent()
    }

    /// Always fails outside a cell.
    pub fn tool_start_with(
        _: &str,
        _: &str,
        _: &[String],
        _: &[(&str, &str)],
    ) -> Result<(), HostError> {
        absent()
    }

    /// Always fails outside a cell.
    pub fn tool_start(_: &str, _: &str, _: &[String]) -> Result<(), HostError> {
        absent()
    }

    /// Always fails outside a cell.
    pub fn tool_read() -> Result<Heard, HostError> {
        absent()
    }

    /// Always fails outside a cell.
    pub fn tool_feed(_: &[u8]) -> Result<(), HostError> {
        absent()
    }

    /// Always fails outside a cell.
    pub fn space() -> Result<[(u64, u64); 2], HostError> {
        absent()
    }

    /// Does nothing outside a cell.
    pub fn cap_hit(_: Cap, _: u64) {}
}

pub use cell::{
    cap_hit, fetch, fetch_read, space, tool_feed, tool_read, tool_start, tool_start_with,
};
