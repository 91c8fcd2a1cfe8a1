//! The JavaScript guest in a real cell, with hosts that misbehave.

mod common;

use std::pin::Pin;
use std::time::{Duration, Instant};

use cofferdam_abi::entry::{Code, Entry, Form, Script, Start};
use cofferdam_abi::frame::{self, Status};
use cofferdam_abi::wire::{Reader, Writer};
use cofferdam_abi::{ToolCall, Value, value};
use cofferdam_cell::{Cell, Engine, GuestFiles, Host, Image, KillSwitch, Limits, Pool, Stop};

use common::block_on;

/// A host with a bug: it panics in a call of the tool, or while the tool waits.
#[derive(Clone, Copy)]
enum Panics {
    WhenCalled,
    WhileItWaits,
}

impl Host for Panics {
    fn cross(&mut self, request: &[u8], answer: &mut Vec<u8>) -> Result<(), Stop> {
        let request = frame::next_request(&mut Reader::new(request));
        let call = request.map_err(|e| Stop::Breach(e.to_string()))?.call;
        let mut w = Writer::onto(std::mem::take(answer));
        match (self, call) {
            (Panics::WhenCalled, ToolCall::ConsoleWrite) => panic!("a bug in a call"),
            (_, ToolCall::VariableGet) => {
                frame::write_answer(&mut w, Status::Pending, &[7, 0, 0, 0])
            }
            (_, _) => frame::write_answer(&mut w, Status::Done, &[0; 8]),
        }
        *answer = w.finish();
        Ok(())
    }

    fn wait<'a>(
        &'a mut self,
        ticket: u32,
        _answer: &'a mut Vec<u8>,
    ) -> Pin<Box<dyn Future<Output = Result<Instant, Stop>> + Send + 'a>> {
        let panics = *self;
        Box::pin(async move {
            match panics {
                Panics::WhileItWaits => panic!("a bug in a wait for {ticket}"),
                Panics::WhenCalled => Err(Stop::Killed),
            }
        })
    }
}

fn enter(image: &Image<Panics>, engine: &Engine, host: Panics, source: &str) -> Stop {
    let mut args = Writer::new();
    value::encode(&Value::Undefined, &mut args);
    let mut message = Writer::new();
    Entry::Start(Start {
        form: Form::Body,
        file: "tool.js",
        source,
        code: Code::Unkept,
        args: args.as_bytes(),
        result_bytes: 1 << 20,
        members: Vec::new(),
        script: Script::default(),
    })
    .write(&mut message);
    let limits = Limits { memory_bytes: 64 << 20, reply_bytes: 1 << 20 };
    let switch = KillSwitch::new(engine.alarm());
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut cell = Cell::new(image, host, limits, switch, deadline).expect("a cell");
    block_on(cell.enter(message.as_bytes())).expect_err("a stop")
}

/// T-CELL-010.
#[test]
fn a_panic_in_a_host_call_ends_the_run_and_nothing_else() {
    let engine = Engine::new(Pool { cells: 4, warm: 1 }).expect("an engine");
    // SAFETY: the image was made by this crate's build script and is embedded unchanged.
    #[allow(unsafe_code)]
    let image =
        unsafe { Image::load(&engine, cofferdam_images::JS, &GuestFiles::None) }.expect("an image");
    for (host, source) in
        [(Panics::WhenCalled, "console.log(1)"), (Panics::WhileItWaits, "return process.env.NAME")]
    {
        let stop = enter(&image, &engine, host, source);
        assert_eq!(stop, Stop::HostFailed("panic in a host call".into()));
        // The panic did not damage the pool: another cell still works.
        let stop = enter(&image, &engine, Panics::WhenCalled, "process.env.NAME");
        assert_eq!(stop, Stop::Killed);
    }
}
