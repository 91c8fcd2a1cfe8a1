//! Points in time for grants and audit lines.
//!
//! They are integers rather than `SystemTime`, because ledgers store and compare them.

use std::fmt;
use std::time::{Duration, SystemTime};

/// A point in time, in microseconds since the Unix epoch. Displays as RFC 3339 in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(u64);

/// Source of the current time; fixed in tests.
pub type Clock = std::sync::Arc<dyn Fn() -> Timestamp + Send + Sync>;

impl Timestamp {
    /// Creates a timestamp from microseconds since the Unix epoch.
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    /// Returns the microseconds since the Unix epoch.
    pub const fn micros(self) -> u64 {
        self.0
    }

    /// Returns the time of the system clock, or the epoch if the clock is set before it.
    pub fn now() -> Self {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self(u64::try_from(since.as_micros()).unwrap_or(u64::MAX))
    }

    /// Returns the time `duration` later, saturating at `i64::MAX` microseconds.
    pub fn after(self, duration: Duration) -> Self {
        let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        // SQLite integers are signed.
        Self(self.0.saturating_add(micros).min(i64::MAX as u64))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0 / 1_000_000;
        let (year, month, day) = civil(seconds / 86_400);
        let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
        let micros = self.0 % 1_000_000;
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z")
    }
}

/// Returns year, month and day in the proleptic Gregorian calendar.
///
/// Counts years from March, so that a leap day is the last day of its year, and in cycles of 400
/// years.
fn civil(days_since_1970: u64) -> (u64, u64, u64) {
    let days = days_since_1970 + 719_468;
    let (cycle, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month + 2) / 5 + 1;
    let year = year + cycle * 400;
    match month < 10 {
        true => (year, month + 3, day_of_month),
        false => (year + 1, month - 9, day_of_month),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(seconds: u64, expect: &str) {
        assert_eq!(Timestamp::from_micros(seconds * 1_000_000 + 42).to_string(), expect);
    }

    #[test]
    fn moments_are_written_as_rfc_3339() {
        check(0, "1970-01-01T00:00:00.000042Z");
        check(951_782_400, "2000-02-29T00:00:00.000042Z");
        check(951_868_799, "2000-02-29T23:59:59.000042Z");
        check(951_868_800, "2000-03-01T00:00:00.000042Z");
        check(4_107_542_399, "2100-02-28T23:59:59.000042Z");
        check(4_107_542_400, "2100-03-01T00:00:00.000042Z");
        check(1_794_787_200, "2026-11-16T00:00:00.000042Z");
    }

    #[test]
    fn the_end_of_time_is_no_panic() {
        assert!(Timestamp::from_micros(u64::MAX).to_string().starts_with("586524-"));
        assert_eq!(Timestamp::now().after(Duration::MAX).micros(), i64::MAX as u64);
    }
}
