//! Split and original modules produce the same memories, tables and traps.

use std::fmt::Write;

use proptest::prelude::*;
use wasmtime::{Engine, Instance, Module, Store, Trap};

use super::*;

/// Returns a module with two memories of 2.5 MiB, two tables of 30,000 elements, segments longer
/// than a piece, and a function for each instruction. The type section has a recursion group, and
/// other functions precede and follow those with the instructions.
fn module() -> Vec<u8> {
    let bytes: String = (0..700_000u32).map(|i| char::from(b'a' + (i * i % 23) as u8)).collect();
    let elements = (0..20_000u32).fold(String::new(), |mut out, i| {
        let item = if i * i % 7 < 3 { "(ref.null func)" } else { "(ref.func $f)" };
        let _ = write!(out, "{item} ");
        out
    });
    let mut text =
        String::from("(module (memory $m (export \"m\") 40) (memory $n (export \"n\") 40)");
    let _ = write!(text, "(table $t 30000 funcref) (table $u 30000 funcref) (func $f)");
    let _ = write!(text, "(data $d \"{bytes}\") (data $active (i32.const 7) \"active\")");
    let _ = write!(text, "(elem $e funcref {elements})");
    for (name, instruction, second) in [
        ("memory.fill", "memory.fill $m", "i32"),
        ("memory.copy", "memory.copy $m $m", "i32"),
        ("between", "memory.copy $n $m", "i32"),
        ("memory.init", "memory.init $m $d", "i32"),
        ("memory.active", "memory.init $m $active", "i32"),
        ("table.copy", "table.copy $t $t", "i32"),
        ("table.between", "table.copy $u $t", "i32"),
        ("table.init", "table.init $t $e", "i32"),
    ] {
        let _ = write!(
            text,
            "(func (export \"{name}\") (param i32 {second} i32)
                (local.get 0) (local.get 1) (local.get 2) ({instruction}))"
        );
    }
    text.push_str(
        r#"(func (export "table.fill") (param i32 i32 i32)
            (local.get 0)
            (if (result funcref) (local.get 1) (then (ref.func $f)) (else (ref.null func)))
            (local.get 2) (table.fill $t))
        (func (export "data.drop") (param i32 i32 i32) (data.drop $d))
        (func (export "elem.drop") (param i32 i32 i32) (elem.drop $e))
        (func (export "tables") (result i64) (local $i i32) (local $hash i64)
            (loop $next
                (local.set $hash (i64.add
                    (i64.mul (local.get $hash) (i64.const 31))
                    (i64.extend_i32_u (i32.add
                        (ref.is_null (table.get $t (local.get $i)))
                        (i32.mul (i32.const 5) (ref.is_null (table.get $u (local.get $i))))))))
                (local.set $i (i32.add (local.get $i) (i32.const 1)))
                (br_if $next (i32.lt_u (local.get $i) (i32.const 30000))))
            (local.get $hash))
        (export "f" (func $f)))"#,
    );
    wat::parse_str(text).expect("a module")
}

const CALLS: [&str; 11] = [
    "memory.fill",
    "memory.copy",
    "between",
    "memory.init",
    "memory.active",
    "table.copy",
    "table.between",
    "table.init",
    "table.fill",
    "data.drop",
    "elem.drop",
];

struct Running {
    store: Store<()>,
    instance: Instance,
}

impl Running {
    fn new(module: &Module) -> Self {
        let mut store = Store::new(module.engine(), ());
        let instance = Instance::new(&mut store, module, &[]).expect("an instance");
        Running { store, instance }
    }

    fn call(&mut self, name: &str, arguments: (u32, u32, u32)) -> Option<Trap> {
        let function = self.instance.get_typed_func::<(u32, u32, u32), ()>(&mut self.store, name);
        let called = function.expect("a function").call(&mut self.store, arguments);
        called.err().map(|error| *error.downcast_ref::<Trap>().expect("a trap"))
    }

    fn memory(&mut self, name: &str) -> &[u8] {
        self.instance.get_memory(&mut self.store, name).expect("a memory").data(&self.store)
    }

