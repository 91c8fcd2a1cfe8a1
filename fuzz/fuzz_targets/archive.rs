//! libFuzzer driver of the `archive` target.

#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| cofferdam_fuzz::targets::archive::run(data));
