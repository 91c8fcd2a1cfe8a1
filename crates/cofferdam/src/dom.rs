//! Documents: the tree of a page, and pages that an embedding program holds elsewhere. See
//! [`Sandbox::change_page`](crate::Sandbox::change_page) and
//! [`SandboxBuilder::page_elsewhere`](crate::SandboxBuilder::page_elsewhere).

pub use cofferdam_dom::{
    Attribute, Budget, Cloning, DocumentKind, Error, ErrorKind, Named, NodeId, NodeKind, Page,
    ParsedXml, QualName, Quirks, Tree, Usage, html_name, qualified_name,
};

/// A page as a tool sees it: copies of the elements that its grants name.
pub mod proxy {
    pub use cofferdam_dom::proxy::{
        Answer, Call, Event, EventKind, Grants, Proxy, Reach, Snapshot, Target,
    };
}
