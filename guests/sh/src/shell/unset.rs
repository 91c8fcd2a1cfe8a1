//! Removal of variables and elements.

use super::scope::wrapped;
use super::value::{Value, Var, flag};
use super::vars::Name;
use super::{Flow, Shell};

impl Shell {
    /// Implements `unset name`; a caller's local of that name is removed, which reveals the outer
    /// variable.
    pub fn unset(&mut self, name: &[u8]) -> Result<(), Flow> {
        let is_fixed = super::scope::is_fixed(name);
        if is_fixed || self.vars.get(name).is_some_and(|var| var.has(flag::READONLY)) {
            let name = String::from_utf8_lossy(name).into_owned();
            self.warn(&format!("unset: {name}: cannot unset: readonly variable"));
            return Err(Flow::Discard(1));
        }
        self.lose(name);
        let found = self.vars.remove(name).is_some();
        let innermost = self.frames.iter().rposition(|frame| frame.is_function);
        let Some(innermost) = innermost else {
            self.noticed(name);
            return Ok(());
        };
        let here = self.frames[innermost].saved.iter().any(|(saved, _)| **saved == *name);
        let temporary = self.frames[innermost].temporary;
        let at = self.frames[innermost].saved.iter().position(|(saved, _)| **saved == *name);
        if let Some(at) = at.filter(|at| *at < temporary && found) {
            let frame = &mut self.frames[innermost];
            frame.temporary -= 1;
            let (name, old) = frame.saved.remove(at);
            if let Some(old) = old {
                self.vars.insert(name, old);
            }
            return Ok(());
        }
        if here || !found {
            // The name stays local without a value until the function returns.
            if here && found {
                let var = Var { value: Value::Unset, flags: 0 };
                self.vars.insert(Name::from(name), var);
            }
            self.noticed(name);
            return Ok(());
        }
        let stays = self.options.is_shopt("localvar_unset") == Some(true);
        for frame in self.frames[..innermost].iter_mut().rev() {
            if stays && frame.saved.iter().any(|(saved, _)| **saved == *name) {
                let var = Var { value: Value::Unset, flags: 0 };
                self.vars.insert(Name::from(name), var);
                break;
            }
            if let Some(at) = frame.saved.iter().position(|(saved, _)| **saved == *name) {
                let (name, old) = frame.saved.remove(at);
                if let Some(old) = old {
                    self.vars.insert(name, old);
                }
                break;
            }
        }
        self.noticed(name);
        Ok(())
    }

    /// Implements `unset name[index]`.
    pub fn unset_element(&mut self, name: &[u8], index: &[u8]) -> Result<(), Flow> {
        let place = self.resolve(name);
        if self.vars.get(place.name.as_slice()).is_some_and(|var| var.has(flag::READONLY)) {
            let name = String::from_utf8_lossy(&place.name).into_owned();
            self.warn(&format!("unset: {name}: cannot unset: readonly variable"));
            return Err(Flow::Discard(1));
        }
        if let Some(Value::Assoc(map, _)) =
            self.vars.get_mut(place.name.as_slice()).map(|var| &mut var.value)
        {
            map.remove(index);
            return Ok(());
        }
        if index == b"@" || index == b"*" {
            match self.vars.get_mut(place.name.as_slice()).map(|var| &mut var.value) {
                Some(Value::Indexed(map, _)) => map.clear(),
                _ => {
                    self.vars.remove(place.name.as_slice());
                }
            }
            return Ok(());
        }
        if !self.vars.contains_key(place.name.as_slice()) {
            return Ok(());
        }
        let at = self.number_of(index)?;
        match self.vars.get_mut(place.name.as_slice()).map(|var| &mut var.value) {
            Some(Value::Indexed(map, _)) => match wrapped(map, at) {
                Some(at) => {
                    map.remove(&at);
                }
                None => {
                    let index = String::from_utf8_lossy(index).into_owned();
                    self.warn(&format!("unset: [{index}]: bad array subscript"));
                    return Err(Flow::Discard(1));
                }
            },
            Some(Value::Scalar(_) | Value::Unset) if at == 0 => {
                self.vars.remove(place.name.as_slice());
            }
            Some(_) => {
                let name = String::from_utf8_lossy(name).into_owned();
                self.warn(&format!("unset: {name}: not an array variable"));
                return Err(Flow::Discard(1));
            }
            None => {}
        }
        Ok(())
    }
}
