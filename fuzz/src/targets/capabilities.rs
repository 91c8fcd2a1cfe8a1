//! Names of capabilities, three in each input, one on each line.

use cofferdam_caps::{Capability, MAX_CAPABILITY_LEN, visible};

use super::{Target, lines};
use crate::cost;

pub const TARGET: Target = Target {
    name: "capabilities",
    run,
    words: &[
        "fs:read:/",
        "fs:write:",
        "network:fetch:",
        "GET,POST@",
        "https://",
        "http://",
        "*.",
        "**",
        "/*",
        "\\*",
        "\\\\",
        ":*",
        ":8080",
        "[::1]",
        "%2F",
        "%2A",
        "env:read:",
        "process:exec:",
        "state:read:",
        "storage:local:write:",
        "function:call:",
        "dom:read:",
        "#id > .a",
        "\n",
        "\u{202e}",
        "ä",
        "../",
        "/./",
    ],
    repeats: &["fs:read:/a", "/**", "*a", "/*", "%41", "\\*", "ä", "a,b@", ":"],
};

pub fn run(data: &[u8]) {
    let Some(texts) = lines(data) else { return };
    let mut read = Vec::new();
    for text in texts.into_iter().take(3) {
        let parsed = cost::within(text.len(), 512, 1 << 18, || text.parse::<Capability>());
        match parsed {
            Ok(capability) => {
                one(&capability);
                read.push(capability);
            }
            Err(error) => fit_for_a_person(&error.to_string()),
        }
    }
    for a in &read {
        for b in &read {
            if a.covers(b) && b.covers(a) {
                assert_eq!(a.to_string(), b.to_string(), "two names for one thing");
            }
            assert!(!a.may_hand_on(b) || a.covers(b), "{a} hands on {b}, which it has not");
            for c in &read {
                let chain = a.covers(b) && b.covers(c);
                assert!(!chain || a.covers(c), "{a} covers {b}, that covers {c}");
            }
        }
    }
}

fn one(capability: &Capability) {
    let printed = capability.to_string();
    assert!(printed.len() <= MAX_CAPABILITY_LEN);
    assert_eq!(printed.parse::<Capability>().as_ref(), Ok(capability), "{printed}");
    assert!(capability.covers(capability) && capability.may_hand_on(capability));
    let whole: Capability = capability.kind().name().parse().expect("a kind is a capability");
    assert!(whole.covers(capability), "{whole} does not cover {capability}");
    fit_for_a_person(&capability.describe());
}

/// Asserts that `text` is a single line without hidden characters.
fn fit_for_a_person(text: &str) {
    assert_eq!(visible(text), text);
    assert!(!text.contains('\n'));
}
