//! libFuzzer driver of the `urls` target.

#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| cofferdam_fuzz::targets::urls::run(data));
