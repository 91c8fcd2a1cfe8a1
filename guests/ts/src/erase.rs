//! Replaces types by blanks and leaves everything else in its place.

use std::sync::{Arc, Mutex, PoisonError};

use swc_common::errors::{DiagnosticBuilder, Emitter, HANDLER, Handler};
use swc_common::sync::Lrc;
use swc_common::{BytePos, GLOBALS, Globals, SourceMap};
use swc_ts_fast_strip::{ErrorCode, Mode, Options, operate};

use crate::frame::Frame;
use crate::transform;
use crate::wrong::Wrong;

/// Returns the JavaScript of a source. All positions are kept. If the source contains syntax that
/// cannot be erased, only the lines of statements are kept.
pub(crate) fn erase(frame: Frame, source: &str) -> Result<String, Wrong> {
    let first = First::default();
    let handler = Handler::with_emitter(true, false, Box::new(first.clone()));
    let options =
        Options { module: Some(frame.is_module()), mode: Mode::StripOnly, ..Options::default() };
    let map = Lrc::new(SourceMap::default());
    let program = frame.around(source);
    GLOBALS.set(&Globals::default(), || {
        match HANDLER.set(&handler, || operate(&map, &handler, program, options)) {
            Ok(done) => {
                frame.cut(&done.code).map(str::to_owned).ok_or_else(|| Wrong::unframed(source))
            }
            Err(error) if matches!(error.code, ErrorCode::UnsupportedSyntax) => {
                transform::transform(frame, source)
            }
            Err(error) => {
                let (at, message) = first.take().unwrap_or((BytePos(0), error.message));
                Err(explain(frame, source, frame.offset(at, source), message))
            }
        }
    })
}

/// Replaces the parser's message if the source uses decorators or JSX, which are valid but
/// unsupported.
fn explain(frame: Frame, source: &str, offset: usize, message: String) -> Wrong {
    if source[offset..].starts_with('@') {
        return Wrong { message: "decorators are not supported".into(), offset };
    }
    transform::with_jsx(frame, source).unwrap_or(Wrong { message, offset })
}

/// Keeps the first diagnostic and drops the rest.
#[derive(Clone, Default)]
struct First(Arc<Mutex<Option<(BytePos, String)>>>);

impl First {
    fn take(&self) -> Option<(BytePos, String)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Emitter for First {
    fn emit(&mut self, said: &mut DiagnosticBuilder<'_>) {
        let at = said.span.primary_span().map_or(BytePos(0), |span| span.lo);
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert_with(|| (at, said.message()));
    }
}
