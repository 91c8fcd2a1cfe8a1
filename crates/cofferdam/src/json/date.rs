//! Formats dates as JavaScript's `toISOString` does.

/// Greatest distance of a JavaScript date from 1970, in milliseconds.
const FARTHEST: f64 = 8.64e15;

/// Formats a date given in milliseconds since 1970. Returns `None` if the date is invalid.
pub(super) fn iso(ms: f64) -> Option<String> {
    if !(-FARTHEST..=FARTHEST).contains(&ms) {
        return None;
    }
    let ms = ms as i64;
    let (days, in_day) = (ms.div_euclid(86_400_000), ms.rem_euclid(86_400_000));
    let (year, month, day) = civil(days);
    let year = match year {
        0..=9999 => format!("{year:04}"),
        _ => format!("{}{:06}", if year < 0 { '-' } else { '+' }, year.abs()),
    };
    let (hour, minute) = (in_day / 3_600_000, in_day / 60_000 % 60);
    let (second, milli) = (in_day / 1000 % 60, in_day % 1000);
    Some(format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z"))
}

/// Converts days since 1970 to year, month and day of the Gregorian calendar. Years begin in March
/// here, so that the leap day is the last day of its year.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let shifted = (5 * day + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    (year, month, day - (153 * shifted + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(ms: f64, expect: &str) {
        assert_eq!(iso(ms).as_deref(), Some(expect));
    }

    #[test]
    fn dates_are_written_as_javascript_does() {
        check(0.0, "1970-01-01T00:00:00.000Z");
        check(951_782_400_123.0, "2000-02-29T00:00:00.123Z");
        check(-1.0, "1969-12-31T23:59:59.999Z");
        check(8.64e15, "+275760-09-13T00:00:00.000Z");
        check(-8.64e15, "-271821-04-20T00:00:00.000Z");
        check(-62_198_755_200_000.0, "-000001-01-01T00:00:00.000Z");
    }

    #[test]
    fn an_invalid_date_has_no_text() {
        assert_eq!(iso(f64::NAN), None);
        assert_eq!(iso(8.64e15 + 1.0), None);
    }
}
