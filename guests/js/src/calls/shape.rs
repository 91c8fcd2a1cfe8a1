//! Packs the fields of a call and unpacks its answer.

use cofferdam_abi::call::ToolCall;
use cofferdam_abi::frame;
use cofferdam_abi::wire::Writer;
use rquickjs::{Ctx, Exception, FromJs, Result, TypedArray, Value};

use crate::apis::{Bytes, with_text};
use crate::clone;

/// Longest packed value in a call.
const MAX_VALUE: usize = 8 << 20;

/// One call of the table, as a prelude makes it. Made while the image is built; never freed.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    call: ToolCall,
    takes: &'static [Field],
    pub(super) gives: Gives,
}

#[derive(Clone, Copy)]
enum Field {
    /// A digit: this byte, whatever the arguments are.
    Fixed(u8),
    /// `b`
    Byte,
    /// `u`
    Number,
    /// `s`: the argument converted with `String`.
    Text,
    /// `v`
    Value,
    /// `r`: bytes without a length, the last field.
    Rest,
}

/// Type that an answer is unpacked to.
#[derive(Clone, Copy)]
pub(super) enum Gives {
    Nothing,
    Value,
    Bytes,
}

impl Shape {
    pub(super) fn new(ctx: &Ctx<'_>, name: &str, takes: &str, gives: &str) -> Result<Self> {
        let wrong = || Exception::throw_internal(ctx, "no such shape");
        let call = ToolCall::ALL.iter().find(|call| call.name() == name).ok_or_else(wrong)?;
        let fields = takes.bytes().map(|letter| match letter {
            b'0'..=b'9' => Ok(Field::Fixed(letter - b'0')),
            b'b' => Ok(Field::Byte),
            b'u' => Ok(Field::Number),
            b's' => Ok(Field::Text),
            b'v' => Ok(Field::Value),
            b'r' => Ok(Field::Rest),
            _ => Err(wrong()),
        });
        let takes = fields.collect::<Result<Vec<_>>>()?.leak();
        let gives = match gives {
            "" => Gives::Nothing,
            "v" => Gives::Value,
            "r" => Gives::Bytes,
            _ => return Err(wrong()),
        };
        Ok(Shape { call: *call, takes, gives })
    }

    /// Returns the number of arguments.
    pub(super) fn arity(&self) -> usize {
        self.takes.iter().filter(|field| !matches!(field, Field::Fixed(_))).count()
    }

    /// Appends the call as a request frame; leaves `frames` unchanged on failure.
    /// `arg` returns the argument at a position, `undefined` past the last. May run
    /// JavaScript.
    pub(super) fn pack<'js>(
        &self,
        ctx: &Ctx<'js>,
        frames: &mut Vec<u8>,
        arg: impl FnMut(usize) -> Result<Value<'js>>,
    ) -> Result<()> {
        let start = frames.len();
        let mut w = Writer::onto(std::mem::take(frames));
        frame::begin_request(&mut w, self.call);
        let packed = self.pack_fields(ctx, &mut w, arg);
        *frames = w.finish();
        let len = frames.len() - start;
        if packed.is_err() || len > frame::MAX_REQUEST {
            frames.truncate(start);
            let message = format!("a call of more than {} bytes", frame::MAX_REQUEST);
            return packed.and_then(|()| Err(Exception::throw_range(ctx, &message)));
        }
        frame::end_request(&mut frames[start..]);
        Ok(())
    }

    fn pack_fields<'js>(
        &self,
        ctx: &Ctx<'js>,
        w: &mut Writer,
        mut arg: impl FnMut(usize) -> Result<Value<'js>>,
    ) -> Result<()> {
        let mut taken = 0;
        let mut next = || {
            taken += 1;
            arg(taken - 1)
        };
        for field in self.takes {
            match field {
                Field::Fixed(byte) => _ = w.u8(*byte),
                Field::Byte => _ = w.u8(u8::from_js(ctx, next()?)?),
                Field::Number => _ = w.u32(u32::from_js(ctx, next()?)?),
                Field::Text => with_text(&next()?, |text| _ = w.str(text))?,
                Field::Value => match clone::pack(ctx, next()?, MAX_VALUE) {
                    Ok(bytes) => _ = w.bytes(&bytes),
                    Err(clone::Failed::Threw(error)) => return Err(error),
                    Err(clone::Failed::TooLong) => {
                        let message = format!("a value of more than {MAX_VALUE} bytes");
                        return Err(Exception::throw_range(ctx, &message));
                    }
                },
                Field::Rest => _ = w.raw(&Bytes::from_js(ctx, next()?)?.0),
            }
        }
        Ok(())
    }
}

impl Gives {
    /// Unpacks the payload of an answer.
    pub(super) fn unpack<'js>(self, ctx: &Ctx<'js>, payload: &[u8]) -> Result<Value<'js>> {
        match self {
            Gives::Nothing => Ok(Value::new_undefined(ctx.clone())),
            Gives::Value => clone::unpack(ctx, payload),
            Gives::Bytes => TypedArray::<u8>::new(ctx.clone(), payload).map(TypedArray::into_value),
        }
    }
}
