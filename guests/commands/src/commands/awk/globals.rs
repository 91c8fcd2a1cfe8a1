//! Numbers of the special variables, which come first among the globals.

macro_rules! globals {
    ($($constant:ident $name:literal)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Number { $($constant),* }
        $(pub(super) const $constant: usize = Number::$constant as usize;)*
        pub(super) const NAMES: &[&str] = &[$($name),*];
    };
}

globals! {
    NF "NF" NR "NR" FNR "FNR" FS "FS" OFS "OFS" ORS "ORS" RS "RS" FILENAME "FILENAME"
    SUBSEP "SUBSEP" RSTART "RSTART" RLENGTH "RLENGTH" CONVFMT "CONVFMT" OFMT "OFMT"
    ENVIRON "ENVIRON" ARGC "ARGC" ARGV "ARGV" RT "RT" FPAT "FPAT" FIELDWIDTHS "FIELDWIDTHS"
    PROCINFO "PROCINFO" IGNORECASE "IGNORECASE"
}
