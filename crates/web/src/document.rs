//! The live document of the page, as tools reach it.
//!
//! The page finds elements within the grants of a call; see `document.ts`. Markup and attributes are
//! sanitised here, by the code that sanitises them on the server.

use cofferdam::dom::proxy::{Answer, Call, Grants, Proxy, Reach, Snapshot, Target};
use cofferdam::dom::{Budget, Error, ErrorKind, Page, html_name};
use cofferdam::page::{Answered, Asked, Elsewhere};
use serde_json::{Value as Json, json};

use crate::{late, port};

/// The live document of the page.
pub(crate) struct Document {
    /// Sandbox that the handles of elements belong to.
    pub(crate) sandbox: String,
}

impl Elsewhere for Document {
    fn answer(&self, asked: Asked) -> Answered {
        let sandbox = self.sandbox.clone();
        Box::pin(async move {
            let grants = json!({
                "read": reach(&asked.grants.read),
                "write": reach(&asked.grants.write),
                "raw": reach(&asked.grants.raw),
            });
            let call = asked.call();
            let mut params = describe(&call);
            params["handle"] = sandbox.into();
            params["grants"] = grants;
            if call.brings_markup() {
                // The element decides about what may be written to it.
                let mut question = params.clone();
                question["operation"] = "describe".into();
                let found = ask(question).await?;
                let Some(tag) = found["tag"].as_str() else { return Ok(Answer::Nothing) };
                if found["raw"] != Json::Bool(true) {
                    late::load().await.map_err(|e| Error::new(ErrorKind::NotSupported, e))?;
                    params["text"] = sanitised(tag, &call)?.into();
                }
            }
            read(&ask(params).await?)
        })
    }
}

async fn ask(params: Json) -> Result<Json, Error> {
    port::inquire("document", params).await.map_err(|text| {
        let (name, message) = text.split_once(": ").unwrap_or(("", &text));
        let kind = match name {
            "SyntaxError" => ErrorKind::Syntax,
            "NotSupportedError" => ErrorKind::NotSupported,
            "QuotaExceededError" => ErrorKind::QuotaExceeded,
            _ => ErrorKind::NotFound,
        };
        Error::new(kind, message)
    })
}

fn reach(reach: &Reach) -> Json {
    match reach {
        Reach::Nothing => json!([]),
        Reach::Inside(selectors) => json!(selectors),
        Reach::Everything => Json::Null,
    }
}

/// Converts a call to JSON: an operation, its element, and up to two texts.
fn describe(call: &Call<'_>) -> Json {
    let (operation, target, text, more) = match *call {
        Call::QuerySelector { within, selector } => {
            return json!({ "operation": "find", "within": within, "selector": selector });
        }
        Call::QuerySelectorAll { within, selector } => {
            return json!({ "operation": "findAll", "within": within, "selector": selector });
        }
        Call::Count(selector) => return json!({ "operation": "count", "selector": selector }),
        Call::WaitFor(selector) => return json!({ "operation": "find", "selector": selector }),
        Call::GetTextContent(target) => ("text", target, "", ""),
        Call::GetAttribute(target, name) => ("attribute", target, name, ""),
        Call::GetHtml(target) => ("html", target, "", ""),
        Call::Exists(target) => ("exists", target, "", ""),
        Call::SetTextContent(target, text) => ("setText", target, text, ""),
        Call::SetAttribute(target, name, value) => ("setAttribute", target, value, name),
        Call::SetHtml(target, html) => ("setHtml", target, html, ""),
        Call::Append(target, html) => ("append", target, html, ""),
        Call::Remove(target) => ("remove", target, "", ""),
        Call::Click(target) => ("click", target, "", ""),
        Call::Fill(target, value) => ("fill", target, value, ""),
        Call::Submit(target) => ("submit", target, "", ""),
    };
    let mut params = json!({ "operation": operation, "text": text, "more": more });
    match target {
        Target::Selector(selector) => params["selector"] = selector.into(),
        Target::Handle(number) => params["element"] = number.into(),
    }
    params
}

/// Returns the text of a call as it may be written to an element with this name, or the error that
/// the server would return.
fn sanitised(tag: &str, call: &Call<'_>) -> Result<String, Error> {
    let mut page = Page::parse("<body></body>", Budget::default())?;
    let document = page.document();
    let tree = page.tree_mut();
    let element = tree.create_element(document, html_name(tag))?;
    let body = tree.query_first(document, "body")?;
    let body = body.ok_or_else(|| Error::new(ErrorKind::NotFound, "body: missing"))?;
    tree.append_child(body, element)?;
    let everything = Reach::Everything;
    let grants = Grants { read: everything.clone(), write: everything, raw: Reach::Nothing };
    let mut proxy = Proxy::new(grants);
    let target = Target::Selector("body > *");
    let (call, get) = match *call {
        Call::SetTextContent(_, text) => {
            proxy.call(&mut page, &Call::SetTextContent(target, text))?;
            return Ok(text.to_owned());
        }
        Call::SetAttribute(_, name, value) => {
            (Call::SetAttribute(target, name, value), Call::GetAttribute(target, name))
        }
        Call::SetHtml(_, html) | Call::Append(_, html) => {
            (Call::SetHtml(target, html), Call::GetHtml(target))
        }
        _ => return Ok(String::new()),
    };
    proxy.call(&mut page, &call)?;
    match proxy.call(&mut page, &get)? {
        Answer::Text(text) => Ok(text),
        _ => Ok(String::new()),
    }
}

/// Reads the page's answer.
fn read(answer: &Json) -> Result<Answer, Error> {
    let bad = || Error::new(ErrorKind::NotSupported, "page: malformed answer");
    Ok(match answer {
        Json::Null => Answer::Nothing,
        Json::Bool(is) => Answer::Is(*is),
        Json::Number(count) => {
            let count = count.as_u64().and_then(|count| u32::try_from(count).ok());
            Answer::Count(count.ok_or_else(bad)?)
        }
        Json::String(text) => Answer::Text(text.clone()),
        Json::Object(_) => Answer::Element(Box::new(snapshot(answer).ok_or_else(bad)?)),
        Json::Array(list) => {
            let copies = list.iter().map(snapshot).collect::<Option<_>>();
            Answer::Elements(copies.ok_or_else(bad)?)
        }
    })
}

fn snapshot(value: &Json) -> Option<Snapshot> {
    let text = |name: &str| value[name].as_str().map(str::to_owned);
    let words = |list: &Json| -> Option<Vec<String>> {
        list.as_array()?.iter().map(|word| word.as_str().map(str::to_owned)).collect()
    };
    let pair = |pair: &Json| Some((pair[0].as_str()?.to_owned(), pair[1].as_str()?.to_owned()));
    Some(Snapshot {
        handle: u32::try_from(value["element"].as_u64()?).ok()?,
        tag: text("tag")?,
        id: text("id"),
        classes: words(&value["classes"])?,
        attributes: value["attributes"].as_array()?.iter().map(pair).collect::<Option<_>>()?,
        text: text("text")?,
        html: text("html")?,
        cut: value["cut"].as_bool()?,
    })
}
