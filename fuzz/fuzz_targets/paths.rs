//! libFuzzer driver of the `paths` target.

#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| cofferdam_fuzz::targets::paths::run(data));
