//! Parses one line of `rpc`. Depends on nothing but the line, so that it can be fuzzed on its own.

use serde_json::Value as Json;

/// Error codes: those of the standard, and -32000 for a server or sandbox that is busy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    Parse = -32700,
    Request = -32600,
    Method = -32601,
    Params = -32602,
    Internal = -32603,
    Busy = -32000,
}

/// An error answer: code and message.
#[derive(Debug, PartialEq)]
pub(crate) struct RpcError(pub(crate) Code, pub(crate) String);

/// A request.
#[derive(Debug, PartialEq)]
pub(crate) struct Request {
    /// Id of the request; `None` for a notification, which is never answered.
    pub(crate) id: Option<Json>,
    pub(crate) method: String,
    pub(crate) params: Json,
}

/// A line that is not a request, with the id for its answer: null if it is not known.
#[derive(Debug, PartialEq)]
pub(crate) struct BadLine {
    pub(crate) id: Json,
    pub(crate) error: RpcError,
}

impl Request {
    /// Parses a line. Members that the standard does not define are ignored.
    pub(crate) fn parse(line: &[u8]) -> Result<Request, BadLine> {
        let bad = |id: Json, code, what: String| Err(BadLine { id, error: RpcError(code, what) });
        let request = match serde_json::from_slice::<Json>(line) {
            Ok(request) => request,
            Err(error) => {
                return bad(Json::Null, Code::Parse, format!("request: not JSON: {error}"));
            }
        };
        let Json::Object(mut request) = request else {
            return bad(
                Json::Null,
                Code::Request,
                "request: not an object; send one object per line".into(),
            );
        };
        let id = request.remove("id");
        if !matches!(id, None | Some(Json::Null | Json::String(_) | Json::Number(_))) {
            return bad(Json::Null, Code::Request, "id: neither a string nor a number".into());
        }
        let shown = id.clone().unwrap_or(Json::Null);
        if request.get("jsonrpc") != Some(&Json::from("2.0")) {
            return bad(shown, Code::Request, "jsonrpc: must be \"2.0\"".into());
        }
        let params = request.remove("params").unwrap_or(Json::Null);
        match request.remove("method") {
            Some(Json::String(method)) => Ok(Request { id, method, params }),
            _ => bad(shown, Code::Request, "method: missing or not a string".into()),
        }
    }
}
