//! libFuzzer driver of the `arithmetic` target.

#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| cofferdam_fuzz::targets::arithmetic::run(data));
