//! libFuzzer driver of the `capabilities` target.

#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| cofferdam_fuzz::targets::capabilities::run(data));
