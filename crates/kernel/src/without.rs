//! Stand-ins for features that are off: the same names with nothing behind them. A call of a guest
//! is refused with an error that names the feature.

#[cfg(not(feature = "dom"))]
pub(crate) mod dom;
#[cfg(not(feature = "net"))]
pub(crate) mod net;

use crate::shared::call_error::CallError;

/// Returns the error of a call that needs a feature.
fn refusal(feature: &str) -> CallError {
    let message = format!("cofferdam was built without the feature `{feature}`");
    CallError::new("NotSupportedError", message)
}
