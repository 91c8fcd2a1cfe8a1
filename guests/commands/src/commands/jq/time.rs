//! Dates and times, all in universal time.

use super::json::Json;

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

/// Returns the days from 1970 to a date; months and days may be out of range.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = year + month.div_euclid(12);
    let month = month.rem_euclid(12) + 1;
    // Years begin in March, so that the leap day is the last one.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Returns year, month (from 0) and day of a number of days since 1970.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = (month + 2) % 12;
    (era * 400 + year + i64::from(month < 2), month, day)
}

/// Furthest time from 1970 that is calculated with, in seconds.
const MAX_SECONDS: f64 = 1e14;

/// Returns the broken-down time of a number of seconds.
pub(super) fn broken(seconds: f64) -> Result<Json, String> {
    if seconds.is_nan() || seconds.abs() >= MAX_SECONDS {
        return Err("error converting number of seconds since epoch to datetime".to_owned());
    }
    let whole = seconds.floor();
    let (day, of_day) = ((whole as i64).div_euclid(86_400), (whole as i64).rem_euclid(86_400));
    let (year, month, of_month) = date(day);
    let second = (of_day % 60) as f64 + (seconds - whole);
    let number = |n: i64| Json::from(n as f64);
    Ok(vec![
        number(year),
        number(month),
        number(of_month),
        number(of_day / 3600),
        number(of_day / 60 % 60),
        second.into(),
        number((day + 4).rem_euclid(7)),
        number(day - days(year, 0, 1)),
    ]
    .into())
}

/// Returns the seconds of a broken-down time, which `name` requires.
pub(super) fn seconds(value: &Json, name: &str) -> Result<f64, String> {
    let wrong = || format!("{name} requires array of 6 numbers");
    let Json::Arr(parts) = value else { return Err(wrong()) };
    let mut numbers = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    for (at, part) in parts.items().iter().take(6).enumerate() {
        let Json::Num(number, _) = part else {
            return Err(format!("{name} requires parsed datetime inputs"));
        };
        if number.is_nan() || number.abs() >= 1e9 {
            return Err(format!("{name} requires parsed datetime inputs"));
        }
        numbers[at] = *number;
    }
    if parts.items().len() < 3 {
        return Err(wrong());
    }
    let [year, month, day, hour, minute, second] = numbers;
    let days = days(year as i64, month as i64, day as i64);
    Ok((days * 86_400 + hour as i64 * 3600 + minute as i64 * 60) as f64 + second.floor())
}

/// Returns a time as the local clock shows it.
pub(super) fn on_clock(seconds: f64) -> f64 {
    seconds + zone(seconds).seconds as f64
}

/// Formats a time of the local clock, with the name of its zone.
pub(super) fn format_clock(seconds: f64, format: &str) -> String {
    let zone = zone(seconds);
    let format = format.replace("%Z", &zone.name).replace("%z", &zone.digits());
    self::format(seconds, &format)
}

fn zone(seconds: f64) -> cofferdam_guest_sys::zone::Offset {
    let zone = std::env::var("TZ").ok();
    cofferdam_guest_sys::zone::offset_at(zone.as_deref(), seconds.floor() as i64)
}

/// Formats a time given in seconds.
pub(super) fn format(seconds: f64, format: &str) -> String {
    let bytes = cofferdam_guest_sys::calendar::format(format.as_bytes(), seconds.floor() as i64);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Parses a text by a format into a broken-down time.
pub(super) fn parse(text: &str, format: &str) -> Result<Json, String> {
    let wrong = || format!("date \"{text}\" does not match format \"{format}\"");
    let mut scan = Scan {
        rest: text,
        year: 1900,
        month: 0,
        day: 0,
        hour: 0,
        minute: 0,
        second: 0,
        afternoon: None,
        epoch: None,
        week_day: None,
        year_day: None,
    };
    scan.format(format, 0).ok_or_else(wrong)?;
    if !scan.rest.is_empty() {
        return Err(wrong());
    }
    if let Some(afternoon) = scan.afternoon {
        scan.hour = scan.hour % 12 + if afternoon { 12 } else { 0 };
    }
    if let Some(epoch) = scan.epoch {
        return broken(epoch as f64);
    }
    let number = |n: i64| Json::from(n as f64);
    let day = days(scan.year, scan.month, scan.day.max(1));
    Ok(vec![
        number(scan.year),
        number(scan.month),
        number(scan.day),
        number(scan.hour),
        number(scan.minute),
        number(scan.second),
        number(scan.week_day.unwrap_or((day + 4).rem_euclid(7))),
        number(scan.year_day.unwrap_or(day - days(scan.year, 0, 1))),
    ]
    .into())
}

struct Scan<'a> {
    rest: &'a str,
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    afternoon: Option<bool>,
    epoch: Option<i64>,
    week_day: Option<i64>,
    year_day: Option<i64>,
}

