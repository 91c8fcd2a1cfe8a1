//! Dates: the forms of `--date` and what people write.

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const DAY: i64 = 86_400;

/// Form of a date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Form {
    Default,
    Iso,
    IsoStrict,
    Rfc,
    Short,
    Unix,
    Raw,
    Relative,
    Human,
    Format(String),
    /// The form in the zone of the reader, which is universal time.
    Local(Box<Form>),
}

impl Form {
    /// Returns the form that `--date=` names.
    pub(crate) fn parse(name: &str) -> Option<Form> {
        if name == "local" {
            return Some(Form::Local(Box::new(Form::Default)));
        }
        if let Some(format) = name.strip_prefix("format-local:") {
            return Some(Form::Local(Box::new(Form::Format(format.to_owned()))));
        }
        if let Some(form) = name.strip_suffix("-local") {
            return Some(Form::Local(Box::new(Form::parse(form)?)));
        }
        Some(match name {
            "default" | "normal" => Form::Default,
            "iso" | "iso8601" => Form::Iso,
            "iso-strict" | "iso8601-strict" => Form::IsoStrict,
            "rfc" | "rfc2822" => Form::Rfc,
            "short" => Form::Short,
            "unix" => Form::Unix,
            "raw" => Form::Raw,
            "relative" => Form::Relative,
            "human" => Form::Human,
            other => Form::Format(other.strip_prefix("format:")?.to_owned()),
        })
    }
}

/// Parses `+0130` into minutes.
pub(crate) fn zone(text: &str) -> Option<i32> {
    if text == "Z" || text == "UTC" || text == "GMT" {
        return Some(0);
    }
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits: String = text[1..].chars().filter(|c| *c != ':').collect();
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let number: i32 = digits.parse().ok()?;
    match digits.len() {
        2 => Some(sign * number * 60),
        4 => Some(sign * (number / 100 * 60 + number % 100)),
        _ => None,
    }
}

/// Writes a zone as `+0130`.
pub(crate) fn zone_text(minutes: i32) -> String {
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("{sign}{:02}{:02}", minutes.abs() / 60, minutes.abs() % 60)
}

struct Civil {
    year: i64,
    month: usize,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    weekday: usize,
}

fn civil(seconds: i64) -> Civil {
    let days = seconds.div_euclid(DAY);
    let rest = seconds.rem_euclid(DAY);
    // Days from the civil calendar, with years that begin in March.
    let z = days.saturating_add(719_468);
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    Civil {
        year: yoe + era * 400 + i64::from(month <= 2),
        month: (month - 1) as usize,
        day: doy - (153 * mp + 2) / 5 + 1,
        hour: rest / 3600,
        minute: rest / 60 % 60,
        second: rest % 60,
        weekday: (days + 4).rem_euclid(7) as usize,
    }
}

fn from_civil(year: i64, month: i64, day: i64) -> i64 {
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let yoe = y.rem_euclid(400);
    let mp = if month > 2 { month - 3 } else { month + 9 };
    let doe = yoe * 365 + yoe / 4 - yoe / 100 + (153 * mp + 2) / 5 + day - 1;
    (era * 146_097 + doe - 719_468) * DAY
}

/// Formats a time.
pub(crate) fn format(form: &Form, seconds: i64, zone: i32, now: i64) -> String {
    let local = seconds.saturating_add(i64::from(zone) * 60);
    let c = civil(local);
    let (month, weekday) = (MONTHS[c.month], DAYS[c.weekday]);
    let clock = format!("{:02}:{:02}:{:02}", c.hour, c.minute, c.second);
    let day = format!("{:04}-{:02}-{:02}", c.year, c.month + 1, c.day);
    let offset = zone_text(zone);
    match form {
        Form::Default => format!("{weekday} {month} {} {clock} {} {offset}", c.day, c.year),
        Form::Iso => format!("{day} {clock} {offset}"),
        Form::IsoStrict if zone == 0 => format!("{day}T{clock}Z"),
        Form::IsoStrict => format!("{day}T{clock}{}:{}", &offset[..3], &offset[3..]),
        Form::Rfc => format!("{weekday}, {} {month} {} {clock} {offset}", c.day, c.year),
        Form::Short => day,
        Form::Unix => seconds.to_string(),
        Form::Raw => format!("{seconds} {offset}"),
        Form::Relative => relative(seconds, now),
        Form::Human => human(seconds, zone, now),
        // The default form shows no zone that everyone knows.
        Form::Local(form) if **form == Form::Default => {
            let text = self::format(form, seconds, 0, now);
            text.strip_suffix(" +0000").unwrap_or(&text).to_owned()
        }
        Form::Local(form) => self::format(form, seconds, 0, now),
        Form::Format(format) => {
            let format = format.replace("%z", &offset).replace("%Z", "");
            let text = cofferdam_guest_sys::calendar::format(format.as_bytes(), local);
            String::from_utf8_lossy(&text).into_owned()
        }
    }
}

