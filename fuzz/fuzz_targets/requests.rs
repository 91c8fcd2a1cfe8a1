//! libFuzzer driver of the `requests` target.

#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| cofferdam_fuzz::targets::requests::run(data));
