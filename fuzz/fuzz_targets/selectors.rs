//! libFuzzer driver of the `selectors` target.

#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| cofferdam_fuzz::targets::selectors::run(data));
