//! What only a cell has: the broker's way to the network, tools, caps that the host hears of.
//!
//! On a real Unix all of it is refused, by name.

pub use cofferdam_abi::process::Cap;

/// Why the host did not do it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The class of the error; `PermissionError` for a denial, whose message is a line of JSON.
    pub name: String,
    /// What a person reads.
    pub message: String,
    /// Of a request that was sent: what went wrong.
    pub kind: String,
}

impl Refused {
    pub(crate) fn plain(message: &str) -> Self {
        Refused { name: "Error".to_owned(), message: message.to_owned(), kind: String::new() }
    }
}

/// What to send.
#[derive(Debug, Clone, Default)]
pub struct FetchRequest {
    /// `GET` and the like.
    pub method: String,
    /// Absolute.
    pub url: String,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// What follows the headers.
    pub body: Option<Vec<u8>>,
    /// Whether redirects are followed.
    pub follow: bool,
    /// Longest time, in milliseconds; the host's own limit holds all the same.
    pub time_ms: Option<f64>,
}

/// What came back, but for the body.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FetchHead {
    /// Status code.
    pub status: u16,
    /// Its words.
    pub status_text: String,
    /// Where it came from in the end.
    pub url: String,
    /// Names in lower case, and values, one character for each byte.
    pub headers: Vec<(String, String)>,
    /// Number of the body, where there is one.
    pub stream: Option<u32>,
}

/// What is heard of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// It ended with this exit code.
    Ended(u8),
    /// It printed to standard output.
    Output(Vec<u8>),
    /// It printed to standard error.
    Error(Vec<u8>),
    /// It waits for standard input.
    WantsInput,
}

#[cfg(target_arch = "wasm32")]
mod cell {
    use cofferdam_abi::call::ProgramCall;
    use cofferdam_abi::process::ToolEvent;
    use cofferdam_abi::wire::Malformed;
    use cofferdam_abi::{Value, value};

    use super::{Cap, FetchHead, FetchRequest, Heard, Refused};
    use crate::system::try_call;

    fn text(text: &str) -> Value {
        Value::String(text.to_owned())
    }

    fn member<'a>(members: &'a [(String, Value)], name: &str) -> Option<&'a Value> {
        members.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// Sends a request and waits for the response's head.
    pub fn fetch(request: FetchRequest) -> Result<FetchHead, Refused> {
        let header = |(name, value): &(String, String)| Value::Array(vec![text(name), text(value)]);
        let mut head = vec![
            ("method".to_owned(), Value::String(request.method)),
            ("url".to_owned(), Value::String(request.url)),
            ("redirect".to_owned(), text(if request.follow { "follow" } else { "manual" })),
            ("headers".to_owned(), Value::Array(request.headers.iter().map(header).collect())),
            ("hasBody".to_owned(), Value::Bool(request.body.is_some())),
        ];
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
            return Err(Refused::plain("answer of the host not understood"));
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
        })
    }

    /// The next bytes of a body, none at its end.
    pub fn fetch_read(stream: u32) -> Result<Vec<u8>, Refused> {
        try_call(
            ProgramCall::FetchRead,
            |w| {
                w.u32(stream);
            },
            |r| r.take(r.remaining()).map(<[u8]>::to_vec),
        )
    }

    /// Begins a tool.
    pub fn tool_start(name: &str, source: &str, arguments: &[String]) -> Result<(), Refused> {
        let tool = Value::Object(vec![
            ("name".to_owned(), text(name)),
            ("source".to_owned(), text(source)),
            ("arguments".to_owned(), Value::Array(arguments.iter().map(|a| text(a)).collect())),
        ]);
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

    /// Waits for what the tool does next.
    pub fn tool_read() -> Result<Heard, Refused> {
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

    /// Hands input to the tool; nothing for its end.
    pub fn tool_feed(bytes: &[u8]) -> Result<(), Refused> {
        try_call(
            ProgramCall::ToolFeed,
            |w| {
                w.raw(bytes);
            },
            |_| Ok(()),
        )
    }

    /// Bytes in the sandbox's files and how many there may be; the same of files.
    pub fn space() -> Result<[(u64, u64); 2], Refused> {
        try_call(ProgramCall::SpaceLook, |_| (), |r| Ok([(r.u64()?, r.u64()?), (r.u64()?, r.u64()?)]))
    }

    /// Tells the host that a cap was hit, so that a run which fails for it says so.
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
    use super::{Cap, FetchHead, FetchRequest, Heard, Refused};

    fn absent<T>() -> Result<T, Refused> {
        Err(Refused::plain("only in a sandbox"))
    }

    /// Refused.
    pub fn fetch(_: FetchRequest) -> Result<FetchHead, Refused> {
        absent()
    }

    /// Refused.
    pub fn fetch_read(_: u32) -> Result<Vec<u8>, Refused> {
        absent()
    }

    /// Refused.
    pub fn tool_start(_: &str, _: &str, _: &[String]) -> Result<(), Refused> {
        absent()
    }

    /// Refused.
    pub fn tool_read() -> Result<Heard, Refused> {
        absent()
    }

    /// Refused.
    pub fn tool_feed(_: &[u8]) -> Result<(), Refused> {
        absent()
    }

    /// Refused.
    pub fn space() -> Result<[(u64, u64); 2], Refused> {
        absent()
    }

    /// Nobody hears it.
    pub fn cap_hit(_: Cap, _: u64) {}
}

pub use cell::{cap_hit, fetch, fetch_read, space, tool_feed, tool_read, tool_start};
