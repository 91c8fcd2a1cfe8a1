//! The exports: initialise the image, and enter a cell with a message.

use std::cell::OnceCell;

use crate::apis::library;
use crate::interpreter::Interpreter;
use crate::tool::{self, Left};
use cofferdam_abi::entry::Entry;
use cofferdam_abi::wire::Writer;
use cofferdam_guest_gate as gate;
use rquickjs::Ctx;

/// Allocation between two garbage collections. QuickJS counts references, so only cycles wait for
/// a collection.
const GC_THRESHOLD: usize = 8 << 20;

thread_local! {
    static INTERPRETER: OnceCell<Interpreter> = const { OnceCell::new() };
}

/// Makes the interpreter of cells whose tools do without Node's modules. Fewer pages with content
/// make for a faster fresh cell.
#[unsafe(no_mangle)]
pub extern "C" fn cofferdam_init() {
    initialise(library::compile_parts);
}

/// Makes the interpreter of cells for scripts in the shape of Node's.
#[unsafe(no_mangle)]
pub extern "C" fn cofferdam_init_with_library() {
    initialise(library::load_all);
}

fn initialise(load: fn(&Ctx<'_>) -> rquickjs::Result<()>) {
    // SAFETY: the host calls one of the initialisations once, and this is its first statement.
    unsafe { gate::call_constructors() };
    gate::assert_stack_first();
    let interpreter = Interpreter::new(gate::interrupted).expect("the surface loads");
    let loaded = interpreter
        .with(|ctx| load(&ctx).map_err(|_| crate::thrown::describe(&ctx, &ctx.catch(), "")));
    loaded.expect("the modules load");
    let runtime = interpreter.runtime();
    runtime.run_gc();
    runtime.set_gc_threshold(GC_THRESHOLD);
    interpreter.with(|ctx| {
        plug_holes(&ctx);
        settle(&ctx);
    });
    #[cfg(target_arch = "wasm32")]
    crate::gate::make_room();
    make_room();
    crate::gate::go_live();
    INTERPRETER.with(|kept| drop(kept.set(interpreter)));
}

/// Fills the holes that loading left between blocks with blocks that are never freed. Allocations
/// of a tool then lie side by side on few pages instead of one page for each hole, and every page
/// that a cell writes to costs a copy when it is reset. The blocks are zero, and with them what
/// loading left in the holes.
fn plug_holes(ctx: &rquickjs::Ctx<'_>) {
    // SAFETY: the runtime is live. Blocks are allocated, filled in their length and leaked; `end`
    // is freed as it was allocated.
    unsafe {
        let runtime = rquickjs::qjs::JS_GetRuntime(ctx.as_raw().as_ptr());
        for size in (8..=LARGEST_HOLE).rev().step_by(8) {
            let end = malloc(PLUG_END);
            free(end);
            // A block behind `end` means that no hole of this size is left.
            while zeroed(rquickjs::qjs::js_malloc_rt(runtime, size as _).cast(), size) < end {}
        }
        let at_end = std::alloc::Layout::from_size_align_unchecked(PLUG_END, 8);
        let mut size = LARGEST_HOLE;
        while size >= 8 {
            let layout = std::alloc::Layout::from_size_align_unchecked(size, 8);
            let end = std::alloc::alloc(at_end);
            std::alloc::dealloc(end, at_end);
            while zeroed(std::alloc::alloc(layout), size) < end {}
            size -= 8;
        }
    }
}

/// Fills a block with zeros and returns it.
///
/// # Safety
///
/// `block` must be valid for writing `size` bytes, or null.
unsafe fn zeroed(block: *mut u8, size: usize) -> *mut u8 {
    if !block.is_null() {
        // SAFETY: the caller promises `size` bytes that can be written.
        unsafe { block.write_bytes(0, size) };
    }
    block
}

/// Gives QuickJS fresh arenas for small blocks, on few pages. Only the patched QuickJS of the
/// images can do that; see `crates/images/build/quickjs.rs`.
fn settle(ctx: &rquickjs::Ctx<'_>) {
    #[cfg(target_arch = "wasm32")]
    // SAFETY: the runtime is live, and nothing holds a pointer into the arenas that it adds.
    unsafe {
        js_settle_image(rquickjs::qjs::JS_GetRuntime(ctx.as_raw().as_ptr()));
    }
    #[cfg(not(target_arch = "wasm32"))]
    let _ = ctx;
}

/// Largest block that tools allocate often.
const LARGEST_HOLE: usize = 1024;

/// Size of a block too large for any hole: it is allocated at the end of the heap.
const PLUG_END: usize = 64 << 10;

/// Leaves free memory behind the last block of both heaps. Otherwise a cell would begin by growing
/// its memory, which changes the mapping twice: when it grows, and when it is reset.
fn make_room() {
    drop(std::hint::black_box(vec![0_u8; ROOM]));
    // SAFETY: `malloc` returns null or `ROOM` bytes; `free` gets its pointer, which nothing else
    // holds.
    unsafe { free(std::hint::black_box(zeroed(malloc(ROOM), ROOM))) };
}

/// Free memory that each heap is left with; enough for most tools.
const ROOM: usize = 192 << 10;

unsafe extern "C" {
    /// Allocator of the C library, which QuickJS uses.
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

/// Takes a message, runs JavaScript as far as it goes, and returns the place of the reply.
///
/// # Safety
///
/// `message` and `len` must describe memory that the host has filled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cofferdam_enter(message: *const u8, len: u32) -> u64 {
    let compute = |entry: Entry<'_>| {
        INTERPRETER.with(|kept| {
            let interpreter = kept.get().expect("initialised");
            interpreter.with(|ctx| match entry {
                Entry::Start(start) => tool::start(&ctx, &start, &gate::interrupted),
                Entry::Resume(answers) => tool::resume(&ctx, &answers, &gate::interrupted),
            })
        })
    };
    // SAFETY: the caller promises the same of `message` and `len`.
    unsafe { gate::enter(message, len, compute) }
}
