//! Parsing of HTML and XML into trees. No script runs, and nothing is fetched.

mod feed;
mod html;
mod nesting;
mod plain;
mod scan;
mod sink;
mod xml;

pub use xml::ParsedXml;
