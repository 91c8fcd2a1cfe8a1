//! `Math.random`, seeded by the host on first use.
//!
//! QuickJS seeds its own generator when a context is made. Contexts here are made once and
//! imaged, so every cell would draw the same numbers.

use std::cell::Cell;

use rquickjs::{Ctx, Function, Object, Result};

thread_local! {
    static STATE: Cell<Option<[u64; 4]>> = const { Cell::new(None) };
}

pub fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set("random", Function::new(ctx.clone(), next)?)
}

/// A number in [0, 1) with 53 random bits.
fn next() -> f64 {
    let mut state = STATE.get().unwrap_or_else(seed);
    let bits = xoshiro256_plus_plus(&mut state);
    STATE.set(Some(state));
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

// T-CELL-022: randomness frozen in the image, the same in every cell.
fn seed() -> [u64; 4] {
    let mut bytes = [0; 32];
    crate::gate::random(&mut bytes);
    let mut state = [0; 4];
    for (word, chunk) in state.iter_mut().zip(bytes.chunks_exact(8)) {
        *word = u64::from_le_bytes(chunk.try_into().expect("chunks of eight"));
    }
    // All zero is the one state the generator never leaves.
    state[0] |= u64::from(state == [0; 4]);
    state
}

fn xoshiro256_plus_plus(s: &mut [u64; 4]) -> u64 {
    let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
    let shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = s[3].rotate_left(45);
    result
}
