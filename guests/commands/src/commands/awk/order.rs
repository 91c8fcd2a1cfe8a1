//! The order in which `for (key in array)` visits keys: that of gawk, whose output people compare.
//!
//! Text comes first, in the order of a table with chains; then integers up to 0, then positive
//! integers by value.

use std::rc::Rc;

use super::value::Value;

/// Sizes of the table; it grows when its chains have more than two elements on average.
const SIZES: [usize; 9] =
    [13, 127, 1021, 8191, 131_071, 1_048_573, 8_388_593, 16_777_213, 33_554_393];
const CHAIN: usize = 2;

type Element = (Rc<[u8]>, Value);

/// Sorts elements that are given in the order of their insertion.
pub(super) fn arrange(elements: Vec<Element>) -> Vec<Element> {
    let mut texts = Vec::new();
    let mut others: Vec<Element> = Vec::new();
    let mut positive: Vec<(i64, Element)> = Vec::new();
    for element in elements {
        match integer(&element.0) {
            Some(number) if number > 0 => positive.push((number, element)),
            Some(_) => others.push(element),
            None => texts.push(element),
        }
    }
    positive.sort_by_key(|(number, _)| *number);
    let mut all = table(texts);
    all.extend(others);
    all.extend(positive.into_iter().map(|(_, element)| element));
    all
}

/// Returns the integer that a key is, if it is written as one.
fn integer(key: &[u8]) -> Option<i64> {
    let digits = key.strip_prefix(b"-").unwrap_or(key);
    let is_plain = match digits {
        [b'0'] => key.len() == 1,
        [b'1'..=b'9', rest @ ..] => rest.len() < 10 && rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    let number: i64 = std::str::from_utf8(key).ok().filter(|_| is_plain)?.parse().ok()?;
    i32::try_from(number).ok().map(i64::from)
}

/// Returns elements in the order of a table in which new elements begin their chains.
fn table(elements: Vec<Element>) -> Vec<Element> {
    let codes: Vec<usize> = elements.iter().map(|(key, _)| hash(key)).collect();
    let mut sizes = SIZES.into_iter();
    let mut chains: Vec<Vec<usize>> = Vec::new();
    for number in 0..elements.len() {
        let is_full = chains.is_empty() || (number + 1) / chains.len() > CHAIN;
        if let Some(size) = if is_full { sizes.next() } else { None } {
            let mut grown = vec![Vec::new(); size];
            // Each chain is kept from its end: the last element is the first to be visited.
            for chain in chains {
                for at in chain.into_iter().rev() {
                    grown[codes[at] % size].push(at);
                }
            }
            chains = grown;
        }
        let size = chains.len();
        chains[codes[number] % size].push(number);
    }
    let mut elements: Vec<Option<Element>> = elements.into_iter().map(Some).collect();
    let order = chains.into_iter().flat_map(|chain| chain.into_iter().rev());
    order.filter_map(|at| elements[at].take()).collect()
}

/// The hash of sdbm, in 32 bits.
fn hash(key: &[u8]) -> usize {
    let step = |hash: u32, byte: &u8| u32::from(*byte).wrapping_add(hash.wrapping_mul(65_599));
    key.iter().fold(0, step) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(keys: &[&str], expect: &str) {
        let elements = keys.iter().map(|key| (Rc::from(key.as_bytes()), Value::Unset)).collect();
        let keys: Vec<String> = arrange(elements)
            .into_iter()
            .map(|(key, _)| String::from_utf8_lossy(&key).into_owned())
            .collect();
        assert_eq!(keys.join(" "), expect);
    }

    #[test]
    fn text_is_in_the_order_of_gawk_s_table() {
        let fruit = ["apple", "banana", "cherry", "date", "elder", "fig", "grape"];
        check(&fruit, "fig apple elder banana grape cherry date");
        let keys: Vec<String> = (1..=40).map(|n| format!("k{n}")).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        check(
            &keys,
            "k20 k21 k22 k23 k24 k25 k26 k40 k27 k28 k29 k10 k11 k12 k1 k13 k2 k14 k3 k4 k15 k5 \
             k16 k30 k6 k17 k31 k7 k18 k32 k8 k19 k9 k33 k34 k35 k36 k37 k38 k39",
        );
    }

    #[test]
    fn integers_come_last_by_value() {
        check(&["140", "7", "x", "-5", "007", "1.5", "21"], "x 007 1.5 -5 7 21 140");
    }
}
