//! Devices in `/dev`: the meaning of the tree's device nodes.

use cofferdam_vfs::DeviceId;

/// First number of the devices for a process's own descriptors.
const FIRST_DESCRIPTOR: u32 = 1 << 16;

/// Meaning of a device node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Device {
    /// Discards writes; reads are empty.
    Null,
    /// Endless zeros.
    Zero,
    /// Endless zeros; writes fail for lack of space.
    Full,
    /// Endless random bytes.
    Random,
    /// The terminal of the run, if it has one.
    Terminal,
    /// A named pipe, identified by its node.
    Fifo,
    /// The process's own descriptor of this number.
    Descriptor(u32),
}

impl Device {
    /// Devices with their names in `/dev`.
    pub(crate) const NAMED: [(&'static str, Device); 9] = [
        ("null", Device::Null),
        ("zero", Device::Zero),
        ("full", Device::Full),
        ("random", Device::Random),
        ("urandom", Device::Random),
        ("tty", Device::Terminal),
        ("stdin", Device::Descriptor(0)),
        ("stdout", Device::Descriptor(1)),
        ("stderr", Device::Descriptor(2)),
    ];

    pub(crate) fn id(self) -> DeviceId {
        DeviceId(match self {
            Device::Null => 1,
            Device::Zero => 2,
            Device::Full => 3,
            Device::Random => 4,
            Device::Terminal => 5,
            Device::Fifo => return DeviceId::FIFO,
            Device::Descriptor(fd) => FIRST_DESCRIPTOR.saturating_add(fd),
        })
    }

    pub(crate) fn of(id: DeviceId) -> Option<Device> {
        match id.0 {
            1 => Some(Device::Null),
            2 => Some(Device::Zero),
            3 => Some(Device::Full),
            4 => Some(Device::Random),
            5 => Some(Device::Terminal),
            _ if id == DeviceId::FIFO => Some(Device::Fifo),
            other => other.checked_sub(FIRST_DESCRIPTOR).map(Device::Descriptor),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_and_numbers_are_inverse() {
        for (_, device) in Device::NAMED {
            assert_eq!(Device::of(device.id()), Some(device));
        }
        assert_eq!(Device::of(Device::Fifo.id()), Some(Device::Fifo));
        assert_eq!(Device::of(DeviceId(9)), None);
    }
}
