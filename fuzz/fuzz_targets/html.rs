//! libFuzzer driver of the `html` target.

#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| cofferdam_fuzz::targets::html::run(data));
