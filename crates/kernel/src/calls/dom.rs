//! The sandbox's page, for tools: each call is checked, and answered for what the grants open.

use cofferdam_abi::Value;
use cofferdam_abi::dom::DomOperation;
use cofferdam_abi::wire::{Reader, Result};
use cofferdam_broker::{Desk, Permit};
use cofferdam_caps::dom::Selector;
use cofferdam_caps::{Access, Capability, Kind, Request, Scope};
use cofferdam_dom::Error;
use cofferdam_dom::proxy::{Answer, Call, Reach, Snapshot, Target};

use crate::guard::{Done, Refused, packed};
use crate::kernel::{Crossing, Kernel, Reply};
use crate::lock::lock;

/// A call as it came.
struct Asked {
    operation: DomOperation,
    /// An element that was handed out before; zero is none.
    handle: u32,
    selector: String,
    text: String,
    more: String,
}

impl Asked {
    fn read(fields: &mut Reader<'_>) -> Result<Self> {
        let Some(operation) = DomOperation::from_number(fields.u8()?) else {
            return Err(fields.malformed("unknown operation on a page"));
        };
        let (handle, selector) = (fields.u32()?, fields.string()?);
        Ok(Asked { operation, handle, selector, text: fields.string()?, more: fields.string()? })
    }

    fn call(&self) -> Call<'_> {
        let within = (self.handle != 0).then_some(self.handle);
        let (selector, text) = (self.selector.as_str(), self.text.as_str());
        let target = match within {
            Some(handle) => Target::Handle(handle),
            None => Target::Selector(selector),
        };
        match self.operation {
            DomOperation::QuerySelector => Call::QuerySelector { within, selector },
            DomOperation::QuerySelectorAll => Call::QuerySelectorAll { within, selector },
            DomOperation::GetTextContent => Call::GetTextContent(target),
            DomOperation::GetAttribute => Call::GetAttribute(target, text),
            DomOperation::GetHtml => Call::GetHtml(target),
            DomOperation::Exists => Call::Exists(target),
            DomOperation::Count => Call::Count(selector),
            DomOperation::WaitFor => Call::WaitFor(selector),
            DomOperation::SetTextContent => Call::SetTextContent(target, text),
            DomOperation::SetAttribute => Call::SetAttribute(target, text, &self.more),
            DomOperation::SetHtml => Call::SetHtml(target, text),
            DomOperation::Append => Call::Append(target, text),
            DomOperation::Remove => Call::Remove(target),
            DomOperation::Click => Call::Click(target),
            DomOperation::Fill => Call::Fill(target, text),
            DomOperation::Submit => Call::Submit(target),
        }
    }

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
    let asked = Asked::read(c.fields)?;
    let resources = kernel.settings.resources.clone();
    if asked.has_selector() {
        // Nobody is asked about what cannot be read.
        let mut page = lock(&resources.page);
        if let Some(Err(error)) = page.as_mut().map(|page| page.check_selector(&asked.selector)) {
            return Ok(Reply::Refused(failed(&error)));
        }
    }
    let (proxy, desk) = (kernel.proxy.clone(), kernel.settings.desk.clone());
    let request = asked.request(&desk).map(|request| vec![request]);
    kernel.guarded(request, c.now, c.answer, move |permits| {
        let mut page = lock(&resources.page);
        let Some(page) = page.as_mut() else {
            return Err(Refused::new("NotFoundError", "this sandbox has no page"));
        };
        let reach = |access| reach(&desk, access, &permits);
        let (read, write) = (reach(Access::Read)?, reach(Access::Write)?);
        let mut proxy = lock(&proxy);
        proxy.regrant(read, write);
        answered(proxy.call(page, &asked.call()))
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
