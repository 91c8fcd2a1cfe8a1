//! Tests of parsing and writing messages, and of their schema.

use super::*;
use crate::value::ErrorValue;
use alloc::boxed::Box;

fn read(members: Vec<(&str, Value)>) -> Result<Message, Invalid> {
    Message::from_value(object(members))
}

#[track_caller]
fn check_refused(members: Vec<(&str, Value)>, says: &str) {
    let error = read(members).expect_err("refused");
    assert_eq!(alloc::string::ToString::to_string(&error), says);
}

fn failure() -> Failure {
    Failure {
        name: "PermissionError".into(),
        message: "not allowed".into(),
        code: Some("PERMISSION_DENIED".into()),
        request_id: Some("req_1".into()),
        ..Failure::default()
    }
}

#[test]
fn every_kind_is_read_as_it_was_written() {
    let id = || String::from("1");
    let execute = Execute {
        code: "return 1".into(),
        args: Some(object(alloc::vec![("n", Value::Number(3.0))])),
        file: Some("tool.js".into()),
        language: Some("js".into()),
        capabilities: alloc::vec!["fs:read".into()],
    };
    let messages = [
        Message::Execute { id: id(), params: execute },
        Message::Execute { id: id(), params: Execute { code: "1".into(), ..Execute::default() } },
        Message::Call { id: id(), method: ToolCall::ALL[0], params: alloc::vec![text("k")] },
        Message::Answer { id: id(), outcome: Ok(Value::Undefined) },
        Message::Answer { id: id(), outcome: Err(failure()) },
        Message::Result { id: id(), result: Value::Date(0.0) },
        Message::Error { id: id(), error: failure() },
    ];
    for message in messages {
        assert_eq!(Message::from_value(message.clone().into_value()), Ok(message));
    }
}

#[test]
fn what_is_missing_or_unknown_is_named() {
    assert_eq!(Message::from_value(Value::Null), Err(Invalid::new("not an object")));
    check_refused(alloc::vec![("id", text("1"))], "message: type: missing");
    check_refused(
        alloc::vec![("id", text("1")), ("type", text("eval"))],
        "message: type: unknown type \"eval\"",
    );
    check_refused(
        alloc::vec![("id", text("1")), ("type", text("result"))],
        "message: result: missing",
    );
    check_refused(
        alloc::vec![
            ("id", text("1")),
            ("type", text("result")),
            ("result", Value::Null),
            ("x", Value::Null)
        ],
        "message: x: unknown",
    );
    check_refused(
        alloc::vec![("id", text("1")), ("type", text("execute")), ("params", object(Vec::new()))],
        "message: params.code: missing",
    );
    check_refused(
        alloc::vec![("id", text("1")), ("type", text("call")), ("method", text("host.exec"))],
        "message: method: unknown call \"host.exec\"",
    );
}

#[test]
fn an_id_is_a_short_string() {
    for id in [Value::Number(1.0), text(""), Value::String("x".repeat(MAX_ID + 1))] {
        assert!(read(alloc::vec![("id", id), ("type", text("result"))]).is_err());
    }
}

#[test]
fn a_value_that_refers_to_its_message_is_refused() {
    let array = Value::Array(alloc::vec![Value::Ref(0)]);
    let aggregate = ErrorValue {
        name: "AggregateError".into(),
        message: String::new(),
        stack: String::new(),
        cause: None,
        errors: Some(array.clone()),
    };
    for result in [array, Value::Error(Box::new(aggregate))] {
        let message = alloc::vec![("id", text("1")), ("type", text("result")), ("result", result)];
        check_refused(message, "message: cycles and shared references are not allowed");
    }
}
