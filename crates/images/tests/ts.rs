//! The TypeScript guest in a real cell: what it erases, refuses and survives.

mod common;

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use cofferdam_abi::entry::{Code, Entry, Form, Leave, Script, Start, Thrown};
use cofferdam_abi::wire::Writer;
use cofferdam_cell::{Cell, Engine, GuestFiles, Host, Image, KillSwitch, Limits, Pool, Stop};

use common::block_on;

/// A host that serves no calls; the guest makes none.
struct Nobody;

impl Host for Nobody {
    fn cross(&mut self, _: &[u8], _: &mut Vec<u8>) -> Result<(), Stop> {
        Err(Stop::Breach("the TypeScript guest calls nobody".into()))
    }
}

static IMAGE: LazyLock<Image<Nobody>> = LazyLock::new(|| {
    let engine = Engine::new(Pool { cells: 16, warm: 4 }).expect("an engine");
    // SAFETY: the image was made by this crate's build script and is embedded unchanged.
    #[allow(unsafe_code)]
    let image = unsafe { Image::load(&engine, cofferdam_images::TS, &GuestFiles::None) };
    image.expect("the image fits the engine")
});

/// The result of one run of the guest.
#[derive(Debug, PartialEq)]
enum Came {
    Body(String),
    Module(String),
    Threw(Thrown),
    Stopped(Stop),
}

fn strip(form: Form, source: &str) -> Came {
    let limits = Limits { memory_bytes: 512 << 20, reply_bytes: 8 << 20 };
    let switch = KillSwitch::new(IMAGE.engine().alarm());
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut cell = Cell::new(&IMAGE, Nobody, limits, switch, deadline).expect("a cell");
    let mut message = Writer::new();
    let (file, args) = ("tool.ts", &[][..]);
    let (code, members, script) = (Code::Unkept, Vec::new(), Script::default());
    let result_bytes = u32::MAX;
    let start = Start { form, file, source, code, args, result_bytes, members, script };
    Entry::Start(start).write(&mut message);
    let reply = match block_on(cell.enter(message.as_bytes())) {
        Ok(reply) => reply,
        Err(stop) => return Came::Stopped(stop),
    };
    let text = |text: &[u8]| String::from_utf8(text.to_vec()).expect("UTF-8");
    match Leave::read(&reply).expect("a reply") {
        Leave::Finished([0, rest @ ..]) => Came::Body(text(rest)),
        Leave::Finished([1, rest @ ..]) => Came::Module(text(rest)),
        Leave::Threw(thrown) => Came::Threw(thrown),
        other => panic!("{other:?}"),
    }
}

/// Asserts that each character of the source is unchanged and in its place, or became a blank, or
/// became a `;` where text was erased.
#[track_caller]
fn check_in_place(source: &str, text: &str) {
    assert_eq!(source.lines().count(), text.lines().count(), "{text}");
    for (before, after) in source.lines().zip(text.lines()) {
        let (before, after): (Vec<u16>, Vec<u16>) =
            (before.encode_utf16().collect(), after.encode_utf16().collect());
        assert_eq!(before.len(), after.len(), "{text}");
        for (b, a) in before.into_iter().zip(after) {
            let erased = char::from_u32(a.into()).is_some_and(|a| a.is_whitespace() || a == ';');
            assert!(a == b || erased, "{text}");
        }
    }
}

/// Asserts that `source` becomes `expect`, which has its blanks collapsed.
#[track_caller]
fn check(form: Form, source: &str, expect: &str) {
    let text = match strip(form, source) {
        Came::Body(text) if form != Form::Module => text,
        Came::Module(text) if form == Form::Module => text,
        other => panic!("{other:?}"),
    };
    check_in_place(source, &text);
    assert_eq!(text.split_whitespace().collect::<Vec<_>>().join(" "), expect);
}

#[track_caller]
fn check_body(source: &str, expect: &str) {
    check(Form::Detect, source, expect);
}

#[track_caller]
fn check_module(source: &str, expect: &str) {
    check(Form::Module, source, expect);
}

