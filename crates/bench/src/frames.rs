//! Measures host calls at the level of frames, without a scripting language: one call in each
//! crossing, and a thousand.

use std::time::{Duration, Instant};

use cofferdam::{Command, Error, Limits, Sandbox};
use cofferdam_abi::call::ProgramCall;
use cofferdam_abi::frame::REQUEST_HEADER;

use crate::{micros, report};

/// Number of calls in a run; large enough that they take longer than the rest of the program.
const CALLS: u32 = 1_000_000;

const ROUNDS: usize = 20;

/// Returns a program that asks for its pending signals, a request that the host answers
/// immediately.
fn program(calls_in_crossing: u32) -> Vec<u8> {
    let (number, header) = (ProgramCall::SignalTake.number(), REQUEST_HEADER);
    let (len, crossings) = (calls_in_crossing * header as u32, CALLS / calls_in_crossing);
    let text = format!(
        r#"(module
        (import "cofferdam" "call" (func $cross (param i32 i32 i32 i32) (result i32)))
        (memory (export "memory") 4)
        (func (export "_start") (local $at i32) (local $left i32)
            (loop $frame
                (i32.store16 (i32.add (i32.const 1024) (local.get $at)) (i32.const {number}))
                (local.set $at (i32.add (local.get $at) (i32.const {header})))
                (br_if $frame (i32.lt_u (local.get $at) (i32.const {len}))))
            (local.set $left (i32.const {crossings}))
            (loop $again
                (drop (call $cross (i32.const 1024) (i32.const {len}) (i32.const 0x10000) (i32.const 0x20000)))
                (local.set $left (i32.sub (local.get $left) (i32.const 1)))
                (br_if $again (local.get $left)))))"#
    );
    wat::parse_str(text).expect("a module")
}

pub(crate) async fn measure() -> Result<(), Error> {
    let limits = Limits::default().with_time(Duration::from_secs(60));
    for (name, calls) in [("frame", 1), ("frame_in_batch_of_1000", 1000)] {
        let sandbox = Sandbox::builder().limits(limits).build()?;
        let program = program(calls);
        let mut samples = Vec::new();
        for _ in 0..ROUNDS {
            let began = Instant::now();
            let outcome = sandbox.run_program(Command::wasm(name, program.clone())).await?;
            assert_eq!(outcome.exit_code(), 0, "{name}: {:?}", outcome.error());
            samples.push(micros(began.elapsed()) / f64::from(CALLS));
        }
        // The first run includes compilation.
        samples.remove(0);
        report(name, "us", &mut samples, None);
    }
    Ok(())
}
