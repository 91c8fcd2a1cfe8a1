//! Ticked boxes, chosen options and the focus: states of elements that attributes begin, if at all,
//! and calls change.
//!
//! A select that shows one option has exactly one chosen, if it has any that can be: the last that
//! was marked, or the first that is not disabled. That is found out when somebody asks, so that
//! inserting an option costs nothing.

use crate::error::Error;
use crate::node::{Data, Element, NIL, NodeId};
use crate::tree::{Tree, is_html};
use html5ever::{LocalName, QualName, local_name, ns};

/// The state of a box, of a radio button, or of an option.
///
/// A select has one too: `Set(false)` as long as nothing is chosen because a call said so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ticked {
    /// The attribute decides.
    ByAttribute,
    /// A call decided, until the attribute comes or goes.
    UntilAttribute(bool),
    /// A call decided.
    Set(bool),
}

impl Tree {
    /// Sets the state of a checkbox or radio button, which prevails over its attribute.
    pub fn set_checked(&mut self, id: NodeId, checked: bool) -> Result<(), Error> {
        self.set_ticked(id, Ticked::Set(checked))
    }

    /// Lets the attribute decide again about a box, an option or a select.
    pub fn reset_checked(&mut self, id: NodeId) -> Result<(), Error> {
        self.set_ticked(id, Ticked::ByAttribute)
    }

    /// Returns the state of a box or radio button, or of an option without regard to its select.
    pub fn is_checked(&self, id: NodeId) -> Result<bool, Error> {
        let slot = self.slot(id)?;
        Ok(self.element(slot).is_some_and(is_ticked))
    }

    /// Chooses an option or not; the other options of its select stay as they are.
    pub fn set_selected(&mut self, id: NodeId, selected: bool) -> Result<(), Error> {
        self.set_ticked(id, Ticked::Set(selected))?;
        let slot = self.slot(id)?;
        let select = self.ancestors_at(slot).find(|above| self.is_select(*above));
        if let Some(select) = select.and_then(|select| self.element_mut(select)) {
            select.ticked = Ticked::ByAttribute;
        }
        Ok(())
    }

    /// Chooses no option of a select, not even the first.
    pub fn clear_selected(&mut self, id: NodeId) -> Result<(), Error> {
        let select = self.slot(id)?;
        let options: Vec<u32> = self.subtree_at(select).filter(|at| self.is_option(*at)).collect();
        for option in options {
            if let Some(element) = self.element_mut(option) {
                element.ticked = match element.ticked {
                    Ticked::Set(_) => Ticked::Set(false),
                    Ticked::ByAttribute | Ticked::UntilAttribute(_) => {
                        Ticked::UntilAttribute(false)
                    }
                };
            }
        }
        self.set_ticked(id, Ticked::Set(false))
    }

    /// Gives the focus to an element, or takes it from all.
    pub fn set_focus(&mut self, id: Option<NodeId>) {
        self.focus = id;
        self.touch_still();
    }

    pub(crate) fn has_focus(&self, slot: u32) -> bool {
        self.focus.is_some_and(|id| self.slot(id) == Ok(slot))
    }

    /// Returns true if the element or one below it, also in shadow trees, has the focus.
    pub(crate) fn has_focus_within(&self, slot: u32) -> bool {
        let Some(mut at) = self.focus.and_then(|id| self.slot(id).ok()) else { return false };
        while at != NIL {
            if at == slot {
                return true;
            }
            at = self.host_or_parent(at);
        }
        false
    }

    fn set_ticked(&mut self, id: NodeId, ticked: Ticked) -> Result<(), Error> {
        let slot = self.slot(id)?;
        if let Some(element) = self.element_mut(slot) {
            element.ticked = ticked;
        }
        self.touch_still();
        Ok(())
    }

    /// Notes that a child of `parent` came or went: a select chooses again.
    pub(crate) fn choose_again(&mut self, parent: u32) {
        let Some(element) = self.element(parent) else { return };
        let select = if is_html(&element.name, &local_name!("optgroup")) {
            self.node(parent).parent
        } else {
            parent
        };
        if select != NIL
            && self.is_select(select)
            && let Some(select) = self.element_mut(select)
        {
            select.ticked = Ticked::ByAttribute;
        }
    }

