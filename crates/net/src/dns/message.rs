//! Questions to name servers and their answers, as bytes (RFC 1035).
//!
//! An answer comes from the network: every length is checked, names are bounded, and compressed
//! names may only point backwards, so that none is followed for ever (T-NET-013).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Longest name as bytes.
const MAX_NAME: usize = 255;

/// Most records of an answer that are read.
const MAX_RECORDS: usize = 256;

/// Most aliases that are followed.
const MAX_ALIASES: usize = 16;

const HEADER: usize = 12;
const INTERNET: u16 = 1;
const ALIAS: u16 = 5;

/// Kind of addresses that are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Four,
    Six,
}

impl Kind {
    fn number(self) -> u16 {
        match self {
            Kind::Four => 1,
            Kind::Six => 28,
        }
    }
}

/// A question with its number.
#[derive(Debug)]
pub(super) struct Question {
    bytes: Vec<u8>,
    name: Vec<u8>,
    kind: Kind,
}

/// The answer of a name server.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The addresses of the name; none if it has none of this kind.
    Addresses(Vec<IpAddr>),
    NoSuchName,
    /// The server cannot or will not tell.
    Refused,
    /// The answer did not fit.
    Truncated,
}

impl Question {
    /// Creates a question with a random number; `None` if the name cannot be asked for.
    pub(super) fn new(name: &str, kind: Kind) -> Option<Self> {
        let mut number = [0; 2];
        getrandom::fill(&mut number).ok()?;
        Self::numbered(u16::from_be_bytes(number), name, kind)
    }

    pub(super) fn numbered(number: u16, name: &str, kind: Kind) -> Option<Self> {
        let mut labels = Vec::new();
        for label in name.split('.') {
            let length =
                u8::try_from(label.len()).ok().filter(|length| (1..64).contains(length))?;
            labels.push(length);
            labels.extend_from_slice(label.to_ascii_lowercase().as_bytes());
        }
        labels.push(0);
        if labels.len() > MAX_NAME {
            return None;
        }
        let mut bytes = Vec::with_capacity(HEADER + labels.len() + 4);
        bytes.extend_from_slice(&number.to_be_bytes());
        // Asks for recursion; one question, nothing else.
        bytes.extend_from_slice(&[1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
        bytes.extend_from_slice(&labels);
        bytes.extend_from_slice(&kind.number().to_be_bytes());
        bytes.extend_from_slice(&INTERNET.to_be_bytes());
        Some(Question { bytes, name: labels, kind })
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Parses an answer; `None` if it is not one to this question.
pub(super) fn answer(bytes: &[u8], question: &Question) -> Option<Answer> {
    let mut reader = Reader { bytes, at: 0 };
    let number = reader.u16()?;
    let flags = reader.u16()?;
    let (questions, answers) = (reader.u16()?, reader.u16()?);
    reader.at = HEADER;
    let is_answer = flags & 0x8000 != 0 && flags & 0x7800 == 0;
    if !is_answer || questions != 1 || question.bytes.get(..2)? != number.to_be_bytes() {
        return None;
    }
    let asked = (reader.name()?, reader.u16()?, reader.u16()?);
    if asked != (question.name.clone(), question.kind.number(), INTERNET) {
        return None;
    }
    match (flags & 0x0200 != 0, flags & 0x000f) {
        (true, _) => return Some(Answer::Truncated),
        (false, 0) => {}
        (false, 3) => return Some(Answer::NoSuchName),
        (false, _) => return Some(Answer::Refused),
    }
    let mut records = Vec::new();
    for _ in 0..usize::from(answers).min(MAX_RECORDS) {
        records.push(reader.record()?);
    }
    Some(Answer::Addresses(addresses(&records, question)))
}

/// Returns the addresses of the name or of what it is an alias for. Records of other names, which
/// were not asked for, are left out.
fn addresses(records: &[Record], question: &Question) -> Vec<IpAddr> {
    let mut name = &question.name;
    for _ in 0..MAX_ALIASES {
        let found: Vec<_> = records
            .iter()
            .filter(|record| record.name == *name)
            .filter_map(|record| match (&record.data, question.kind) {
                (Data::Address(ip @ IpAddr::V4(_)), Kind::Four)
                | (Data::Address(ip @ IpAddr::V6(_)), Kind::Six) => Some(*ip),
                (Data::Address(_) | Data::Alias(_) | Data::Other, _) => None,
            })
            .collect();
        if !found.is_empty() {
            return found;
        }
        let alias = records.iter().find_map(|record| match &record.data {
            Data::Alias(target) if record.name == *name => Some(target),
            Data::Address(_) | Data::Alias(_) | Data::Other => None,
        });
        let Some(target) = alias else { break };
        name = target;
    }
    Vec::new()
}

struct Record {
    name: Vec<u8>,
    data: Data,
}

enum Data {
    Address(IpAddr),
    Alias(Vec<u8>),
    Other,
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(length)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    fn u16(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    /// Reads a name as labels in lower case, with pointers followed.
    fn name(&mut self) -> Option<Vec<u8>> {
        let mut name = Vec::new();
        // Position behind the name, once a pointer has led elsewhere.
        let mut behind = None;
        loop {
            let begin = self.at;
            let length = *self.take(1)?.first()?;
            match length {
                0 => break,
                1..=63 => {
                    name.push(length);
                    name.extend(self.take(usize::from(length))?.to_ascii_lowercase());
                    if name.len() >= MAX_NAME {
                        return None;
                    }
                }
                0xc0.. => {
                    let low = *self.take(1)?.first()?;
                    let target = usize::from(u16::from_be_bytes([length & 0x3f, low]));
                    // Only backwards: every step is shorter, so there is an end.
                    if target >= begin {
                        return None;
                    }
                    behind.get_or_insert(self.at);
                    self.at = target;
                }
                64..=0xbf => return None,
            }
        }
        name.push(0);
        self.at = behind.unwrap_or(self.at);
        Some(name)
    }

    fn record(&mut self) -> Option<Record> {
        let name = self.name()?;
        let (kind, class) = (self.u16()?, self.u16()?);
        self.take(4)?;
        let length = usize::from(self.u16()?);
        let begin = self.at;
        let data = self.take(length)?;
        let end = self.at;
        let data = match (class, kind) {
            (INTERNET, 1) => Data::Address(Ipv4Addr::from(<[u8; 4]>::try_from(data).ok()?).into()),
            (INTERNET, 28) => {
                Data::Address(Ipv6Addr::from(<[u8; 16]>::try_from(data).ok()?).into())
            }
            (INTERNET, ALIAS) => {
                self.at = begin;
                let target = self.name()?;
                self.at = end;
                Data::Alias(target)
            }
            (_, _) => Data::Other,
        };
        Some(Record { name, data })
    }
}
