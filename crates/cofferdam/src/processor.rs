//! Reports the processor features that the embedded guests were compiled for.

/// A boolean setting in the header of an image: prefix and name, then the kind of setting and its
/// value, true.
const PREFIX: &[u8] = b"has_";
const ON: [u8; 2] = [2, 1];

/// Longest name of a feature.
const MAX_NAME: usize = 24;

/// Returns the processor features that the guests use: those of the machine that built them. No
/// runtime can be created on a processor that lacks one of them.
///
/// Returns an empty list if the images do not name any.
pub fn processor_features() -> Vec<&'static str> {
    let Ok(image) = crate::guests::js().code(None) else { return Vec::new() };
    let starts = image.windows(PREFIX.len()).enumerate().filter(|(_, bytes)| *bytes == PREFIX);
    let mut features: Vec<_> = starts.filter_map(|(at, _)| feature(&image[at + 4..])).collect();
    features.dedup();
    features
}

fn feature(rest: &[u8]) -> Option<&str> {
    let is_of_name =
        |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'_';
    let len = rest.iter().take(MAX_NAME).take_while(|byte| is_of_name(byte)).count();
    let (name, value) = rest.split_at_checked(len)?;
    let is_on = len > 0 && value.starts_with(&ON);
    is_on.then(|| std::str::from_utf8(name).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feature_is_a_name_and_a_yes() {
        assert_eq!(feature(b"avx2\x02\x01\x08has_fma"), Some("avx2"));
        assert_eq!(feature(b"avx2\x02\x00"), None);
        assert_eq!(feature(b"\x02\x01"), None);
        assert_eq!(feature(b""), None);
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn the_guests_say_what_they_were_compiled_for() {
        let features = processor_features();
        assert!(features.contains(&"sse42"), "{features:?}");
        assert!(features.len() < 64, "{features:?}");
    }
}
