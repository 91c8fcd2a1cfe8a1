//! Transforms syntax that cannot be erased: enums, namespaces with values, parameter properties.

use swc_common::sync::Lrc;
use swc_common::{BytePos, FileName, Mark, SourceMap, Span, Spanned};
use swc_ecma_ast::{JSXElement, JSXFragment, Program, TsExportAssignment, TsExternalModuleRef};
use swc_ecma_codegen::{Config, Emitter};
use swc_ecma_parser::{Parser, StringInput, Syntax, TsSyntax};
use swc_ecma_transforms_base::fixer::fixer;
use swc_ecma_transforms_base::helpers::{HELPERS, Helpers};
use swc_ecma_transforms_base::hygiene::hygiene;
use swc_ecma_transforms_base::resolver;
use swc_ecma_transforms_typescript::typescript::{self, typescript};
use swc_ecma_visit::{Visit, VisitWith};

use crate::frame::Frame;
use crate::lines::Lines;
use crate::wrong::Wrong;

/// Returns the JavaScript of a source, with statements on their original lines. Must run inside
/// swc's `GLOBALS`.
pub(crate) fn transform(frame: Frame, source: &str) -> Result<String, Wrong> {
    let map = Lrc::new(SourceMap::default());
    let text = frame.around(source);
    let mut program = parse(&map, frame, text.clone(), TsSyntax::default())
        .map_err(|(at, message)| Wrong { message, offset: frame.offset(at, source) })?;
    if let Some(wrong) = absent(frame, source, &program) {
        return Err(wrong);
    }
    HELPERS.set(&Helpers::new(false), || erase_and_lower(&mut program));
    let out = print(map, &program, &text);
    let inner = out.as_deref().and_then(|out| frame.cut(out));
    inner.map(str::to_owned).ok_or_else(|| Wrong::unframed(source))
}

fn erase_and_lower(program: &mut Program) {
    let (unresolved, top) = (Mark::new(), Mark::new());
    // Keeps what erasing keeps: imports, and fields without an initial value.
    let config = typescript::Config {
        verbatim_module_syntax: true,
        native_class_properties: true,
        no_empty_export: true,
        ..Default::default()
    };
    program.mutate(resolver(unresolved, top, true));
    program.mutate(typescript(config, unresolved, top));
    program.mutate(hygiene());
    program.mutate(fixer(None));
}

fn print(map: Lrc<SourceMap>, program: &Program, text: &str) -> Option<String> {
    let mut cfg = Config::default();
    // Keeps escaped newlines escaped: a real line break would move all lines below.
    cfg.reduce_escaped_newline = false;
    let mut lines = Lines::new(text);
    Emitter { cfg, cm: map, comments: None, wr: &mut lines }.emit_program(program).ok()?;
    Some(lines.finish())
}

/// Returns the unsupported construct of a source that parses only as JSX.
pub(crate) fn with_jsx(frame: Frame, source: &str) -> Option<Wrong> {
    let map = SourceMap::default();
    let syntax = TsSyntax { tsx: true, ..TsSyntax::default() };
    let program = parse(&map, frame, frame.around(source), syntax).ok()?;
    absent(frame, source, &program)
}

fn parse(
    map: &SourceMap,
    frame: Frame,
    text: String,
    syntax: TsSyntax,
) -> Result<Program, (BytePos, String)> {
    let file = map.new_source_file(Lrc::new(FileName::Anon), text);
    let mut parser = Parser::new(Syntax::Typescript(syntax), StringInput::from(&*file), None);
    let program = match frame.is_module() {
        true => parser.parse_module().map(Program::Module),
        false => parser.parse_script().map(Program::Script),
    };
    let said = parser.take_errors().into_iter();
    match (program, said.min_by_key(|error| error.span().lo)) {
        (Ok(program), None) => Ok(program),
        (Err(error), _) | (Ok(_), Some(error)) => {
            Err((error.span().lo, error.kind().msg().into_owned()))
        }
    }
}

/// Returns an error for the first construct that parses but has no JavaScript counterpart.
fn absent(frame: Frame, source: &str, program: &Program) -> Option<Wrong> {
    let mut absent = Absent::default();
    program.visit_with(&mut absent);
    let (span, message) = absent.0?;
    Some(Wrong { message: message.into(), offset: frame.offset(span.lo, source) })
}

/// Finds the first unsupported construct.
#[derive(Default)]
struct Absent(Option<(Span, &'static str)>);

impl Absent {
    fn found(&mut self, span: Span, message: &'static str) {
        self.0.get_or_insert((span, message));
    }
}

impl Visit for Absent {
    fn visit_jsx_element(&mut self, node: &JSXElement) {
        self.found(node.span, "JSX is not supported");
    }

    fn visit_jsx_fragment(&mut self, node: &JSXFragment) {
        self.found(node.span, "JSX is not supported");
    }

    fn visit_ts_external_module_ref(&mut self, node: &TsExternalModuleRef) {
        self.found(node.span, "import = require() is not supported");
    }

    fn visit_ts_export_assignment(&mut self, node: &TsExportAssignment) {
        self.found(node.span, "export = is not supported");
    }
}
