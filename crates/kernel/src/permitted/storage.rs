//! Key-value storage behind permits.

use cofferdam_broker::{Action, Permit};
use cofferdam_caps::storage::{Key, StorageArea};
use cofferdam_caps::{Access, Request};

use crate::shared::resources::{self, QuotaExceeded};

/// Key-value storage of a sandbox.
///
/// A key alone reads nothing:
///
/// ```compile_fail
/// use cofferdam_kernel::permitted::{ReadKey, Storage};
///
/// fn read(storage: Storage<'_>, key: ReadKey) -> Option<String> {
///     storage.get(key)
/// }
/// ```
///
/// A permit to read does not write, and a permit is used up by its first use:
///
/// ```compile_fail
/// use cofferdam_broker::Permit;
/// use cofferdam_kernel::permitted::{ReadKey, Storage};
///
/// fn write(storage: Storage<'_>, permit: Permit<ReadKey>) {
///     let _ = storage.set(permit, "text");
/// }
/// ```
///
/// ```compile_fail
/// use cofferdam_broker::Permit;
/// use cofferdam_kernel::permitted::{Storage, WriteKey};
///
/// fn twice(storage: Storage<'_>, permit: Permit<WriteKey>) {
///     storage.remove(permit);
///     storage.remove(permit);
/// }
/// ```
///
/// The permit opens the key that was checked:
///
/// ```
/// use cofferdam_broker::Permit;
/// use cofferdam_kernel::permitted::{ReadKey, Storage};
///
/// fn read(storage: Storage<'_>, permit: Permit<ReadKey>) -> Option<String> {
///     storage.get(permit)
/// }
/// ```
#[derive(Clone, Copy)]
pub struct Storage<'a> {
    storage: &'a resources::Storage,
}

/// Reading one key.
pub struct ReadKey {
    area: StorageArea,
    key: Key,
}

/// Setting or removing one key.
pub struct WriteKey {
    area: StorageArea,
    key: Key,
}

/// Listing the keys of an area.
pub struct ListKeys {
    area: StorageArea,
}

/// Removing every key of an area.
pub struct ClearArea {
    area: StorageArea,
}

impl ReadKey {
    /// Names a key of an area.
    pub fn new(area: StorageArea, key: Key) -> Self {
        ReadKey { area, key }
    }
}

impl WriteKey {
    /// Names a key of an area.
    pub fn new(area: StorageArea, key: Key) -> Self {
        WriteKey { area, key }
    }
}

impl ListKeys {
    /// Names an area.
    pub fn new(area: StorageArea) -> Self {
        ListKeys { area }
    }
}

impl ClearArea {
    /// Names an area.
    pub fn new(area: StorageArea) -> Self {
        ClearArea { area }
    }
}

impl Action for ReadKey {
    fn request(&self) -> Request {
        Request::Storage { area: self.area, access: Access::Read, key: Some(self.key.clone()) }
    }
}

impl Action for WriteKey {
    fn request(&self) -> Request {
        Request::Storage { area: self.area, access: Access::Write, key: Some(self.key.clone()) }
    }
}

impl Action for ListKeys {
    fn request(&self) -> Request {
        Request::Storage { area: self.area, access: Access::Read, key: None }
    }
}

impl Action for ClearArea {
    fn request(&self) -> Request {
        Request::Storage { area: self.area, access: Access::Write, key: None }
    }
}

impl<'a> Storage<'a> {
    pub(super) fn new(storage: &'a resources::Storage) -> Self {
        Storage { storage }
    }

    /// Returns the text of a key.
    pub fn get(self, permit: Permit<ReadKey>) -> Option<String> {
        let ReadKey { area, key } = permit.into_action();
        self.storage.with(area, |area| area.get(key.as_str()).map(str::to_owned))
    }

    /// Sets a key, or changes nothing if the area has no room.
    pub fn set(self, permit: Permit<WriteKey>, text: &str) -> Result<(), QuotaExceeded> {
        let WriteKey { area, key } = permit.into_action();
        self.storage.with(area, |area| area.set(key.as_str(), text))
    }

    /// Removes a key.
    pub fn remove(self, permit: Permit<WriteKey>) {
        let WriteKey { area, key } = permit.into_action();
        self.storage.with(area, |area| area.remove(key.as_str()));
    }

    /// Returns the keys of an area in the order in which they were first set.
    pub fn keys(self, permit: Permit<ListKeys>) -> Vec<String> {
        self.storage.with(permit.into_action().area, |area| area.keys())
    }

    /// Removes every key of an area.
    pub fn clear(self, permit: Permit<ClearArea>) {
        self.storage.with(permit.into_action().area, |area| area.clear());
    }
}
