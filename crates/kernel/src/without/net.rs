//! The network of a build without the feature `net`: nothing can be reached.

/// Stands for `permitted::network`.
pub(crate) mod network {
    /// A network without a client.
    #[derive(Clone, Default)]
    pub struct Network(());
}

/// Stands for `shared::streams`.
pub(crate) mod streams {
    /// Response bodies, of which there are none.
    #[derive(Clone, Default)]
    pub(crate) struct Streams;
}

/// Stands for `tool::uploads`.
pub(crate) mod uploads {
    /// Request bodies, of which there are none.
    #[derive(Clone, Default)]
    pub(crate) struct Uploads;
}

/// Stands for `tool::calls::fetch`.
pub(crate) mod tool_calls {
    use crate::shared::crossing::CallIo;
    use crate::tool::kernel::{Kernel, Served};
    use crate::without::refusal;

    pub(crate) fn start(_: &mut Kernel, _: &mut CallIo<'_, '_>) -> Served {
        Err(refusal("net").into())
    }

    pub(crate) fn read(_: &mut Kernel, _: &mut CallIo<'_, '_>) -> Served {
        Err(refusal("net").into())
    }

    pub(crate) fn stop(_: &mut Kernel, _: &mut CallIo<'_, '_>) -> Served {
        Err(refusal("net").into())
    }

    pub(crate) fn body(_: &mut Kernel, _: &mut CallIo<'_, '_>) -> Served {
        Err(refusal("net").into())
    }

    pub(crate) fn send(_: &mut Kernel, _: &mut CallIo<'_, '_>) -> Served {
        Err(refusal("net").into())
    }

    pub(crate) fn drop(_: &mut Kernel, _: &mut CallIo<'_, '_>) -> Served {
        Err(refusal("net").into())
    }
}

/// Stands for `program::calls::fetch`.
pub(crate) mod program_calls {
    use std::task::Context;

    use crate::program::calls::Served;
    use crate::program::process::Process;
    use crate::shared::crossing::CallIo;
    use crate::without::refusal;

    pub(crate) fn poll_start(
        process: &mut Process,
        io: &mut CallIo<'_, '_>,
        _: &mut Context<'_>,
    ) -> Served {
        stop(process, io)
    }

    pub(crate) fn poll_read(
        process: &mut Process,
        io: &mut CallIo<'_, '_>,
        _: &mut Context<'_>,
    ) -> Served {
        stop(process, io)
    }

    pub(crate) fn stop(_: &Process, _: &mut CallIo<'_, '_>) -> Served {
        Err(refusal("net").with("kind", "other").into())
    }
}
