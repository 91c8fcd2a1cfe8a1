//! A tool that runs again is not compiled again, and its outcome stays the same.

use cofferdam::{Boundary, Ending, Limits, Outcome, Sandbox, Tool};
use serde_json::json;

/// Returns everything that a caller sees of a run, except the time it took.
fn seen(outcome: &Outcome) -> (String, String, String) {
    let ending = format!("{:?}", outcome.ending);
    (ending, outcome.stdout.text(), outcome.stderr.text())
}

#[track_caller]
fn check(sandbox: &Sandbox, tool: &Tool) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let run = || runtime.block_on(sandbox.run(tool)).expect("a sandbox that works");
    let first = run();
    for round in 2..6 {
        assert_eq!(seen(&run()), seen(&first), "run {round}");
    }
    first
}

#[test]
fn each_run_comes_to_the_same() {
    let sandbox = Sandbox::new().expect("a sandbox");
    for source in [
        "return 1 + 1",
        "return [1.5, -0, 1e300, 12345678901234567890n, 'a\\u{1F600}\\ud800', /a+/giu, null, [,1]]",
        "console.log('out'); console.error('err'); return new Map([[{ a: 1 }, new Set([1])]])",
        "\n\n  throw new TypeError('here')",
        "function deep(n) { if (n === 0) throw new Error('deep'); deep(n - 1) }\n deep(5)",
        "try { null.x } catch (error) { return error.stack }",
        "return [(function named(a, b = 2) { return a + b }).toString(), (() => 1).toString()]",
        "class A { #x = 1; static y = 2; get x() { return this.#x } async *z() { yield 1 } }
         const all = []; for await (const each of new A().z()) all.push(each); return [new A().x, all]",
        "let n = 0; for (const i of [1, 2, 3]) { n += await new Promise((done) => setTimeout(done, 1, i)) }
         return n",
        "return eval('1 + args') + new Function('return 2')() + (await import('node:path')).sep",
        "label: for (;;) { switch (1) { case 1: break label } } return `${'x'.repeat(3)}${String.raw`\\n`}`",
        "return 1 +",
        "const a = 1; const a = 2",
        "export default () => 1",
        "import fs from 'node:fs'; export default async (btcp, args) => [typeof fs.readFileSync, args]",
        "return await new Promise(() => {})",
        "",
    ] {
        check(&sandbox, &Tool::javascript(source).args(json!(7)));
    }
    let typed = "type A = { n: number }\n const f = (a: A): number => a.n!\n return f({ n: args as number })";
    check(&sandbox, &Tool::typescript(typed).args(json!(7)));
    check(&sandbox, &Tool::typescript("const a: number = ;"));
}

#[test]
fn arguments_are_those_of_the_run() {
    let sandbox = Sandbox::new().expect("a sandbox");
    let tool = Tool::javascript("globalThis.left = (globalThis.left ?? 0) + args; return left");
    for n in 1..6 {
        let outcome = check(&sandbox, &tool.clone().args(json!(n)));
        assert_eq!(outcome.result_json(), Some(json!(n)), "nothing stays");
    }
}

#[test]
fn another_name_shows_in_the_stack() {
    let sandbox = Sandbox::new().expect("a sandbox");
    let tool = Tool::javascript("throw new Error('x')");
    for name in ["one.js", "two.js"] {
        let outcome = check(&sandbox, &tool.clone().named(name));
        let Ending::Threw(error) = outcome.ending else { panic!("{outcome:?}") };
        assert!(error.stack.contains(name), "{}", error.stack);
    }
}

/// The same tool in another sandbox, with a document or with less memory.
#[test]
fn other_sandboxes_take_the_same_code() {
    let tool = Tool::javascript("return typeof document + [1, 2, 3].map((n) => n * 2)");
    let plain = Sandbox::new().expect("a sandbox");
    let framed = Sandbox::builder().boundary(Boundary::Iframe).build().expect("a sandbox");
    let limits = Limits::default().with_memory_bytes(16 << 20);
    let small = Sandbox::builder().limits(limits).build().expect("a sandbox");
    for _ in 0..2 {
        let text = |sandbox| check(sandbox, &tool).result_json();
        assert_eq!(text(&plain), Some(json!("undefined2,4,6")));
        assert_eq!(text(&framed), Some(json!("object2,4,6")));
        assert_eq!(text(&small), Some(json!("undefined2,4,6")));
    }
}

#[test]
fn a_source_that_has_become_too_long_is_refused_all_the_same() {
    let tool = Tool::javascript("return 'a tool of some length'");
    check(&Sandbox::new().expect("a sandbox"), &tool);
    let limits = Limits::default().with_source_bytes(10);
    let strict = Sandbox::builder().limits(limits).build().expect("a sandbox");
    let outcome = check(&strict, &tool);
    assert!(matches!(outcome.ending, Ending::Stopped(_)), "{outcome:?}");
}