#[track_caller]
fn check_transformed(form: Form, source: &str, expect: &str) {
    match strip(form, source) {
        Came::Body(text) | Came::Module(text) => assert_eq!(text, expect),
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn check_refused(form: Form, source: &str, message: &str, position: (u32, u32)) {
    let Came::Threw(thrown) = strip(form, source) else { panic!("{source} was not refused") };
    assert_eq!((thrown.message.as_str(), thrown.position), (message, Some(position)));
    assert_eq!(thrown.name, "SyntaxError");
    assert_eq!(thrown.stack, format!("    at tool.ts:{}:{}", position.0, position.1));
}

/// Asserts that `source` exhausts the stack of its cell, and that the next cell works.
#[track_caller]
fn check_stopped(source: &str) {
    let came = strip(Form::Detect, source);
    assert!(matches!(came, Came::Stopped(Stop::Stack)), "{came:?}");
    check_body("let a: number = 1", "let a = 1");
}

#[test]
fn javascript_is_left_alone() {
    let source = "const a = { b: [1, `${c}`] } // d\r\nreturn await a?.b ?? /x/u.test(\"é\")\n\n";
    assert_eq!(strip(Form::Detect, source), Came::Body(source.into()));
    assert_eq!(strip(Form::Body, ""), Came::Body("".into()));
    assert_eq!(strip(Form::Body, "// nothing"), Came::Body("// nothing".into()));
}

#[test]
fn annotations_are_erased() {
    check_body("let a: number = 1, b: Map<string, A[]>", "let a = 1, b");
    check_body("const f = (a: string, b?: number): void => {}", "const f = (a , b ) => {}");
    check_body("function f(this: Window, ...a: any[]) {}", "function f( ...a ) {}");
    check_body("try {} catch (e: unknown) {}", "try {} catch (e ) {}");
}

#[test]
fn assertions_are_erased() {
    check_body("let a = b as string", "let a = b");
    check_body("let a = [1] as const", "let a = [1]");
    check_body("let a = { b } satisfies C", "let a = { b }");
    check_body("a!.b![0]!()", "a .b [0] ()");
    check_body("let a!: string", "let a");
}

#[test]
fn generics_are_erased() {
    check_body("function f<T extends A = B>(a: T) {}", "function f (a ) {}");
    check_body("const f = async <const T,>(a: T) => a", "const f = async (a ) => a");
    check_body("f<string>(1); new Map<string, A<B>>()", "f (1); new Map ()");
    check_body("class A<T> extends B<T> implements C, D<T> {}", "class A extends B {}");
}

#[test]
fn declarations_are_erased() {
    check_body("interface A { a?: string }\nf()", "; f()");
    check_body("type A = { [K in B]: C }\nf()", "; f()");
    check_body("declare const a: string\nf()", "; f()");
    check_body("declare function f(): void\nf()", "; f()");
    check_body("declare enum A { B }\nf()", "; f()");
    check_body("namespace A { export type B = C }\nf()", "; f()");
    check_body("function f(a: 1): 1\nfunction f(a: 2): 2\nfunction f(a) {}", "; function f(a) {}");
}

#[test]
fn class_members_are_erased() {
    check_body("abstract class A { abstract a(): void; b() {} }", "class A { b() {} }");
    check_body("class A { private readonly a?: string = b }", "class A { a = b }");
    check_body("class A { declare a: string; static b: C; }", "class A { static b ; }");
    check_body(
        "class A extends B { [a: string]: any; override b(): C {} }",
        "class A extends B { b() {} }",
    );
    check_body(
        "class A { #a?: B; get c(): D { return this.#a! } }",
        "class A { #a ; get c() { return this.#a } }",
    );
}

#[test]
fn what_is_erased_ends_a_statement_where_it_must() {
    check_body("let a = b\ntype A = B\n(c)", "let a = b ; (c)");
    check_body("let a = b as C\n;(d)", "let a = b ;(d)");
}

#[test]
fn wide_characters_keep_their_columns() {
    check_body("let a: 'é日本😀' = '日本'; type Ü = 1; f('😀')", "let a = '日本'; f('😀')");
}

#[test]
fn bodies_return_and_await() {
    check_body("const a: A = await b\nreturn a", "const a = await b return a");
    check(
        Form::Body,
        "for await (const a of b as C) return a",
        "for await (const a of b ) return a",
    );
}

#[test]
fn kept_scripts_await_and_may_name_what_is_given() {
    check(Form::Kept, "let args: A = await b\nargs", "let args = await b args");
}

#[test]
fn modules_are_found() {
    let source = "export default (btcp: any, args: A) => args";
    let text = "export default (btcp     , args   ) => args";
    assert_eq!(strip(Form::Detect, source), Came::Module(text.into()));
    check_module("import type { A } from 'a'\nexport type B = A", ";");
    check_module(
        "import { type A, b } from 'a'\nexport { type A, b }",
        "import { b } from 'a' export { b }",
    );
    check_module("export default class<T> { a: T }", "export default class { a }");
}

#[test]
fn enums_become_objects() {
    check_transformed(
        Form::Detect,
        "enum A { B, C = 'c' }\nlet a: A = d()\n  return A[a]",
        "let A =  function(A) { A[A[\"B\"] = 0] = \"B\"; A[\"C\"] = \"c\"; return A; }({});\n\
         let a = d();\n  return A[a];",
    );
    check_transformed(
        Form::Detect,
        "export enum A { B = 1 << 2 }\n\nexport default () => A.B",
        "export var A =  function(A) { A[A[\"B\"] = 4] = \"B\"; return A; }({});\n\n\
         export default (()=>4);",
    );
}

#[test]
fn parameter_properties_are_assigned() {
    check_transformed(
        Form::Body,
        "class A {\n  constructor(private a: B) {\n    c()\n  }\n}\nreturn new A(1)",
        "class A { a;\n  constructor(a){ this.a = a;\n    c();\n  }\n}\nreturn new A(1);",
    );
}

#[test]
fn namespaces_become_objects() {
    check_transformed(
        Form::Module,
        "namespace A { export const b = 1 }\nexport default A.b",
        "(function(A) { A.b = 1;          })(A || (A = {}));\nexport default A.b; var A;",
    );
}

#[test]
fn statements_stay_on_their_lines_when_transformed() {
    let source = "enum A {\n  B,\n  C,\n}\ninterface D {\n  e: string\n}\n\n// why\nconst f = `g\n  ${h}\n\\n`\n\
                  if (f)\n  i(<any>j,\n    k)\nelse {\n  return (\n    l)\n}\n/* m */ n()";
    let Came::Body(text) = strip(Form::Detect, source) else { panic!() };
    for word in ["const f", "  ${h}", "if (f)", "  return", "n()"] {
        let line = |text: &str| text.lines().position(|line| line.contains(word));
        let column = |text: &str| text.lines().find_map(|line| line.find(word));
        assert_eq!(line(source), line(&text), "{word}: {text}");
        assert_eq!(column(source), column(&text), "{word}: {text}");
    }
}

#[test]
fn errors_say_where() {
    check_refused(Form::Detect, "const a = {", "Expected '}', got '<eof>'", (1, 12));
    check_refused(Form::Detect, "let a\nlet '日本', b = )", "Expected ';', '}' or <eof>", (2, 5));
    check_refused(Form::Detect, "f('日本')]", "Expected ';', '}' or <eof>", (1, 8));
    check_refused(Form::Body, "}", "Expression expected", (1, 2));
}

#[test]
fn of_two_errors_the_fitting_one_is_told() {
    let nested = "'import', and 'export' cannot be used outside of module code";
    check_refused(Form::Detect, "import a from 'a'\nreturn 1", nested, (1, 1));
    let returned = "Return statement is not allowed here";
    check_refused(Form::Detect, "export default 1\nreturn 1", returned, (2, 1));
}

#[test]
fn what_is_not_supported_is_named() {
    check_refused(Form::Detect, "let a = 1\nreturn <b>c</b>", "JSX is not supported", (2, 8));
    check_refused(Form::Detect, "return <></>", "JSX is not supported", (1, 8));
    check_refused(
        Form::Detect,
        "class A {\n  @b c() {}\n}",
        "decorators are not supported",
        (2, 3),
    );
    let require = "import = require() is not supported";
    check_refused(Form::Module, "import a = require('a')", require, (1, 12));
    check_refused(Form::Module, "export = a", "export = is not supported", (1, 1));
}

#[test]
fn nesting_that_people_write_is_taken() {
    for (open, close) in PAIRS {
        let source = [&open.repeat(100), "1", &close.repeat(100)].concat();
        let came = strip(Form::Detect, &source);
        assert!(matches!(came, Came::Body(_)), "{open}: {came:?}");
    }
}

const PAIRS: [(&str, &str); 8] = [
    ("(", ")"),
    ("[", "]"),
    ("a=>(", ")"),
    ("x={a:", "}"),
    ("if(a){", "}"),
    ("f(function(){return ", "})"),
    ("`${", "}`"),
    ("!", ""),
];

// T-CELL-018.
/// T-CELL-018.
#[test]
fn hostile_nesting_ends_the_cell_alone() {
    for (open, close) in PAIRS {
        check_stopped(&open.repeat(100_000));
        check_stopped(&[&open.repeat(100_000), "1", &close.repeat(100_000)].concat());
    }
    check_stopped(&["let a: ", &"A<".repeat(100_000)].concat());
    check_stopped(&["let a: ", &"A<".repeat(100_000), "b", &">".repeat(100_000)].concat());
    check_stopped(&["let a: ", &"(a:".repeat(100_000)].concat());
}

/// T-CELL-018.
#[test]
fn hostile_width_is_taken() {
    for source in ["a+".repeat(50_000) + "a", "let a: A;".repeat(20_000), "a.".repeat(50_000) + "a"]
    {
        let came = strip(Form::Detect, &source);
        assert!(matches!(came, Came::Body(_) | Came::Stopped(Stop::Stack)), "{came:?}");
    }
    check_body("let a: number = 1", "let a = 1");
}