    /// Returns true for an option that its select shows as chosen. A select outside of `boundary`
    /// is not looked at.
    pub(crate) fn is_chosen(&self, option: u32, boundary: u32) -> bool {
        let Some(element) = self.element(option) else { return false };
        let own = is_ticked(element);
        let above = self.ancestors_at(option).find(|at| *at == boundary || self.is_select(*at));
        let Some(select) = above.filter(|at| option != boundary && self.is_select(*at)) else {
            return own;
        };
        let Some(shown) = self.element(select) else { return own };
        if shown.plain(&local_name!("multiple")).is_some() {
            return own;
        }
        if own {
            // Each search ends at the next marked option: all together pass every option once.
            return !self.options_after(option, select).any(|other| self.is_marked(other));
        }
        let rows = shown.plain(&local_name!("size")).and_then(|size| size.trim().parse().ok());
        if rows.unwrap_or(1_u32) > 1 || shown.ticked == Ticked::Set(false) {
            return false;
        }
        let is_usable = |at: &u32| !self.is_option_disabled(*at);
        is_usable(&option)
            && !self.options_before(option, select).any(|at| is_usable(&at) || self.is_marked(at))
            && !self.options_after(option, select).any(|at| self.is_marked(at))
    }

    fn is_option(&self, slot: u32) -> bool {
        self.element(slot).is_some_and(|e| is_html(&e.name, &local_name!("option")))
    }

    fn is_select(&self, slot: u32) -> bool {
        self.element(slot).is_some_and(|e| is_html(&e.name, &local_name!("select")))
    }

    fn is_marked(&self, slot: u32) -> bool {
        self.element(slot).is_some_and(is_ticked)
    }

    fn is_option_disabled(&self, option: u32) -> bool {
        let disabled = LocalName::from("disabled");
        let has = |slot: u32| self.element(slot).is_some_and(|e| e.plain(&disabled).is_some());
        let parent = self.node(option).parent;
        let is_group = |e: &Element| is_html(&e.name, &local_name!("optgroup"));
        has(option) || self.element(parent).is_some_and(is_group) && has(parent)
    }

    fn options_after(&self, option: u32, select: u32) -> impl Iterator<Item = u32> + '_ {
        let mut at = option;
        std::iter::from_fn(move || {
            at = self.following(at, select);
            (at != NIL).then_some(at)
        })
        .filter(|at| self.is_option(*at))
    }

    /// Returns the options in front of one, nearest first.
    fn options_before(&self, option: u32, select: u32) -> impl Iterator<Item = u32> + '_ {
        let mut at = option;
        std::iter::from_fn(move || {
            let previous = self.node(at).previous;
            at = match previous {
                NIL => self.node(at).parent,
                mut last => {
                    while self.node(last).last != NIL {
                        last = self.node(last).last;
                    }
                    last
                }
            };
            (at != select && at != NIL).then_some(at)
        })
        .filter(|at| self.is_option(*at))
    }
}

impl Element {
    /// Notes that an attribute came or went.
    pub(crate) fn attribute_changed(&mut self, name: &QualName) {
        if matches!(self.ticked, Ticked::UntilAttribute(_))
            && name.ns == ns!()
            && name.local == local_name!("selected")
        {
            self.ticked = Ticked::ByAttribute;
        }
    }
}

/// Returns the state of a box, or of an option without regard to its select.
pub(crate) fn is_ticked(element: &Element) -> bool {
    let is_option = is_html(&element.name, &local_name!("option"));
    let attribute = if is_option { local_name!("selected") } else { local_name!("checked") };
    match element.ticked {
        Ticked::ByAttribute => element.plain(&attribute).is_some(),
        Ticked::UntilAttribute(is) | Ticked::Set(is) => is,
    }
}

impl Data {
    /// Returns true for an element whose children can be options.
    pub(crate) fn holds_options(&self) -> bool {
        match self {
            Data::Element(element) => {
                element.name.local == local_name!("select")
                    || element.name.local == local_name!("optgroup")
            }
            _ => false,
        }
    }
}
