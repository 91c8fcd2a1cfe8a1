//! libFuzzer driver of the `sanitise` target.

#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| cofferdam_fuzz::targets::sanitise::run(data));
