//! Commands that a tool reads while they run, and runs that wait for long.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cofferdam::permissions::{Answer, Approver, Decision, Question, Span};
use cofferdam::{Outcome, Sandbox, Tool};
use serde_json::{Value as Json, json};

async fn run(source: &str) -> Outcome {
    let exec = "process:exec".parse().expect("a capability");
    let sandbox = Sandbox::builder().grant(exec).build().expect("a sandbox");
    sandbox.run(&Tool::javascript(source)).await.expect("a run")
}

#[track_caller]
fn check(outcome: &Outcome, expect: Json) {
    let result = outcome.result_json();
    assert_eq!(result, Some(expect), "{:?} {}", outcome.error(), outcome.stderr.text());
}

#[tokio::test]
async fn output_arrives_while_the_command_runs() {
    // The command ends only after the tool has seen its first line.
    let outcome = run("
        const child = require('child_process').spawn('sh', ['-c', 'echo one; read x; echo two $x; exit 3'])
        const seen = []
        child.stdout.on('data', (data) => {
            seen.push(`${data}`)
            if (seen.length === 1) child.stdin.write('more\\n')
        })
        return await new Promise((done) => child.on('close', (code, signal) => done([seen, code, signal])))")
    .await;
    check(&outcome, json!([["one\n", "two more\n"], 3, null]));
}

#[tokio::test]
async fn both_outputs_are_told_apart_and_long_input_is_taken() {
    let outcome = run("
        const child = require('child_process').spawn('sh', ['-c', 'wc -c; echo bad >&2'])
        let [out, err] = ['', '']
        child.stdout.on('data', (data) => (out += data))
        child.stderr.on('data', (data) => (err += data))
        child.stdin.end('x'.repeat(300_000))
        return await new Promise((done) => child.on('close', (code) => done([out.trim(), err, code])))")
    .await;
    check(&outcome, json!(["300000", "bad\n", 0]));
}

#[tokio::test]
async fn a_command_can_be_killed_by_hand_by_time_and_by_signal() {
    let outcome = run("
        const { exec, spawn } = require('child_process')
        const ended = (child) => new Promise((done) => {
            child.on('error', () => {})
            child.on('close', (code, signal) => done([code, signal, child.killed]))
        })
        const loop = ['-c', 'echo ready; while :; do sleep 1; done']
        const byHand = spawn('sh', loop)
        byHand.stdout.once('data', () => byHand.kill('SIGKILL'))
        const controller = new AbortController()
        const byAbort = spawn('sh', loop, { signal: controller.signal })
        byAbort.stdout.once('data', () => controller.abort())
        const all = await Promise.all([ended(byHand), ended(spawn('sh', loop, { timeout: 20 })), ended(byAbort)])
        return [all, byHand.kill()]")
    .await;
    let expect =
        json!([[[null, "SIGKILL", true], [null, "SIGTERM", true], [null, "SIGTERM", true]], false]);
    check(&outcome, expect);
}

#[tokio::test]
async fn a_command_that_does_not_exist_is_an_error_of_spawn() {
    let outcome = run("
        const child = require('child_process').spawn('nope', ['x'])
        return await new Promise((done) => child.on('error', (error) => done([error.code, error.message])))")
    .await;
    check(&outcome, json!(["ENOENT", "spawn nope ENOENT"]));
}

#[tokio::test]
async fn bun_reads_a_command_while_it_runs() {
    let outcome = run("
        const child = Bun.spawn(['sh', '-c', 'echo a; echo b >&2; exit 4'])
        const out = await new Response(child.stdout).text()
        return [out, await new Response(child.stderr).text(), await child.exited, child.exitCode]")
    .await;
    check(&outcome, json!(["a\n", "b\n", 4, 4]));
}

/// Says yes after a while.
struct Late {
    asked: Mutex<usize>,
}

impl Approver for Late {
    fn ask(&self, question: Question) -> Pin<Box<dyn Future<Output = Answer> + Send>> {
        *self.asked.lock().expect("no panic") += 1;
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(600)).await;
            let allowed = question
                .wishes()
                .iter()
                .map(|wish| Decision::Grant(wish.choices()[0].capability().clone(), Span::Once));
            question.answer(allowed.collect())
        })
    }
}

/// The memory of a tool that waits for longer than a quarter of a second is parked.
#[tokio::test]
async fn a_tool_that_waits_for_long_goes_on_as_it_was() {
    let approver = Arc::new(Late { asked: Mutex::default() });
    let sandbox = Sandbox::builder().file("/a", "file").approver(approver.clone()).build();
    let sandbox = sandbox.expect("a sandbox");
    let source = "
        const numbers = Array.from({ length: 50_000 }, (_, at) => at * 1.5)
        const text = 'x'.repeat(300_000)
        const map = new Map(numbers.slice(0, 1000).map((n) => [`k${n}`, { n }]))
        const fs = require('fs')
        const whole = () => [numbers.reduce((a, b) => a + b), text.length, map.get('k150').n, map.size]
        const before = whole()
        const now = fs.readFileSync('/a', 'utf8')
        const between = whole()
        await new Promise((done) => setTimeout(done, 600))
        numbers.push(1)
        return [before, now, between, await fs.promises.readFile('/a', 'utf8'), whole()]";
    let outcome = sandbox.run(&Tool::javascript(source)).await.expect("a run");
    let whole = json!([1_874_962_500_u64, 300_000, 150, 1000]);
    let after = json!([1_874_962_501_u64, 300_000, 150, 1000]);
    check(&outcome, json!([whole, "file", whole, "file", after]));
    assert!(*approver.asked.lock().expect("no panic") > 0);
}

/// A kept cell that was parked in one script is as it was in the next.
#[tokio::test]
async fn a_session_that_has_waited_keeps_its_variables() {
    let sandbox = Sandbox::new().expect("a sandbox");
    let session = sandbox.session("s").expect("a session");
    let wait = "globalThis.kept = ['a', { b: 1 }]
        await new Promise((done) => setTimeout(done, 600))
        kept.push(2)";
    session.run(&Tool::javascript(wait)).await.expect("a run");
    let outcome = session.run(&Tool::javascript("kept")).await.expect("a run");
    check(&outcome, json!(["a", { "b": 1 }, 2]));
}
