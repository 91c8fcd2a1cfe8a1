//! URL parsing and the setters of the URL standard, by the `url` crate.
//!
//! The JavaScript side holds the parts as strings; nothing native lives behind a `URL` object.

use ::url::{Url, quirks};
use rquickjs::{Array, Ctx, Function, Object, Result};

use crate::apis::base::text::Text;

pub fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set("urlParse", Function::new(ctx.clone(), parse)?)?;
    native.set("urlSet", Function::new(ctx.clone(), set)?)?;
    native.set("formParse", Function::new(ctx.clone(), form_parse)?)?;
    native.set("formSerialize", Function::new(ctx.clone(), form_serialize)?)
}

/// Returns the parts of the parsed URL, in the order of [`parts`]; `None` if it is invalid.
fn parse<'js>(ctx: Ctx<'js>, input: Text, base: Option<Text>) -> Result<Option<Array<'js>>> {
    let parsed = match base {
        Some(base) => Url::parse(&base.0).and_then(|base| base.join(&input.0)),
        None => Url::parse(&input.0),
    };
    parsed.ok().map(|url| parts(ctx, &url)).transpose()
}

fn parts<'js>(ctx: Ctx<'js>, url: &Url) -> Result<Array<'js>> {
    let parts = Array::new(ctx)?;
    let origin = quirks::origin(url);
    let all = [
        quirks::href(url),
        quirks::protocol(url),
        quirks::username(url),
        quirks::password(url),
        quirks::host(url),
        quirks::hostname(url),
        quirks::port(url),
        quirks::pathname(url),
        quirks::search(url),
        quirks::hash(url),
        origin.as_str(),
    ];
    for (index, part) in all.into_iter().enumerate() {
        parts.set(index, part)?;
    }
    Ok(parts)
}

/// The parts of `href` after one of the standard's setters; a refused value changes nothing.
fn set<'js>(ctx: Ctx<'js>, href: Text, part: String, value: Text) -> Result<Option<Array<'js>>> {
    let Ok(mut url) = Url::parse(&href.0) else { return Ok(None) };
    let value = value.0.as_str();
    let url = &mut url;
    // A setter that refuses leaves the URL as it was, which is all the standard asks for.
    let _ = match part.as_str() {
        "protocol" => quirks::set_protocol(url, value),
        "username" => quirks::set_username(url, value),
        "password" => quirks::set_password(url, value),
        "host" => quirks::set_host(url, value),
        "hostname" => quirks::set_hostname(url, value),
        "port" => quirks::set_port(url, value),
        "pathname" => {
            quirks::set_pathname(url, value);
            Ok(())
        }
        "search" => {
            quirks::set_search(url, value);
            Ok(())
        }
        "hash" => {
            quirks::set_hash(url, value);
            Ok(())
        }
        _ => Err(()),
    };
    parts(ctx, url).map(Some)
}

/// `[name, value, name, value, …]` of an `application/x-www-form-urlencoded` string.
fn form_parse(ctx: Ctx<'_>, input: Text) -> Result<Array<'_>> {
    let list = Array::new(ctx)?;
    for (index, (name, value)) in form_urlencoded::parse(input.0.as_bytes()).enumerate() {
        list.set(index * 2, name.as_ref())?;
        list.set(index * 2 + 1, value.as_ref())?;
    }
    Ok(list)
}

/// The reverse of [`form_parse`].
fn form_serialize(list: Vec<Text>) -> String {
    let mut serializer = form_urlencoded::Serializer::new(String::new());
    for pair in list.chunks_exact(2) {
        serializer.append_pair(&pair[0].0, &pair[1].0);
    }
    serializer.finish()
}