/// Formats a time with the parts that a reader does not know by now.
fn human(seconds: i64, zone: i32, now: i64) -> String {
    let then = civil(seconds.saturating_add(i64::from(zone) * 60));
    let today = civil(now);
    let is_same_year = then.year == today.year;
    let days = now.div_euclid(DAY) - seconds.div_euclid(DAY);
    if is_same_year && then.month == today.month && days == 0 {
        return relative(seconds, now);
    }
    let clock = format!("{:02}:{:02}", then.hour, then.minute);
    let offset = if zone == 0 { String::new() } else { format!(" {}", zone_text(zone)) };
    let (month, weekday) = (MONTHS[then.month], DAYS[then.weekday]);
    match (is_same_year, days) {
        (true, 0..=4) => format!("{weekday} {clock}{offset}"),
        (true, _) => format!("{weekday} {month} {} {clock}", then.day),
        (false, _) => format!("{month} {} {}", then.day, then.year),
    }
}

fn relative(seconds: i64, now: i64) -> String {
    let some = |n: i64, unit: &str| format!("{n} {unit}{} ago", if n == 1 { "" } else { "s" });
    let diff = now - seconds;
    if diff < 0 {
        return "in the future".to_owned();
    }
    let (minutes, hours, days) = ((diff + 30) / 60, (diff + 1800) / 3600, (diff + 43_200) / DAY);
    match () {
        () if diff < 90 => some(diff, "second"),
        () if minutes < 90 => some(minutes, "minute"),
        () if hours < 36 => some(hours, "hour"),
        () if days < 14 => some(days, "day"),
        () if days < 70 => some((days + 3) / 7, "week"),
        () if days < 365 => some((days + 15) / 30, "month"),
        () if days < 1825 => {
            let months = (days * 24 + 365) / 730;
            let years = months / 12;
            match months % 12 {
                0 => some(years, "year"),
                rest => {
                    let plural = if years == 1 { "" } else { "s" };
                    format!("{years} year{plural}, {}", some(rest, "month"))
                }
            }
        }
        () => some((days + 183) / 365, "year"),
    }
}

/// Parses a date that a person or a program wrote; returns seconds and zone.
pub(crate) fn parse(text: &str, now: i64) -> Option<(i64, i32)> {
    let text = text.trim();
    if let Some(rest) = text.strip_prefix('@') {
        let mut words = rest.split_whitespace();
        let seconds = words.next()?.parse().ok()?;
        return Some((seconds, words.next().map_or(Some(0), zone)?));
    }
    let mut words = text.split_whitespace();
    if let (Some(first), Some(second), None) = (words.next(), words.next(), words.next())
        && first.len() >= 9
        && let (Ok(seconds), Some(zone)) = (first.parse(), zone(second))
    {
        return Some((seconds, zone));
    }
    if text.len() >= 9
        && let Ok(seconds) = text.parse()
    {
        return Some((seconds, 0));
    }
    approximate(text, now).map(|seconds| (seconds, 0)).or_else(|| absolute(text, now))
}

/// Parses `yesterday`, `2 weeks ago`, `3.days.ago`.
fn approximate(text: &str, now: i64) -> Option<i64> {
    let lower = text.to_ascii_lowercase().replace(['.', '_'], " ");
    match lower.trim() {
        "now" | "today" => return Some(now),
        "yesterday" => return Some(now - DAY),
        "never" => return Some(0),
        _ => {}
    }
    let mut words = lower.split_whitespace().peekable();
    let mut back = 0i64;
    let mut is_any = false;
    while let Some(word) = words.next() {
        if word == "ago" {
            continue;
        }
        let n = match word {
            "a" | "an" | "one" | "last" => 1,
            "two" => 2,
            "three" => 3,
            other => other.parse::<i64>().ok()?,
        };
        let unit = match words.next()?.trim_end_matches('s') {
            "second" => 1,
            "minute" => 60,
            "hour" => 3600,
            "day" => DAY,
            "week" => 7 * DAY,
            "month" => 30 * DAY,
            "year" => 365 * DAY,
            _ => return None,
        };
        back = back.checked_add(n.checked_mul(unit)?)?;
        is_any = true;
    }
    is_any.then(|| now.checked_sub(back)).flatten()
}

