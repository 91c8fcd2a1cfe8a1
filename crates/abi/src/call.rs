//! The closed table of host calls. Help, audit names and the dispatch on the host come from it.

macro_rules! calls {
    ($($(#[$doc:meta])* $number:literal $variant:ident $name:literal,)+) => {
        /// One host call. A number that is not here stops the run.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum Call {
            $($(#[$doc])* $variant = $number,)+
        }

        impl Call {
            /// Every call, in the order of the table.
            pub const ALL: &'static [Call] = &[$(Call::$variant,)+];

            /// The call of this number, if the table has one.
            pub const fn from_number(number: u16) -> Option<Call> {
                match number {
                    $($number => Some(Call::$variant),)+
                    _ => None,
                }
            }

            /// The name it has in errors and in the audit log.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Call::$variant => $name,)+
                }
            }
        }
    };
}

calls! {
    /// The rest of an answer that did not fit: no fields, answers the kept bytes as they are.
    0 Take "gate.take",
    /// `stream: u8 (1 output, 2 error), text: rest`; answers nothing.
    1 ConsoleWrite "console.write",
    /// No fields; answers `f64`, milliseconds since 1970.
    2 ClockWall "clock.wall",
    /// No fields; answers `f64`, milliseconds since the run began.
    3 ClockMonotonic "clock.monotonic",
    /// `count: u32`; answers so many random bytes.
    4 RandomBytes "random.bytes",
    /// `delay: f64` in milliseconds; pending, answered with nothing when the time has come.
    5 TimerStart "timer.start",
    /// `ticket: u32`; gives up a pending call. Answers nothing, also when it was answered already.
    6 TicketCancel "ticket.cancel",
}

impl Call {
    /// The number on the wire.
    pub const fn number(self) -> u16 {
        self as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_calls_are_inverse() {
        for &call in Call::ALL {
            assert_eq!(Call::from_number(call.number()), Some(call));
        }
    }

    #[test]
    fn a_number_outside_the_table_is_no_call() {
        assert_eq!(Call::from_number(u16::MAX), None);
    }
}
