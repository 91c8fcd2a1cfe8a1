//! Pages of a build without the feature `dom`: there are none.

/// Stands for `shared::page`.
pub(crate) mod page {
    /// The page of a sandbox, which has none.
    #[derive(Default)]
    pub struct Shown(());

    impl Shown {
        pub(crate) fn fork(&self) -> Self {
            Shown(())
        }
    }
}

/// Stands for `tool::calls::dom`.
pub(crate) mod tool_calls {
    use crate::shared::crossing::CallIo;
    use crate::tool::kernel::{Kernel, Served};
    use crate::without::refusal;

    /// A run's use of the page, which there is not.
    #[derive(Default)]
    pub(crate) struct PageUse;

    pub(crate) fn call(_: &mut Kernel, _: &mut CallIo<'_, '_>) -> Served {
        Err(refusal("dom").into())
    }
}
