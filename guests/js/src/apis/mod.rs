use rquickjs::*;
pub fn install(_: &Ctx<'_>) -> Result<()> { Ok(()) }
pub fn throw_dom_exception(ctx: &Ctx<'_>, _name: &str, message: &str) -> Error { Exception::throw_type(ctx, message) }
