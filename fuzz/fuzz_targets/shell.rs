//! libFuzzer driver of the `shell` target.

#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| cofferdam_fuzz::targets::shell::run(data));
