//! The exports: how the host starts a cell and comes back to it.

use std::cell::OnceCell;

use cofferdam_abi::entry::Entry;
use cofferdam_abi::wire::Writer;
use cofferdam_guest_gate as gate;
use rquickjs::{Context, Runtime};

use crate::tool::{self, Left};

/// Stack that JavaScript may use, less than what the module is linked with, so that a tool that
/// calls too deep gets a RangeError and the guest itself still has room.
const JS_STACK: usize = 512 << 10;

/// Garbage is collected when this much was allocated since the last time. QuickJS counts
/// references, so only cycles wait for it.
const GC_THRESHOLD: usize = 8 << 20;

struct World {
    _runtime: Runtime,
    context: Context,
}

thread_local! {
    static WORLD: OnceCell<World> = const { OnceCell::new() };
}

/// Makes the world that every cell starts with.
#[unsafe(no_mangle)]
pub extern "C" fn cofferdam_init() {
    // SAFETY: called once, before anything else.
    unsafe { gate::call_constructors() };
    gate::assert_stack_first();
    let runtime = Runtime::new().expect("room for a runtime");
    runtime.set_max_stack_size(JS_STACK);
    runtime.set_interrupt_handler(Some(Box::new(gate::interrupted)));
    let context = Context::full(&runtime).expect("room for a context");
    context.with(|ctx| {
        let installed = crate::clone::install(&ctx).and_then(|()| crate::apis::install(&ctx));
        if installed.is_err() {
            let error = ctx.catch();
            panic!("{:?}", crate::thrown::describe(&ctx, &error, ""));
        }
    });
    runtime.run_gc();
    runtime.set_gc_threshold(GC_THRESHOLD);
    crate::gate::go_live();
    WORLD.with(|world| drop(world.set(World { _runtime: runtime, context })));
}

impl gate::Reply for Left {
    fn pack(&self, w: &mut Writer) {
        self.write(w);
    }
}

/// Takes a message, lets JavaScript run as far as it goes, answers where the reply is.
///
/// # Safety
///
/// `message` and `len` must describe memory that the host has filled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cofferdam_enter(message: *const u8, len: u32) -> u64 {
    let compute = |entry: Entry<'_>| {
        WORLD.with(|world| {
            let world = world.get().expect("initialised");
            world.context.with(|ctx| match entry {
                Entry::Start(start) => tool::start(&ctx, &start, &gate::interrupted),
                Entry::Resume(answers) => tool::resume(&ctx, &answers, &gate::interrupted),
            })
        })
    };
    // SAFETY: passed on to the host.
    unsafe { gate::enter(message, len, compute) }
}