/// Parses a calendar date in the order of ISO 8601, RFC 2822 or `date`.
fn absolute(text: &str, now: i64) -> Option<(i64, i32)> {
    // A `T` separates only the digits of ISO 8601: `Tue` begins with one, too.
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let is_separator = |at: usize| {
        is_digit(text[..at].chars().next_back()) && is_digit(text[at + 1..].chars().next())
    };
    let spaced: String = text
        .char_indices()
        .map(|(at, c)| if c == ',' || c == 'T' && is_separator(at) { ' ' } else { c })
        .collect();
    let (mut year, mut month, mut day) = (None, None, None);
    let (mut seconds, mut offset) = (None, 0);
    for word in spaced.split_whitespace() {
        let (word, is_utc) = match word.strip_suffix('Z') {
            Some(rest) if !rest.is_empty() => (rest, true),
            _ => (word, false),
        };
        let sign = word.rfind(['+', '-']).filter(|at| *at > 0 && word[..*at].contains(':'));
        let (word, tail) = sign.map_or((word, ""), |at| word.split_at(at));
        if !tail.is_empty() {
            offset = zone(tail)?;
        }
        if is_utc {
            offset = 0;
        }
        if word.contains(':') {
            let mut parts = word.split('.').next()?.split(':').map(|part| part.parse::<i64>());
            let hour = parts.next()?.ok().filter(|n| *n < 24)?;
            let minute = parts.next()?.ok().filter(|n| *n < 60)?;
            let second = parts.next().map_or(Some(0), Result::ok).filter(|n| *n < 62)?;
            seconds = Some(hour * 3600 + minute * 60 + second);
        } else if let Some(zone) = zone(word) {
            offset = zone;
        } else if word.contains(['-', '/', '.']) {
            let parts: Vec<i64> =
                word.split(['-', '/', '.']).map(|part| part.parse().ok()).collect::<Option<_>>()?;
            let [first, second, third] = parts[..] else { return None };
            if first > 31 {
                (year, month, day) = (Some(first), Some(second), Some(third));
            } else if word.contains('.') {
                (day, month, year) = (Some(first), Some(second), Some(third));
            } else {
                (month, day, year) = (Some(first), Some(second), Some(third));
            }
        } else if let Ok(number) = word.parse::<i64>() {
            if number > 31 { year = Some(number) } else { day = Some(number) }
        } else {
            let name = word.get(..3)?;
            match MONTHS.iter().position(|month| month.eq_ignore_ascii_case(name)) {
                Some(at) => month = Some(at as i64 + 1),
                None if DAYS.iter().any(|day| day.eq_ignore_ascii_case(name)) => {}
                None => return None,
            }
        }
    }
    let (year, month, day) = (year.unwrap_or(civil(now).year), month?, day?);
    let is_real =
        (1970..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    let clock = seconds.unwrap_or_else(|| now.rem_euclid(DAY));
    is_real.then(|| (from_civil(year, month, day) + clock - i64::from(offset) * 60, offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read() {
        let check = |text: &str, expect| assert_eq!(parse(text, 1_000_000_000), expect, "{text}");
        check("2026-01-02T03:04:05Z", Some((1_767_323_045, 0)));
        check("2026-01-02 03:04:05 +0100", Some((1_767_319_445, 60)));
        check("Fri, 2 Jan 2026 03:04:05 +0000", Some((1_767_323_045, 0)));
        check("Tue, 6 Jan 2026 03:04:05 +0000", Some((1_767_668_645, 0)));
        check("Fri Jan 2 03:04:05 2026 -0800", Some((1_767_351_845, -480)));
        check("1767323045 +0200", Some((1_767_323_045, 120)));
        check("@5 +0000", Some((5, 0)));
        check("2 days ago", Some((1_000_000_000 - 2 * DAY, 0)));
        check("yesterday", Some((1_000_000_000 - DAY, 0)));
        check("nonsense", None);
        check("2026-13-02", None);
        check("é", None);
    }

    #[test]
    fn dates_are_written() {
        let check = |name: &str, expect: &str| {
            assert_eq!(format(&Form::parse(name).unwrap(), 1_767_323_045, 60, 0), expect);
        };
        check("default", "Fri Jan 2 04:04:05 2026 +0100");
        check("iso", "2026-01-02 04:04:05 +0100");
        check("iso-strict", "2026-01-02T04:04:05+01:00");
        check("rfc", "Fri, 2 Jan 2026 04:04:05 +0100");
        check("short", "2026-01-02");
        check("format:%Y/%m %z", "2026/01 +0100");
        assert_eq!(relative(0, 400 * DAY), "1 year, 1 month ago");
        assert_eq!(relative(0, 100), "2 minutes ago");
    }
}
