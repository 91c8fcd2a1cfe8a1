//! The host of `@cofferdam/web`: the library of Cofferdam in a worker of a browser.
//!
//! The worker and this module exchange JSON. A *request* of the worker names a method and is
//! answered once; see [`methods`]. The host sends *events* (output, questions that have ended) and
//! *inquiries*, which the page answers: questions for a person, calls on the page's document,
//! requests over the network and calls of lent functions; see [`port`].
//!
//! In reading order:
//! - [`port`]: messages in both directions, all `unsafe` code
//! - [`executor`]: runs under way
//! - [`methods`]: the methods, over the same parameters and results as every front
//! - [`files`]: methods about single files
//! - [`authority`]: methods about permissions
//! - [`ledger`]: grants and requests, which the worker keeps in the browser
//! - [`page`]: the approver and the network of the page
//! - [`document`]: the document of the page, behind grants
//! - [`late`]: the part of the host that is fetched when it is needed
//!
//! Absent on purpose: any decision about permissions, and any JavaScript.

mod authority;
mod document;
mod executor;
mod files;
mod late;
mod ledger;
mod methods;
mod page;
mod port;
