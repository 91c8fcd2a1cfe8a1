//! libFuzzer driver of the `frames` target.

#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| cofferdam_fuzz::targets::frames::run(data));
