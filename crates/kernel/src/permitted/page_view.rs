//! A run's view of the page: the grants known to it, and the proxy with its handles.
//!
//! Meets T-DOM-007.

use cofferdam_broker::{Desk, Granted, Permit};
use cofferdam_caps::dom::{Dom, Markup, Selector};
use cofferdam_caps::{Access, Capability, Kind, Scope};
use cofferdam_dom::Page;
use cofferdam_dom::proxy::{Answer, Grants, Proxy, Reach};

use super::page::UsePage;
use crate::shared::call_error::CallError;
use crate::shared::page::Asked;

/// Kinds of capability on a page.
const KINDS: [Kind; 2] = [Kind::DomRead, Kind::DomWrite];

/// A run's view of the page: the grants that are known, and the proxy with its handles.
#[derive(Default)]
pub struct PageView {
    proxy: Proxy,
    known: Option<Known>,
    /// True if `known` was read during this call, so that it is not read again.
    is_fresh: bool,
}

/// Grants as they were last read.
struct Known {
    granted: Granted,
    /// Parts of the page that lasting grants open.
    lasting: Grants,
}

/// A grant of a part of the page.
#[derive(Clone, Copy)]
struct Given<'a> {
    dom: &'a Dom,
    is_counted: bool,
}

/// The part of a page that a call needs.
pub(super) struct PagePart {
    pub(super) access: Access,
    pub(super) markup: Markup,
    pub(super) selector: Option<Selector>,
}

impl PageView {
    /// Returns the part of the page to request. If only parts are granted, the call is for one of
    /// those parts, whatever it names: the rest of the page does not exist for the tool.
    ///
    /// Of several grants, the first under which the call finds something is used: preferably one
    /// that the call does not use up, and one for raw markup if the call brings markup.
    pub(super) fn part(
        &mut self,
        desk: &Desk,
        page: Option<&mut Page>,
        asked: &Asked,
    ) -> Result<PagePart, CallError> {
        self.is_fresh = true;
        let (proxy, known) = self.look(desk)?;
        let (call, access) = (asked.call(), asked.access());
        // Below a handle, the part of the page that the handle belongs to decides.
        let own: Option<Selector> = match asked.handle {
            0 => asked.selector.trim().parse().ok(),
            _ => None,
        };
        let lasting = known.granted.lasting.iter().map(|capability| (capability, false));
        let counted = known.granted.counted.iter().map(|capability| (capability, true));
        let mut given: Vec<Given<'_>> = lasting
            .chain(counted)
            .filter_map(|(capability, is_counted)| match capability {
                Capability::Dom(dom) if dom.access() == access => Some(Given { dom, is_counted }),
                _ => None,
            })
            .collect();
        let brings_markup = call.brings_markup();
        let is_raw = |given: &Given<'_>| given.dom.markup() == Markup::Raw;
        let is_mixed =
            given.iter().any(|given| given.is_counted) || brings_markup && given.iter().any(is_raw);
        given.sort_by_key(|given| match brings_markup {
            true => (!is_raw(given), given.is_counted),
            false => (given.is_counted, is_raw(given)),
        });
        let is_own = |given: &&Given<'_>| match (given.dom.scope(), &own) {
            (Scope::Only(scope), Some(own)) => scope == own,
            (Scope::Only(_), None) => false,
            (Scope::All, _) => true,
        };
        let found = match page {
            Some(page) if is_mixed => given.iter().find(|given| {
                let reach = reach(std::iter::once(given.dom));
                proxy.finds(page, &call, &reach).unwrap_or(false)
            }),
            Some(_) | None => given.iter().find(is_own),
        };
        let by = found.or_else(|| given.iter().min_by_key(|given| given.is_counted));
        Ok(match by {
            None => PagePart { access, markup: Markup::Sanitised, selector: own },
            Some(by) => PagePart {
                access,
                markup: if brings_markup { by.dom.markup() } else { Markup::Sanitised },
                selector: match by.dom.scope() {
                    Scope::All => own,
                    Scope::Only(scope) => Some(scope.clone()),
                },
            },
        })
    }

    /// Carries out a permitted call.
    pub(super) fn call(
        &mut self,
        desk: &Desk,
        page: &mut Page,
        permit: &Permit<UsePage>,
    ) -> Result<Answer, CallError> {
        let (proxy, known) = match (self.is_fresh, &self.known) {
            (true, Some(known)) => (&mut self.proxy, known),
            _ => self.look(desk)?,
        };
        match known.is_enough(permit) {
            true if proxy.grants() == &known.lasting => {}
            true => proxy.regrant(known.lasting.clone()),
            false => proxy.regrant(known.with(permit)),
        }
        proxy.call(page, &permit.action().asked.call()).map_err(CallError::from)
    }

    /// Marks the known grants as old when a call is over or a person is asked.
    pub(crate) fn grow_old(&mut self) {
        self.is_fresh = false;
    }

    /// Returns the parts of the page that are granted now, including those of the permit, which
    /// this call may use up.
    pub(super) fn grants(
        &mut self,
        desk: &Desk,
        permit: &Permit<UsePage>,
    ) -> Result<Grants, CallError> {
        let (_, known) = self.look(desk)?;
        let mut grants = known.with(permit);
        // Raw markup is allowed only if it was requested, as the log says.
        if permit.action().part.markup != Markup::Raw {
            grants.raw = Reach::Nothing;
        }
        Ok(grants)
    }

    fn look(&mut self, desk: &Desk) -> Result<(&mut Proxy, &Known), CallError> {
        let failed = |error: cofferdam_broker::Error| CallError::new("Error", error.to_string());
        let known = match self.known.take() {
            Some(known) if desk.still(&known.granted).map_err(failed)? => known,
            _ => Known::new(desk.granted(&KINDS).map_err(failed)?),
        };
        Ok((&mut self.proxy, self.known.insert(known)))
    }
}

impl Known {
    fn new(granted: Granted) -> Self {
        let lasting = grants(granted.lasting.iter());
        Known { granted, lasting }
    }

    /// Returns true if a lasting grant already covers the permit.
    fn is_enough(&self, permit: &Permit<UsePage>) -> bool {
        self.granted.lasting.contains(permit.capability())
    }

    fn with(&self, permit: &Permit<UsePage>) -> Grants {
        grants(self.granted.lasting.iter().chain([permit.capability()]))
    }
}

fn grants<'a>(capabilities: impl Iterator<Item = &'a Capability> + Clone) -> Grants {
    let of = |access, least: Markup| {
        reach(capabilities.clone().filter_map(move |capability| match capability {
            Capability::Dom(dom) if dom.access() == access && dom.markup() >= least => Some(dom),
            _ => None,
        }))
    };
    Grants {
        read: of(Access::Read, Markup::Sanitised),
        write: of(Access::Write, Markup::Sanitised),
        raw: of(Access::Write, Markup::Raw),
    }
}

fn reach<'a>(granted: impl Iterator<Item = &'a Dom>) -> Reach {
    let mut selectors = Vec::new();
    for dom in granted {
        match dom.scope() {
            Scope::All => return Reach::Everything,
            Scope::Only(selector) => selectors.push(selector.as_str().to_owned()),
        }
    }
    selectors.sort_unstable();
    selectors.dedup();
    if selectors.is_empty() { Reach::Nothing } else { Reach::Inside(selectors) }
}
