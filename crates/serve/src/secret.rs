//! Random secrets: tokens of agents, login codes and cookies of approvers.
//!
//! The server keeps their hashes alone. All of them are long enough that a hash without a salt
//! cannot be reversed, except for codes, which expire in minutes and whose attempts are counted.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Base 32 without letters that resemble digits.
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Characters of a login code, 60 bits.
const CODE_LEN: usize = 12;

/// Beginning of every token, by which leaked ones are found.
pub const TOKEN_PREFIX: &str = "cofferdam_";

/// Returns 32 random bytes.
pub fn random() -> Result<[u8; 32], String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| format!("random numbers: {error}"))?;
    Ok(bytes)
}

/// Returns a new token of an agent.
pub fn token() -> Result<String, String> {
    Ok(format!("{TOKEN_PREFIX}{}", URL_SAFE_NO_PAD.encode(random()?)))
}

/// Returns the value of a new cookie.
pub fn cookie() -> Result<String, String> {
    Ok(URL_SAFE_NO_PAD.encode(random()?))
}

/// Returns a new login code: three groups of four characters.
pub fn code() -> Result<String, String> {
    let letters = letters(random()?).map(|letter| letter.to_ascii_uppercase());
    let groups: Vec<String> =
        letters[..CODE_LEN].chunks(4).map(|group| group.iter().collect()).collect();
    Ok(groups.join("-"))
}

/// Returns an id that no other has: the prefix and 16 characters.
pub fn id(prefix: &str) -> String {
    // Without randomness the clock and a counter still tell ids of one machine apart.
    static MADE: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let bytes = random().unwrap_or_else(|_| {
        let made = MADE.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        hash(&format!("{made} {:?}", std::time::SystemTime::now()))
    });
    prefix.chars().chain(letters(bytes)[..16].iter().copied()).collect()
}

fn letters(bytes: [u8; 32]) -> [char; 32] {
    bytes.map(|byte| char::from(LETTERS[usize::from(byte % 32)]))
}

/// Returns the hash of a secret.
pub fn hash(secret: &str) -> [u8; 32] {
    Sha256::digest(secret).into()
}

/// Returns the form of a code that is hashed: dashes and case do not matter.
pub fn plain_code(code: &str) -> String {
    code.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_uppercase()
}

/// Compares two hashes in constant time.
pub fn is_equal(one: &[u8], other: &[u8]) -> bool {
    one.ct_eq(other).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_short_enough_to_type() {
        let code = code().unwrap();
        assert_eq!(code.len(), 14);
        assert_eq!(plain_code(&code.to_lowercase()), code.replace('-', ""));
        assert_ne!(code, super::code().unwrap());
    }

    #[test]
    fn secrets_are_256_bits() {
        assert_eq!(token().unwrap().len(), TOKEN_PREFIX.len() + 43);
        assert_eq!(cookie().unwrap().len(), 43);
        assert_ne!(id("run_"), id("run_"));
        assert_eq!(id("run_").len(), 20);
    }
}
