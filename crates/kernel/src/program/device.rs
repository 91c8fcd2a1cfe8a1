//! Devices in `/dev`: what the nodes of the tree mean.

use cofferdam_vfs::DeviceId;

/// First number of the devices that stand for a process's own descriptors.
const FIRST_DESCRIPTOR: u32 = 1 << 16;

/// What a device node stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Device {
    /// Takes everything, has nothing.
    Null,
    /// Zeros without end.
    Zero,
    /// Zeros without end, and never any room.
    Full,
    /// Random bytes without end.
    Random,
    /// The terminal of a run that has one.
    Terminal,
    /// A named pipe, told from others by its node.
    Fifo,
    /// The process's own descriptor of this number.
    Descriptor(u32),
}

impl Device {
    /// Those with a name of their own in `/dev`.
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
