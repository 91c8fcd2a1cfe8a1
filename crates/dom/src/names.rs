//! Validation of element and attribute names, and splitting of qualified names.

use crate::error::{Error, ErrorKind, shortened};
use html5ever::{LocalName, Namespace, Prefix, QualName, ns};

/// Returns true if the DOM standard accepts this local name for an element.
pub fn is_element_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    match bytes.first() {
        None => false,
        Some(first) if first.is_ascii_alphabetic() => !bytes
            .iter()
            .any(|b| matches!(b, b'\t' | b'\n' | b'\x0C' | b'\r' | b' ' | 0 | b'/' | b'>')),
        Some(b':' | b'_' | 0x80..) => bytes[1..].iter().all(
            |b| matches!(b, b'-' | b'.' | b':' | b'_' | 0x80.. | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z'),
        ),
        Some(_) => false,
    }
}

/// Returns true if the DOM standard accepts this local name for an attribute.
pub fn is_attribute_name(name: &str) -> bool {
    !name.is_empty()
        && !name
            .bytes()
            .any(|b| matches!(b, b'\t' | b'\n' | b'\x0C' | b'\r' | b' ' | 0 | b'/' | b'=' | b'>'))
}

fn is_prefix(name: &str) -> bool {
    !name.is_empty()
        && !name
            .bytes()
            .any(|b| matches!(b, b'\t' | b'\n' | b'\x0C' | b'\r' | b' ' | 0 | b'/' | b'>'))
}

/// The kind of node that a qualified name is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// An element.
    Element,
    /// An attribute.
    Attribute,
}

/// Validates a namespace and a qualified name, and combines them into one name.
pub fn qualified_name(namespace: &str, name: &str, named: Named) -> Result<QualName, Error> {
    let (prefix, local) = match name.split_once(':') {
        None => (None, name),
        Some((prefix, local)) => (Some(prefix), local),
    };
    let fits = match named {
        Named::Element => is_element_name(local),
        Named::Attribute => is_attribute_name(local),
    };
    if !fits || prefix.is_some_and(|prefix| !is_prefix(prefix)) {
        let text = format!("'{}': not a valid name", shortened(name));
        return Err(Error::new(ErrorKind::InvalidCharacter, text));
    }
    let wrong = |text: &str| {
        let text = format!("'{}': {text}", shortened(name));
        Err(Error::new(ErrorKind::Namespace, text))
    };
    let namespace = Namespace::from(namespace);
    if prefix.is_some() && namespace == ns!() {
        return wrong("a prefix requires a namespace");
    }
    if prefix == Some("xml") && namespace != ns!(xml) {
        return wrong("the prefix xml requires the XML namespace");
    }
    let is_xmlns = prefix == Some("xmlns") || name == "xmlns";
    if is_xmlns != (namespace == ns!(xmlns)) {
        return wrong("xmlns requires the XMLNS namespace and vice versa");
    }
    Ok(QualName::new(prefix.map(Prefix::from), namespace, LocalName::from(local)))
}

/// Validates a name whose colons have no meaning, as `createElement` takes it.
pub fn unsplit_name(namespace: &str, name: &str) -> Result<QualName, Error> {
    if !is_element_name(name) {
        let text = format!("'{}': not a valid name", shortened(name));
        return Err(Error::new(ErrorKind::InvalidCharacter, text));
    }
    Ok(QualName::new(None, Namespace::from(namespace), LocalName::from(name)))
}

/// Combines the parts of a name that a node has already, without validating them: parsers make
/// names that scripts cannot, such as `xml:lang` without a namespace.
pub fn existing_name(namespace: &str, prefix: &str, local: &str) -> QualName {
    let prefix = (!prefix.is_empty()).then(|| Prefix::from(prefix));
    QualName::new(prefix, Namespace::from(namespace), LocalName::from(local))
}
