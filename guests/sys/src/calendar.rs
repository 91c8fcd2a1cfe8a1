//! Dates of the Gregorian calendar, in universal time or in a time zone.

use crate::zone::{Offset, offset_at};

/// A point in time split into calendar fields.
struct Moment {
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    weekday: i64,
    yearday: i64,
}

const DAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Returns the days from 1970-01-01 to a date; a month outside 1 to 12 carries into the year.
pub(crate) fn days(year: i64, month: i64, day: i64) -> i64 {
    let shifted = month - 1;
    let (year, month) = (year + shifted.div_euclid(12), shifted.rem_euclid(12) + 1);
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

impl Moment {
    fn at(seconds: i64) -> Self {
        let since = seconds.div_euclid(86_400);
        let rest = seconds.rem_euclid(86_400);
        let shifted = since + 719_468;
        let era = shifted.div_euclid(146_097);
        let of_era = shifted.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_shifted = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month_shifted + 2) / 5 + 1;
        let month = if month_shifted < 10 { month_shifted + 3 } else { month_shifted - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Moment {
            year,
            month,
            day,
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60,
            weekday: (since + 4).rem_euclid(7),
            yearday: since - days(year, 1, 1),
        }
    }

    /// Returns the ISO 8601 year and week number.
    fn week(&self) -> (i64, i64) {
        let weekday = (self.weekday + 6) % 7;
        let week = (self.yearday - weekday + 10) / 7;
        let weeks = |year: i64| {
            let first = (days(year, 1, 1) + 3).rem_euclid(7);
            let long = first == 3 || (first == 2 && days(year + 1, 1, 1) - days(year, 1, 1) == 366);
            if long { 53 } else { 52 }
        };
        if week < 1 {
            (self.year - 1, weeks(self.year - 1))
        } else if week > weeks(self.year) {
            (self.year + 1, 1)
        } else {
            (self.year, week)
        }
    }
}

/// Parses `YYYY MM DD HH MM SS` into seconds since 1970, or returns `None` if it is malformed.
pub fn from_text(text: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(text).ok()?;
    let numbers: Vec<i64> =
        text.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    let [year, month, day, hour, minute, second] = *numbers.get(..6)? else { return None };
    if numbers.iter().any(|number| number.abs() > 1_000_000_000) {
        return None;
    }
    Some((days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second) as f64)
}

/// Parses `2024-01-31`, optionally followed by a time, or `@SECONDS`, into seconds since 1970.
pub fn parse(text: &str) -> Option<i64> {
    let text = text.trim().trim_end_matches(['Z', 'z']);
    if let Some(seconds) = text.strip_prefix('@') {
        return seconds.parse().ok();
    }
    let (date, clock) = text.split_once([' ', 'T']).unwrap_or((text, "00:00:00"));
    let mut date = date.split('-').map(str::parse::<i64>);
    let (year, month, day) = (date.next()?.ok()?, date.next()?.ok()?, date.next()?.ok()?);
    let clock = clock.split('.').next()?;
    let mut clock = clock.split(':').map(str::parse::<i64>);
    let hour = clock.next()?.ok()?;
    let minute = clock.next().transpose().ok()?.unwrap_or(0);
    let second = clock.next().transpose().ok()?.unwrap_or(0);
    let fine = (0..10_000).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && (0..24).contains(&hour)
        && (0..60).contains(&minute)
        && (0..=60).contains(&second);
    fine.then(|| days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second)
}

/// Returns the year of a time.
pub(crate) fn year_of(seconds: i64) -> i64 {
    Moment::at(seconds).year
}

/// Formats a time like [`format`], in the zone of the environment variable `TZ`.
pub fn local(format: &[u8], seconds: i64) -> Vec<u8> {
    in_zone(format, seconds, std::env::var("TZ").ok().as_deref())
}

/// Formats a time like [`format`], in the zone of a value of `TZ`.
pub fn in_zone(format: &[u8], seconds: i64, zone: Option<&str>) -> Vec<u8> {
    format_at(format, seconds, &offset_at(zone, seconds))
}

/// Formats seconds since 1970 according to a `strftime` format, in universal time.
pub fn format(format: &[u8], seconds: i64) -> Vec<u8> {
    format_at(format, seconds, &Offset::utc())
}

fn format_at(format: &[u8], seconds: i64, offset: &Offset) -> Vec<u8> {
    let moment = Moment::at(seconds.saturating_add(offset.seconds));
    let mut out = Vec::new();
    let mut bytes = format.iter();
    while let Some(byte) = bytes.next() {
        if *byte != b'%' {
            out.push(*byte);
            continue;
        }
        let mut flag = None;
        let mut conversion = bytes.next();
        if let Some(mark @ (b'-' | b'_' | b'E' | b'O')) = conversion {
            flag = Some(*mark);
            conversion = bytes.next();
        }
        match conversion {
            Some(conversion) => one(&mut out, *conversion, flag, &moment, (seconds, offset)),
            None => out.push(b'%'),
        }
    }
    out
}

fn one(
    out: &mut Vec<u8>,
    conversion: u8,
    flag: Option<u8>,
    moment: &Moment,
    (seconds, offset): (i64, &Offset),
) {
    let Moment { year, month, day, hour, minute, second, weekday, yearday } = *moment;
    let two = |number: i64| match flag {
        Some(b'-') => number.to_string(),
        Some(b'_') => format!("{number:2}"),
        _ => format!("{number:02}"),
    };
    let twelve = (hour + 11) % 12 + 1;
    let text = match conversion {
        b'Y' => year.to_string(),
        b'C' => two(year.div_euclid(100)),
        b'y' => two(year.rem_euclid(100)),
        b'm' => two(month),
        b'd' => two(day),
        b'e' if flag == Some(b'-') => day.to_string(),
        b'e' => format!("{day:2}"),
        b'H' => two(hour),
        b'I' => two(twelve),
        b'k' => format!("{hour:2}"),
        b'l' => format!("{twelve:2}"),
        b'M' => two(minute),
        b'S' => two(second),
        b'j' if flag == Some(b'-') => (yearday + 1).to_string(),
        b'j' => format!("{:03}", yearday + 1),
        b'p' => (if hour < 12 { "AM" } else { "PM" }).to_owned(),
        b'P' => (if hour < 12 { "am" } else { "pm" }).to_owned(),
        b'a' => DAYS[weekday as usize][..3].to_owned(),
        b'A' => DAYS[weekday as usize].to_owned(),
        b'b' | b'h' => MONTHS[month as usize - 1][..3].to_owned(),
        b'B' => MONTHS[month as usize - 1].to_owned(),
        b'u' => ((weekday + 6) % 7 + 1).to_string(),
        b'w' => weekday.to_string(),
        b'U' => two((yearday + 7 - weekday) / 7),
        b'W' => two((yearday + 7 - (weekday + 6) % 7) / 7),
        b'V' => two(moment.week().1),
        b'G' => moment.week().0.to_string(),
        b'g' => two(moment.week().0.rem_euclid(100)),
        b'F' => format!("{year}-{month:02}-{day:02}"),
        b'T' | b'X' => format!("{hour:02}:{minute:02}:{second:02}"),
        b'R' => format!("{hour:02}:{minute:02}"),
        b'r' => {
            let half = if hour < 12 { "AM" } else { "PM" };
            format!("{twelve:02}:{minute:02}:{second:02} {half}")
        }
        b'D' | b'x' => format!("{month:02}/{day:02}/{:02}", year.rem_euclid(100)),
        b'c' => {
            let (weekday, month) = (&DAYS[weekday as usize][..3], &MONTHS[month as usize - 1][..3]);
            format!("{weekday} {month} {day:2} {hour:02}:{minute:02}:{second:02} {year}")
        }
        b's' => seconds.to_string(),
        b'z' => offset.digits(),
        b'Z' => offset.name.clone(),
        b'n' => "\n".to_owned(),
        b't' => "\t".to_owned(),
        b'%' => "%".to_owned(),
        other => format!("%{}", char::from(other)),
    };
    out.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_match_the_gregorian_calendar() {
        assert_eq!(format(b"%F %T %a %j", 0), b"1970-01-01 00:00:00 Thu 001");
        assert_eq!(format(b"%F", 951_782_400), b"2000-02-29");
        let berlin = in_zone(b"%F %T %z %Z %s", 1_720_000_000, Some("Europe/Berlin"));
        assert_eq!(berlin, b"2024-07-03 11:46:40 +0200 CEST 1720000000");
        assert_eq!(format(b"%G-W%V", 1_609_459_200), b"2020-W53");
        assert_eq!(from_text(b"2000 02 29 00 00 00"), Some(951_782_400.0));
    }
}
