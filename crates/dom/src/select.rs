//! CSS selectors: parsed once, bounded in size, and matched with servo's `selectors`.

mod element;
mod forms;
mod index;
mod language;
mod memory;
mod plan;
mod pseudo;
mod query;
mod read;
mod types;

pub(crate) use memory::Memory;
pub(crate) use query::Place;
