//! Text and bytes for `Buffer`, `StringDecoder` and `url`.

use rquickjs::{Ctx, Function, Object, Result};

use crate::apis::{Bytes, Text};

pub(super) fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set("utf8Length", Function::new(ctx.clone(), |text: Text| text.0.len())?)?;
    native.set("utf8Slice", Function::new(ctx.clone(), utf8_slice)?)?;
    native.set(
        "compareBytes",
        Function::new(ctx.clone(), |a: Bytes, b: Bytes| a.0.cmp(&b.0) as i32)?,
    )?;
    native.set("domainToASCII", Function::new(ctx.clone(), domain_to_ascii)?)?;
    native.set("domainToUnicode", Function::new(ctx.clone(), domain_to_unicode)?)
}

/// Returns the text of `bytes[from..to]`, malformed sequences replaced.
fn utf8_slice(bytes: Bytes, from: usize, to: usize) -> String {
    let to = to.min(bytes.0.len());
    String::from_utf8_lossy(&bytes.0[from.min(to)..to]).into_owned()
}

fn domain_to_ascii(domain: Text) -> String {
    url::Host::parse(&domain.0).map(|host| host.to_string()).unwrap_or_default()
}

/// Returns the domain with `xn--` labels decoded; empty if it is invalid.
fn domain_to_unicode(domain: Text) -> String {
    let Ok(url::Host::Domain(ascii)) = url::Host::parse(&domain.0) else { return String::new() };
    idna::domain_to_unicode(&ascii).0
}