    fn tables(&mut self) -> i64 {
        let function = self.instance.get_typed_func::<(), i64>(&mut self.store, "tables");
        function.expect("a function").call(&mut self.store, ()).expect("no trap")
    }
}

/// Returns both forms of the module, compiled once.
fn both() -> &'static [Module; 2] {
    static BOTH: std::sync::OnceLock<[Module; 2]> = std::sync::OnceLock::new();
    BOTH.get_or_init(|| {
        let (engine, whole) = (Engine::default(), module());
        let split = split(&whole).expect("a module");
        assert!(matches!(split, Cow::Owned(_)));
        [Module::new(&engine, &whole).expect("valid"), Module::new(&engine, &split).expect("valid")]
    })
}

/// Generates numbers around the limits of pieces, tables, segments and memories.
fn number() -> impl Strategy<Value = u32> {
    let edge = prop_oneof![
        Just(0u32),
        Just(BYTES),
        Just(2 * BYTES),
        Just(ELEMENTS),
        Just(2 * ELEMENTS),
        Just(20_000),
        Just(30_000),
        Just(700_000),
        Just(40 << 16),
        Just(u32::MAX),
    ];
    prop_oneof![
        (edge, -2..=2i32).prop_map(|(edge, by)| edge.wrapping_add_signed(by)),
        0..30_000u32,
        0..(40u32 << 16),
        0..1_000_000u32,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn pieces_come_to_the_same(
        calls in prop::collection::vec((0..CALLS.len(), number(), number(), number()), 1..10),
    ) {
        let [mut whole, mut split] = both().each_ref().map(Running::new);
        // Distinct content in every byte and element.
        for running in [&mut whole, &mut split] {
            for at in 0..3 {
                prop_assert_eq!(running.call("memory.init", (at * 700_000, 0, 700_000)), None);
            }
            prop_assert_eq!(running.call("table.init", (5000, 0, 20_000)), None);
        }
        for (which, to, from, count) in calls {
            // Drops are half as frequent as other calls, so that segments remain to copy from.
            let name = CALLS[which];
            let arguments = (to, from, count);
            prop_assert_eq!(
                whole.call(name, arguments), split.call(name, arguments), "{} {:?}", name, arguments
            );
            for memory in ["m", "n"] {
                prop_assert!(
                    whole.memory(memory) == split.memory(memory), "{} {:?}", name, arguments
                );
            }
            prop_assert_eq!(whole.tables(), split.tables(), "{} {:?}", name, arguments);
        }
    }
}

#[test]
fn long_ones_are_done_and_what_does_not_fit_writes_nothing() {
    let mut running = Running::new(&both()[1]);
    assert_eq!(running.call("memory.fill", (3, 0x61, 2_000_000)), None);
    assert!(running.memory("m")[3..2_000_003].iter().all(|byte| *byte == 0x61));
    assert_eq!(running.memory("m")[2_000_003], 0);
    let out = Some(Trap::MemoryOutOfBounds);
    assert_eq!(running.call("memory.fill", (1_000_000, 0x62, 2_000_000)), out);
    assert!(!running.memory("m").contains(&0x62));
    assert_eq!(running.call("memory.copy", (1_000_000, 0, 2_000_000)), out);
    assert_eq!(running.call("table.fill", (1, 1, 30_000)), Some(Trap::TableOutOfBounds));
}

#[test]
fn a_module_without_them_stays_as_it_is() {
    let module = wat::parse_str(r#"(module (memory 1) (func (drop (i32.const 0xfc))))"#);
    assert!(matches!(split(&module.expect("a module")), Ok(Cow::Borrowed(_))));
}

#[test]
fn short_segments_are_copied_at_once() {
    let text = r#"(module (memory 1) (data $d "short")
        (func (memory.init $d (i32.const 0) (i32.const 0) (i32.const 5))))"#;
    let module = wat::parse_str(text).expect("a module");
    assert!(matches!(split(&module), Ok(Cow::Borrowed(_))));
}
