//! libFuzzer driver of the `xml` target.

#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| cofferdam_fuzz::targets::xml::run(data));