impl Scan<'_> {
    fn format(&mut self, format: &str, depth: usize) -> Option<()> {
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            if c.is_whitespace() {
                self.rest = self.rest.trim_start();
                continue;
            }
            if c != '%' {
                self.rest = self.rest.strip_prefix(c)?;
                continue;
            }
            let mut letter = chars.next()?;
            if matches!(letter, 'E' | 'O' | '-') {
                letter = chars.next()?;
            }
            match letter {
                'Y' => self.year = self.number(4)?,
                'm' => self.month = self.number(2)? - 1,
                'd' | 'e' => self.day = self.number(2)?,
                'H' | 'k' => self.hour = self.number(2)?,
                'I' | 'l' => self.hour = self.number(2)?,
                'M' => self.minute = self.number(2)?,
                'S' => self.second = self.number(2)?,
                'y' => {
                    let year = self.number(2)?;
                    self.year = if year < 69 { 2000 + year } else { 1900 + year };
                }
                'j' => self.year_day = Some(self.number(3)? - 1),
                's' => self.epoch = Some(self.number(18)?),
                'u' => self.week_day = Some(self.number(1)? % 7),
                'w' => self.week_day = Some(self.number(1)?),
                'a' | 'A' => self.week_day = Some(self.name(&DAYS)?),
                'b' | 'B' | 'h' => self.month = self.name(&MONTHS)?,
                'p' => self.afternoon = Some(self.name(&["AM.", "PM."])? == 1),
                'Z' => {
                    self.rest = self.rest.trim_start_matches(|c: char| c.is_ascii_alphabetic());
                }
                'z' => self.zone()?,
                'n' | 't' => self.rest = self.rest.trim_start(),
                '%' => self.rest = self.rest.strip_prefix('%')?,
                'T' if depth == 0 => self.format("%H:%M:%S", 1)?,
                'R' if depth == 0 => self.format("%H:%M", 1)?,
                'D' if depth == 0 => self.format("%m/%d/%y", 1)?,
                'F' if depth == 0 => self.format("%Y-%m-%d", 1)?,
                'c' if depth == 0 => self.format("%a %b %e %H:%M:%S %Y", 1)?,
                _ => return None,
            }
        }
        Some(())
    }

    fn number(&mut self, most: usize) -> Option<i64> {
        self.rest = self.rest.trim_start();
        let sign = self.rest.strip_prefix('-').or(self.rest.strip_prefix('+'));
        let negative = self.rest.starts_with('-');
        let digits = sign.unwrap_or(self.rest);
        let end = digits.bytes().take(most).take_while(u8::is_ascii_digit).count();
        let number: i64 = digits[..end].parse().ok()?;
        self.rest = &digits[end..];
        Some(if negative { -number } else { number })
    }

    /// Takes a name or its first three letters, and returns its place in the list.
    fn name(&mut self, names: &[&str]) -> Option<i64> {
        let starts = |name: &str| {
            self.rest.get(..name.len()).is_some_and(|text| text.eq_ignore_ascii_case(name))
        };
        for (at, name) in names.iter().enumerate() {
            let short = if name.ends_with('.') { &name[..2] } else { &name[..3] };
            let len = if starts(name) { name.len() } else { short.len() };
            if starts(name) || starts(short) {
                self.rest = &self.rest[len..];
                return Some(at as i64);
            }
        }
        None
    }

    fn zone(&mut self) -> Option<()> {
        if let Some(rest) = self.rest.strip_prefix('Z') {
            self.rest = rest;
            return Some(());
        }
        if !self.rest.starts_with(['+', '-']) {
            return None;
        }
        self.rest = &self.rest[1..];
        self.number(2)?;
        self.rest = self.rest.strip_prefix(':').unwrap_or(self.rest);
        if self.rest.starts_with(|c: char| c.is_ascii_digit()) {
            self.number(2)?;
        }
        Some(())
    }
}
