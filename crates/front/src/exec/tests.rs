//! Parameters of every wrong shape.

use super::*;
use serde_json::json;

/// Values of all shapes that a parameter may have.
fn values() -> Vec<Json> {
    let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
    let mut values = vec![Json::Null, json!(true), json!(0), json!(-1), json!(1.5), json!(1e300)];
    values.extend([
        json!(u64::MAX),
        json!(""),
        json!("x"),
        json!("/"),
        json!("a\0b"),
        json!("../.."),
    ]);
    values.extend([json!([]), json!([1]), json!(["/"]), json!(["fs:read:/a"]), json!({}), deep]);
    values.extend([json!({ "": 1 }), json!({ "a": "b" }), json!({ "=": "b" }), json!({ "a": {} })]);
    values.extend([
        json!({ "base64": "?" }),
        json!({ "base64": "", "path": "" }),
        json!({ "x": null }),
    ]);
    values.extend([json!({ "timeoutMs": 1e300 }), json!({ "memoryBytes": u64::MAX })]);
    values
}

/// T-CELL-026.
#[test]
fn no_parameters_make_it_panic_and_each_refusal_names_one() {
    let bases = [
        json!({ "kind": "js", "code": "1" }),
        json!({ "kind": "ts", "code": "1", "sandbox": "s" }),
        json!({ "kind": "shell", "command": "true" }),
        json!({ "kind": "wasm", "wasm": { "base64": "" } }),
        json!({}),
    ];
    let names = crate::fields::names(EXEC).into_iter().chain(["params", "unknown"]);
    for base in bases {
        for name in names.clone() {
            for value in values() {
                let mut params = base.clone();
                params[name] = value.clone();
                let Err(BadParams(text)) = Exec::parse(params) else { continue };
                let subject = text.split([':', '.', ' ']).next().unwrap_or_default();
                let known = crate::fields::names(EXEC).contains(&subject)
                    || ["params", "unknown", "dom"].contains(&subject);
                assert!(known, "{name} = {value} in {base} is refused with {text:?}");
            }
        }
    }
}

#[test]
fn names_of_languages_in_full_are_kinds() {
    for (name, kind) in [("javascript", "js"), ("typescript", "ts"), ("py", "python")] {
        let tool = |kind: &str| match Exec::parse(json!({ "kind": kind, "code": "1" })) {
            Ok(Exec { runnable: Runnable::Tool(tool), .. }) => format!("{tool:?}"),
            Ok(_) | Err(_) => panic!("{kind} is no tool"),
        };
        assert_eq!(tool(name), tool(kind));
    }
    assert!(Exec::parse(json!({ "kind": "bash", "command": "true" })).is_ok());
    assert!(Exec::parse(json!({ "kind": "cobol", "code": "" })).is_err());
}
