//! Random values and messages.

use cofferdam::{Sandbox, Tool, Value};
use cofferdam_abi::call::{ProgramCall, ToolCall};
use cofferdam_abi::entry::{Entry, Leave};
use cofferdam_abi::frame;
use cofferdam_abi::value::{self, ErrorValue, ViewKind};
use cofferdam_abi::wire::{Reader, Writer};
use proptest::prelude::*;
use serde_json::Value as Json;

/// Generates values that equal themselves: no NaN, and no references, whose numbers must fit.
fn values() -> impl Strategy<Value = Value> {
    let number = prop_oneof![any::<i32>().prop_map(f64::from), any::<f64>()]
        .prop_map(|n| if n.is_nan() { 0.5 } else { n });
    let leaf = prop_oneof![
        Just(Value::Undefined),
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        number.clone().prop_map(Value::Number),
        any::<i128>().prop_map(|n| Value::BigInt(n.to_string())),
        ".{0,20}".prop_map(Value::String),
        number.prop_map(Value::Date),
        (".{0,8}", "[gim]{0,1}").prop_map(|(source, flags)| Value::RegExp { source, flags }),
        prop::collection::vec(any::<u8>(), 0..32).prop_map(Value::Buffer),
        prop::collection::vec(any::<u8>(), 0..32).prop_map(|bytes| Value::View {
            kind: ViewKind::Uint8,
            offset: 0,
            length: bytes.len() as u32,
            buffer: Box::new(Value::Buffer(bytes)),
        }),
        any::<bool>().prop_map(|b| Value::Boxed(Box::new(Value::Bool(b)))),
    ];
    leaf.prop_recursive(5, 64, 6, |inner| {
        let list = prop::collection::vec(inner.clone(), 0..6);
        prop_oneof![
            list.clone().prop_map(Value::Array),
            list.prop_map(Value::Set),
            prop::collection::vec((".{0,6}", inner.clone()), 0..6).prop_map(Value::Object),
            prop::collection::vec((inner.clone(), inner.clone()), 0..4).prop_map(Value::Map),
            prop::collection::btree_map(0..50u32, inner.clone(), 0..4).prop_map(|items| {
                Value::Sparse { length: 50, items: items.into_iter().collect() }
            }),
            (".{0,6}", ".{0,6}", prop::option::of(inner)).prop_map(|(name, message, cause)| {
                let stack = String::new();
                Value::Error(Box::new(ErrorValue { name, message, stack, cause, errors: None }))
            }),
        ]
    })
}

/// Generates JSON that JavaScript holds exactly: no number beyond a double, no -0.
fn json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i32>().prop_map(Json::from),
        (-1e300..1e300f64)
            .prop_filter("whole ones are written without a point", |n| n.fract() != 0.0
                || n.abs() > 1e16)
            .prop_map(Json::from),
        ".{0,20}".prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 48, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Json::from),
            prop::collection::hash_map(".{0,6}", inner, 0..6).prop_map(Json::from_iter),
        ]
    })
}

fn packed(value: &Value) -> Vec<u8> {
    let mut w = Writer::new();
    value::encode(value, &mut w);
    w.finish()
}

proptest! {
    #[test]
    fn a_value_comes_back_as_it_went(value in values()) {
        prop_assert_eq!(value::decode(&packed(&value)), Ok(value));
    }

    #[test]
    fn arbitrary_bytes_are_refused_and_never_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = value::decode(&bytes);
        let _ = Entry::read(&bytes);
        let _ = Leave::read(&bytes);
        let mut r = Reader::new(&bytes);
        while frame::next_request::<ToolCall>(&mut r).is_ok() {}
        let mut r = Reader::new(&bytes);
        while frame::next_request::<ProgramCall>(&mut r).is_ok() {}
    }

    #[test]
    fn a_value_with_some_bytes_changed_is_never_a_panic(
        value in values(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = packed(&value);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(value) = value::decode(&bytes) {
            // Any value that can be decoded can be converted.
            let _ = cofferdam::json::to_json(&value);
        }
    }

    #[test]
    fn a_value_that_is_cut_off_is_refused(value in values(), cut in any::<prop::sample::Index>()) {
        let bytes = packed(&value);
        prop_assert!(value::decode(&bytes[..cut.index(bytes.len())]).is_err());
    }
}

fn through_a_cell(args: Value) -> cofferdam::Outcome {
    let executor = tokio::runtime::Builder::new_current_thread().build().expect("an executor");
    let tool = Tool::javascript("return args").args_value(args);
    executor.block_on(async { Sandbox::new()?.run(&tool).await }).expect("an outcome")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn json_comes_back_from_a_cell_as_it_went(json in json()) {
        let outcome = through_a_cell(cofferdam::json::from_json(json.clone()));
        prop_assert_eq!(outcome.result_json(), Some(json), "{:?}", outcome.error());
    }

    #[test]
    fn bytes_from_nobody_as_arguments_never_hurt_the_host(value in values()) {
        // A value that JavaScript cannot hold, such as an invalid regular expression, is an error
        // of the tool.
        let _ = through_a_cell(value);
    }
}
