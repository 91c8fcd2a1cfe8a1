//! Substring and array slices, `${x:offset:length}`.

use super::value::{Got, Key, Named};
use crate::pattern::Chars;
use crate::shell::value::Value;
use crate::shell::{Flow, Shell};
use crate::syntax::ast::{ArithText, Text};

impl Shell {
    pub(super) fn slice(
        &mut self,
        named: &Named,
        offset: &ArithText,
        length: Option<&ArithText>,
    ) -> Result<Got, Flow> {
        let got = self.look_up(named)?;
        if self.options.nounset() && matches!(got, Got::Nothing) {
            let name = String::from_utf8_lossy(&named.name).into_owned();
            self.warn(&format!("{name}: unbound variable"));
            return Err(Flow::Fatal(1));
        }
        if matches!(got, Got::Nothing) {
            // As in bash, offsets of an unset parameter are not evaluated.
            return Ok(Got::Nothing);
        }
        let who = String::from_utf8_lossy(&named.name).into_owned();
        let mut number =
            |text| self.arith_or(text, &who).map_err(|flow| flow.unwrap_or(Flow::Discard(1)));
        let offset = number(offset)?;
        let length = length.map(number).transpose()?;
        match got {
            Got::Nothing => Ok(Got::Nothing),
            Got::One(text) => Ok(match self.slice_text(&text, offset, length)? {
                Some(text) => Got::One(text),
                None => Got::Nothing,
            }),
            Got::Many(list, star) => {
                if let Some(length) = length
                    && length < 0
                {
                    self.warn(&format!("{length}: substring expression < 0"));
                    return Err(Flow::Discard(1));
                }
                let positional = named.name == b"@" || named.name == b"*";
                let list = if positional {
                    let mut all = vec![self.arg0.clone()];
                    all.extend(list);
                    // A negative offset counts from the end.
                    let offset = if offset < 0 { offset + all.len() as i64 } else { offset };
                    take(&all, offset, length)
                } else {
                    self.slice_array(named, list, offset, length)
                };
                Ok(Got::Many(list, star))
            }
        }
    }

    fn slice_text(
        &mut self,
        text: &[u8],
        offset: i64,
        length: Option<i64>,
    ) -> Result<Option<Text>, Flow> {
        let chars = Chars::of(text, !self.is_utf8());
        let count = chars.len() as i64;
        let start = if offset < 0 { offset + count } else { offset };
        if start < 0 || start > count {
            return Ok(None);
        }
        let end = match length {
            None => count,
            Some(length) if length < 0 => {
                let end = count + length;
                if end < start {
                    self.warn(&format!("{length}: substring expression < 0"));
                    return Err(Flow::Discard(1));
                }
                end
            }
            Some(length) => start.saturating_add(length).min(count),
        };
        let (start, end) = (chars.offset(start as usize), chars.offset(end as usize));
        Ok(Some(text[start..end].to_vec()))
    }

    /// Slices an indexed array by index; in a sparse array, indexes differ from positions.
    fn slice_array(
        &mut self,
        named: &Named,
        list: Vec<Text>,
        offset: i64,
        length: Option<i64>,
    ) -> Vec<Text> {
        debug_assert!(matches!(named.index, Some(Key::At | Key::Star)));
        let place = self.resolve(&named.name);
        if let Some(Value::Indexed(map, _)) =
            self.vars.get(place.name.as_slice()).map(|var| &var.value)
        {
            let end = map.last_key_value().map_or(0, |(last, _)| last.wrapping_add(1));
            let start = if offset < 0 { offset.wrapping_add(end) } else { offset };
            if start < 0 {
                return Vec::new();
            }
            let count = length.map_or(usize::MAX, |length| length as usize);
            return map.range(start..).take(count).map(|(_, value)| value.clone()).collect();
        }
        // As in bash, elements of an associative array count from 1.
        let offset = if offset < 0 { offset + list.len() as i64 } else { (offset - 1).max(0) };
        take(&list, offset, length)
    }
}

fn take(list: &[Text], offset: i64, length: Option<i64>) -> Vec<Text> {
    let Ok(start) = usize::try_from(offset) else { return Vec::new() };
    let count = length.map_or(usize::MAX, |length| length.max(0) as usize);
    list.iter().skip(start).take(count).cloned().collect()
}
