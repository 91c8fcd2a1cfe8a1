//! Key-value storage.

use cofferdam_abi::Value;
use cofferdam_abi::wire::{Malformed, Reader};
use cofferdam_caps::storage::StorageArea;

use crate::permitted::{ClearArea, ListKeys, ReadKey, WriteKey};
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

pub(super) fn get(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let key = ReadKey::new(area(io.fields)?, name(io.fields.str()?.parse())?);
    kernel.with_permit(key, io.answer, |resources, permit| {
        packed(&resources.storage().get(permit).map_or(Value::Null, Value::String))
    })
}

pub(super) fn set(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let (area, key, text) = (area(io.fields)?, io.fields.str()?, io.fields.string()?);
    let key = WriteKey::new(area, name(key.parse())?);
    kernel.with_permit(key, io.answer, move |resources, permit| {
        let set = resources.storage().set(permit, &text);
        set.map(|()| Vec::new()).map_err(|QuotaExceeded(needed)| {
            let message = format!("storage holds {STORAGE_BYTES} bytes, {needed} would be needed");
            CallError::new("QuotaExceededError", message)
        })
    })
}

pub(super) fn remove(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let key = WriteKey::new(area(io.fields)?, name(io.fields.str()?.parse())?);
    kernel.with_permit(key, io.answer, |resources, permit| {
        resources.storage().remove(permit);
        nothing()
    })
}

pub(super) fn keys(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let keys = ListKeys::new(area(io.fields)?);
    kernel.with_permit(keys, io.answer, |resources, permit| {
        let keys = resources.storage().keys(permit);
        packed(&Value::Array(keys.into_iter().map(Value::String).collect()))
    })
}

pub(super) fn clear(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let area = ClearArea::new(area(io.fields)?);
    kernel.with_permit(area, io.answer, |resources, permit| {
        resources.storage().clear(permit);
        nothing()
    })
}
