//! TypeScript to JavaScript for files that a tool imports.

use std::future::Future;
use std::pin::Pin;

/// Error of a file that has no JavaScript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypesFailed {
    /// Name of the error that the tool sees, such as `SyntaxError`.
    pub name: &'static str,
    /// Message with the place in the file.
    pub message: String,
}

/// Strips the types of a file, outside of the tool's cell: the parser is another guest.
pub trait TypesStripper: Send + Sync {
    /// Returns the JavaScript of a file.
    fn strip(
        &self,
        name: String,
        source: String,
    ) -> Pin<Box<dyn Future<Output = Result<String, TypesFailed>> + Send>>;
}
