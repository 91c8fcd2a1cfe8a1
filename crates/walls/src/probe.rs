//! Finds out which pieces this machine has, by making a sandbox that does nothing.

use crate::missing::{Missing, Piece};
use crate::plan::{Content, Entry, Plan};
use crate::sandbox::Sandbox;

/// The result of probing one piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// The piece works.
    There,
    /// The piece is missing.
    Missing(Missing),
    /// Not known, because a piece that it needs is missing.
    Unknown,
}

/// Probes every piece.
pub fn probe() -> Vec<(Piece, Found)> {
    let entries = vec![Entry::new("/overlay", Content::Overlay("/usr".into()))];
    let plan = Plan { entries, program: "/nonexistent".into(), ..Plan::default() };
    let missing = match Sandbox::start(&plan) {
        Ok(_) => return Piece::ALL.map(|piece| (piece, Found::There)).to_vec(),
        Err(missing) => missing,
    };
    // Pieces are used in this order.
    let at = Piece::ALL.iter().position(|piece| *piece == missing.piece()).unwrap_or(0);
    let found = |(index, piece): (usize, &Piece)| match index {
        _ if index < at => (*piece, Found::There),
        _ if index == at => (*piece, Found::Missing(missing.clone())),
        _ => (*piece, Found::Unknown),
    };
    Piece::ALL.iter().enumerate().map(found).collect()
}
