//! The sandbox's page, for tools: each call is checked, and answered for what the grants open.

use std::sync::Arc;

use cofferdam_abi::Value;
use cofferdam_abi::dom::DomOperation;
use cofferdam_caps::Access;
use cofferdam_dom::Error;
use cofferdam_dom::proxy::{Answer, Snapshot};

use crate::shared::call_error::{CallError, Done, packed};
use crate::shared::crossing::CallIo;
use crate::shared::lock::lock;
use crate::tool::kernel::{Kernel, Served};
use crate::tool::page::{Asked, Elsewhere, Shown};

impl Asked {
    pub(crate) fn access(&self) -> Access {
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
}

pub(super) fn call(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let asked = Asked::parse(io.fields)?;
    let resources = kernel.settings.resources.clone();
    let desk = kernel.settings.desk.clone();
    let view = kernel.view.clone();
    let interrupt = kernel.interrupt();
    let request = match &mut *lock(&resources.page) {
        Shown::Nothing => lock(&view).request(&desk, None, &asked),
        Shown::Here(page) => {
            // Nobody is asked about what cannot be read.
            if asked.has_selector()
                && let Err(error) = page.check_selector(&asked.selector)
            {
                return Err(failed(&error).into());
            }
            page.while_wanted(&interrupt, |page| lock(&view).request(&desk, Some(page), &asked))
        }
        Shown::Elsewhere(page) => return elsewhere(kernel, page.clone(), asked),
    };
    let request = vec![request?];
    let used = view.clone();
    let reply = kernel.guarded(request, io.answer, move |permits| {
        let (Shown::Here(page), Some(permit)) = (&mut *lock(&resources.page), permits.first())
        else {
            return Err(CallError::new("NotFoundError", "this sandbox has no page"));
        };
        answered(
            page.while_wanted(&interrupt, |page| lock(&view).call(&desk, page, &asked, permit))?,
        )
    });
    lock(&used).grow_old();
    reply
}

/// Hands a call to whoever answers for the page.
fn elsewhere(kernel: &mut Kernel, page: Arc<dyn Elsewhere>, mut asked: Asked) -> Served {
    let (desk, view) = (kernel.settings.desk.clone(), kernel.view.clone());
    let request = {
        let mut view = lock(&view);
        let request = view.request(&desk, None, &asked);
        view.grow_old();
        request?
    };
    kernel.guarded_work(request, move |permit| {
        Box::pin(async move {
            asked.grants = lock(&view).grants(&desk, &permit)?;
            answered(page.answer(asked).await)
        })
    })
}

fn answered(answer: Result<Answer, Error>) -> Done {
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

fn failed(error: &Error) -> CallError {
    CallError::new(error.kind().dom_name(), error.message())
}
