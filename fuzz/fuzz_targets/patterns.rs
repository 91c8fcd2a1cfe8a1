//! libFuzzer driver of the `patterns` target.

#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| cofferdam_fuzz::targets::patterns::run(data));
