//! The sandbox's page, for tools: each call is checked, and answered for what the grants open.

use std::sync::Arc;

use cofferdam_abi::Value;
use cofferdam_abi::dom::DomOperation;
use cofferdam_abi::wire::Result;
use cofferdam_broker::{Desk, Permit};
use cofferdam_caps::dom::Selector;
use cofferdam_caps::{Access, Capability, Kind, Request, Scope};
use cofferdam_dom::Error;
use cofferdam_dom::proxy::{Answer, Reach, Snapshot};

use crate::guard::{Done, Refused, packed};
use crate::kernel::{Crossing, Kernel, Reply};
use crate::lock::lock;
use crate::page::{Asked, Elsewhere, Shown};

impl Asked {
    fn access(&self) -> Access {
        if self.call().writes() { Access::Write } else { Access::Read }
    }

    /// Whether the call is about a selector, and not about a handle alone.
    fn has_selector(&self) -> bool {
        self.handle == 0
            || matches!(
                self.operation,
                DomOperation::QuerySelector | DomOperation::QuerySelectorAll
            )
    }

    /// What leave is asked for. Where only parts of the page are granted, the call is for those
    /// parts, whatever it names: what else there is does not exist for the tool.
    fn request(&self, desk: &Desk) -> std::result::Result<Request, Refused> {
        let access = self.access();
        // Below a handle it is the handle's part of the page that matters.
        let own: Option<Selector> = match self.handle {
            0 => self.selector.trim().parse().ok(),
            _ => None,
        };
        let granted = granted(desk, access)?;
        let mut scopes = granted.iter().map(|dom| dom.scope());
        let selector = match scopes.clone().all(|scope| matches!(scope, Scope::Only(_))) {
            true if granted.is_empty() => own,
            true => {
                let is_own = |scope: &&Scope<Selector>| matches!((scope, &own), (Scope::Only(a), Some(b)) if a == b);
                match scopes.clone().find(is_own).or_else(|| scopes.next()) {
                    Some(Scope::Only(selector)) => Some(selector.clone()),
                    Some(Scope::All) | None => own,
                }
            }
            false => own,
        };
        Ok(Request::Dom { access, selector })
    }
}

pub(super) fn call(kernel: &mut Kernel, c: &mut Crossing<'_, '_>) -> Result<Reply> {
    let asked = Asked::parse(c.fields)?;
    let resources = kernel.settings.resources.clone();
    let desk = kernel.settings.desk.clone();
    match &mut *lock(&resources.page) {
        Shown::Nothing => {}
        Shown::Here(page, _) => {
            // Nobody is asked about what cannot be read.
            if asked.has_selector()
                && let Err(error) = page.check_selector(&asked.selector)
            {
                return Ok(Reply::Refused(failed(&error)));
            }
        }
        Shown::Elsewhere(page) => return elsewhere(kernel, page.clone(), asked),
    }
    let proxy = kernel.proxy.clone();
    let request = asked.request(&desk).map(|request| vec![request]);
    kernel.guarded(request, c.answer, move |permits| {
        let Shown::Here(page, writing) = &mut *lock(&resources.page) else {
            return Err(Refused::new("NotFoundError", "this sandbox has no page"));
        };
        let reach = |access| reach(&desk, access, &permits);
        let (read, write) = (reach(Access::Read)?, reach(Access::Write)?);
        let mut proxy = lock(&proxy);
        proxy.regrant(read, write, *writing);
        answered(proxy.call(page, &asked.call()))
    })
}

/// Hands a call to whoever answers for the page.
fn elsewhere(kernel: &mut Kernel, page: Arc<dyn Elsewhere>, mut asked: Asked) -> Result<Reply> {
    let desk = kernel.settings.desk.clone();
    let request = asked.request(&desk);
    kernel.guarded_work(request, move |permit| {
        Box::pin(async move {
            let permits = [permit];
            asked.read = reach(&desk, Access::Read, &permits)?;
            asked.write = reach(&desk, Access::Write, &permits)?;
            answered(page.answer(asked).await)
        })
    })
}

type Granted = Vec<cofferdam_caps::dom::Dom>;

fn granted(desk: &Desk, access: Access) -> std::result::Result<Granted, Refused> {
    let kind = match access {
        Access::Read => Kind::DomRead,
        Access::Write => Kind::DomWrite,
    };
    let granted = desk.granted(kind).map_err(|e| Refused::new("Error", e.to_string()))?;
    let dom = |capability| match capability {
        Capability::Dom(dom) => Some(dom),
        _ => None,
    };
    Ok(granted.into_iter().filter_map(dom).collect())
}

/// As much of the page as is granted now, and by what allows this call: it may be used up by it.
fn reach(desk: &Desk, access: Access, permits: &[Permit]) -> std::result::Result<Reach, Refused> {
    let mut selectors = Vec::new();
    let used = permits.iter().filter_map(|permit| match permit.capability() {
        Capability::Dom(dom) if dom.access() == access => Some(dom.clone()),
        _ => None,
    });
    for dom in granted(desk, access)?.into_iter().chain(used) {
        match dom.scope() {
            Scope::All => return Ok(Reach::Everything),
            Scope::Only(selector) => selectors.push(selector.as_str().to_owned()),
        }
    }
    selectors.sort_unstable();
    selectors.dedup();
    Ok(if selectors.is_empty() { Reach::Nothing } else { Reach::Inside(selectors) })
}

fn answered(answer: std::result::Result<Answer, Error>) -> Done {
    packed(&match answer.map_err(|error| failed(&error))? {
        Answer::Nothing => Value::Null,
        Answer::Is(is) => Value::Bool(is),
        Answer::Count(count) => Value::Number(f64::from(count)),
        Answer::Text(text) => Value::String(text),
        Answer::Element(element) => copy(*element),
        Answer::Elements(elements) => Value::Array(elements.into_iter().map(copy).collect()),
    })
}

fn copy(element: Snapshot) -> Value {
    let texts = |texts: Vec<String>| texts.into_iter().map(Value::String).collect();
    let attributes = element.attributes.into_iter();
    Value::Object(vec![
        ("handle".to_owned(), Value::Number(f64::from(element.handle))),
        ("tag".to_owned(), Value::String(element.tag)),
        ("id".to_owned(), element.id.map_or(Value::Null, Value::String)),
        ("classes".to_owned(), Value::Array(texts(element.classes))),
        (
            "attributes".to_owned(),
            Value::Object(attributes.map(|(name, value)| (name, Value::String(value))).collect()),
        ),
        ("text".to_owned(), Value::String(element.text)),
        ("html".to_owned(), Value::String(element.html)),
        ("cut".to_owned(), Value::Bool(element.cut)),
    ])
}

fn failed(error: &Error) -> Refused {
    Refused::new(error.kind().dom_name(), error.message())
}
