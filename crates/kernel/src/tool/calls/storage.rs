//! Key-value storage.

use cofferdam_abi::Value;
use cofferdam_abi::wire::{Malformed, Reader};
use cofferdam_caps::storage::{Key, StorageArea};
use cofferdam_caps::{Access, Request};

use crate::shared::call_error::{CallError, name, nothing, packed};
use crate::shared::crossing::CallIo;
use crate::shared::resources::{QuotaExceeded, STORAGE_BYTES};
use crate::tool::kernel::{Kernel, Served};

fn area(fields: &mut Reader<'_>) -> Result<StorageArea, Malformed> {
    match fields.u8()? {
        0 => Ok(StorageArea::Local),
        1 => Ok(StorageArea::Session),
        _ => Err(fields.malformed("unknown area")),
    }
}

fn of_key(area: StorageArea, access: Access, key: &str) -> Result<Vec<Request>, CallError> {
    let key: Key = name(key.parse())?;
    Ok(vec![Request::Storage { area, access, key: Some(key) }])
}

pub(super) fn get(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let (area, key) = (area(io.fields)?, io.fields.string()?);
    let resources = kernel.settings.resources.clone();
    kernel.guarded(of_key(area, Access::Read, &key)?, io.answer, move |_| {
        resources.storage.with(area, |area| match area.get(&key) {
            Some(text) => packed(&Value::String(text.to_owned())),
            None => packed(&Value::Null),
        })
    })
}

pub(super) fn set(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let (area, key, text) = (area(io.fields)?, io.fields.string()?, io.fields.string()?);
    let resources = kernel.settings.resources.clone();
    kernel.guarded(of_key(area, Access::Write, &key)?, io.answer, move |_| {
        let set = resources.storage.with(area, |area| area.set(&key, &text));
        set.map(|()| Vec::new()).map_err(|QuotaExceeded(needed)| {
            let message = format!("storage holds {STORAGE_BYTES} bytes, {needed} would be needed");
            CallError::new("QuotaExceededError", message)
        })
    })
}

pub(super) fn remove(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let (area, key) = (area(io.fields)?, io.fields.string()?);
    let resources = kernel.settings.resources.clone();
    kernel.guarded(of_key(area, Access::Write, &key)?, io.answer, move |_| {
        resources.storage.with(area, |area| area.remove(&key));
        nothing()
    })
}

pub(super) fn keys(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let area = area(io.fields)?;
    let resources = kernel.settings.resources.clone();
    let request = Request::Storage { area, access: Access::Read, key: None };
    kernel.guarded(vec![request], io.answer, move |_| {
        let keys = resources.storage.with(area, |area| area.keys());
        packed(&Value::Array(keys.into_iter().map(Value::String).collect()))
    })
}

pub(super) fn clear(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let area = area(io.fields)?;
    let resources = kernel.settings.resources.clone();
    let request = Request::Storage { area, access: Access::Write, key: None };
    kernel.guarded(vec![request], io.answer, move |_| {
        resources.storage.with(area, |area| area.clear());
        nothing()
    })
}
