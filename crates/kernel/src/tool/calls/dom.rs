//! The sandbox's page, for tools: each call is checked, and answered for what the grants open.

use cofferdam_abi::Value;
use cofferdam_dom::proxy::{Answer, Snapshot};

use crate::shared::call_error::{Done, packed};
use crate::shared::crossing::CallIo;
use crate::shared::lock::lock;
use crate::shared::page::Asked;
use crate::tool::kernel::{Kernel, Served};

pub(super) fn call(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let asked = Asked::parse(io.fields)?;
    let (desk, view) = (kernel.settings.desk.clone(), kernel.view.clone());
    let interrupt = kernel.interrupt();
    let page = kernel.settings.resources.page();
    let action = page.to_use(&mut lock(&view), &desk, &interrupt, asked)?;
    if action.is_elsewhere {
        lock(&view).grow_old();
        return kernel.start_with_permit(action, move |resources, permit| {
            let call = resources.page().call_elsewhere(&mut lock(&view), &desk, permit);
            Box::pin(async move { answered(call?.await?) })
        });
    }
    let used = view.clone();
    let reply = kernel.with_permit(action, io.answer, move |resources, permit| {
        answered(resources.page().call(&mut lock(&view), &desk, &interrupt, permit)?)
    });
    lock(&used).grow_old();
    reply
}

fn answered(answer: Answer) -> Done {
    packed(&match answer {
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
