//! The exports: how the host starts a cell and comes back to it.

use std::cell::OnceCell;

use cofferdam_abi::entry::Entry;
use cofferdam_abi::wire::Writer;
use cofferdam_guest_gate as gate;
use rquickjs::{Context, Runtime};

use crate::tool::{self, Left};

/// Stack that JavaScript may use, less than what the module is linked with, so that a tool that
/// calls too deep gets a RangeError and the guest itself still has room.
// T-CELL-004: call stack: deep recursion, deep input to built-ins.
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
    // T-CELL-001: endless computation.
    runtime.set_interrupt_handler(Some(Box::new(gate::interrupted)));
    crate::modules::install(&runtime);
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
    context.with(|ctx| {
        plug_holes(&ctx);
        settle(&ctx);
    });
    #[cfg(target_arch = "wasm32")]
    crate::gate::make_room();
    make_room();
    crate::gate::go_live();
    WORLD.with(|world| drop(world.set(World { _runtime: runtime, context })));
}

/// Fills the holes that loading left between blocks, for good. What a tool allocates then lies
/// side by side on few pages in place of one page for each hole, and every page that a cell
/// writes to costs a copy when it is reset.
fn plug_holes(ctx: &rquickjs::Ctx<'_>) {
    // SAFETY: blocks are asked for and kept; nothing is read or written through them.
    unsafe {
        let runtime = rquickjs::qjs::JS_GetRuntime(ctx.as_raw().as_ptr());
        for size in (8..=LARGEST_HOLE).rev().step_by(8) {
            let end = malloc(PLUG_END);
            free(end);
            // A block behind the last one means that no hole of this size is left.
            while rquickjs::qjs::js_malloc_rt(runtime, size as _).cast::<u8>() < end {}
        }
        let at_end = std::alloc::Layout::from_size_align_unchecked(PLUG_END, 8);
        let mut size = LARGEST_HOLE;
        while size >= 8 {
            let layout = std::alloc::Layout::from_size_align_unchecked(size, 8);
            let end = std::alloc::alloc(at_end);
            std::alloc::dealloc(end, at_end);
            while std::alloc::alloc(layout) < end {}
            size -= 8;
        }
    }
}

/// Puts what QuickJS takes small blocks from on few pages. Only the changed QuickJS of the
/// images can do that; see `crates/images/build/quickjs.rs`.
fn settle(ctx: &rquickjs::Ctx<'_>) {
    #[cfg(target_arch = "wasm32")]
    // SAFETY: a runtime that lives, and blocks of its own that nobody else knows.
    unsafe {
        js_settle_image(rquickjs::qjs::JS_GetRuntime(ctx.as_raw().as_ptr()));
    }
    #[cfg(not(target_arch = "wasm32"))]
    let _ = ctx;
}

/// Largest block that a tool is likely to ask for often.
const LARGEST_HOLE: usize = 1024;

/// A block too large for any hole: it lies at the end.
const PLUG_END: usize = 64 << 10;

/// Leaves both heaps with free memory behind their last block. Otherwise a cell would begin by
/// growing its memory, which changes the mapping twice: when it grows, and when it is reset.
fn make_room() {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(ROOM)));
    // SAFETY: a block that is given back as it came.
    unsafe { free(std::hint::black_box(malloc(ROOM))) };
}

/// Enough for most tools.
const ROOM: usize = 192 << 10;

unsafe extern "C" {
    /// The C library's, from which QuickJS allocates.
    fn malloc(size: usize) -> *mut u8;
    /// See [`malloc`].
    fn free(block: *mut u8);
    #[cfg(target_arch = "wasm32")]
    fn js_settle_image(runtime: *mut rquickjs::qjs::JSRuntime);
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
