//! The second part of the host, which few pages need: documents with their parser and selectors, and
//! the tables of letters that look like others. It is a module of its own (`crates/web/late`), and
//! the worker instantiates it when the host first asks. Until then, a call into it traps.
//!
//! A sandbox that holds a page, and one in which a person is asked, wait for it when they are created.
//! The document of the page waits for it before markup is sanitised.

use std::cell::Cell;

use serde_json::{Value as Json, json};

use crate::methods::Params;
use crate::port;

thread_local! {
    static IS_THERE: Cell<bool> = const { Cell::new(false) };
}

/// Returns true if a request needs a part that is not there yet.
pub(crate) fn is_missing(params: &Params) -> bool {
    let has = |name: &str| !matches!(params.get(name), None | Some(Json::Null | Json::Bool(false)));
    !IS_THERE.get() && (has("page") || has("ask"))
}

/// Has the second part loaded.
pub(crate) async fn load() -> Result<(), String> {
    if !IS_THERE.get() {
        port::inquire("late", json!({})).await?;
        IS_THERE.set(true);
    }
    Ok(())
}
