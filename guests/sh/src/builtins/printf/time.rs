//! Dates, in universal time.

use crate::syntax::ast::Text;

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

struct Date {
    year: i64,
    month: usize,
    day: i64,
    weekday: usize,
    yearday: i64,
    hour: i64,
    minute: i64,
    second: i64,
}

fn date(seconds: i64) -> Date {
    let days = seconds.div_euclid(86_400);
    let clock = seconds.rem_euclid(86_400);
    // Days since 0000-03-01, in eras of 400 years.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let before = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334][month as usize - 1];
    Date {
        year,
        month: month as usize,
        day,
        weekday: (days + 4).rem_euclid(7) as usize,
        yearday: before + day - 1 + i64::from(leap && month > 2),
        hour: clock / 3600,
        minute: clock / 60 % 60,
        second: clock % 60,
    }
}

/// A time in the form of `strftime`.
pub(super) fn format(pattern: &[u8], seconds: i64) -> Text {
    let d = date(seconds);
    let mut out = Vec::new();
    let mut bytes = pattern.iter();
    while let Some(c) = bytes.next() {
        if *c != b'%' {
            out.push(*c);
            continue;
        }
        let Some(letter) = bytes.next() else {
            out.push(b'%');
            break;
        };
        let twelve = if d.hour % 12 == 0 { 12 } else { d.hour % 12 };
        let half = if d.hour < 12 { "AM" } else { "PM" };
        let text = match letter {
            b'Y' => d.year.to_string(),
            b'C' => format!("{:02}", d.year.div_euclid(100)),
            b'y' => format!("{:02}", d.year.rem_euclid(100)),
            b'm' => format!("{:02}", d.month),
            b'd' => format!("{:02}", d.day),
            b'e' => format!("{:2}", d.day),
            b'H' => format!("{:02}", d.hour),
            b'I' => format!("{twelve:02}"),
            b'k' => format!("{:2}", d.hour),
            b'l' => format!("{twelve:2}"),
            b'M' => format!("{:02}", d.minute),
            b'S' => format!("{:02}", d.second),
            b'p' => half.to_owned(),
            b'P' => half.to_lowercase(),
            b'j' => format!("{:03}", d.yearday + 1),
            b'a' => DAYS[d.weekday][..3].to_owned(),
            b'A' => DAYS[d.weekday].to_owned(),
            b'b' | b'h' => MONTHS[d.month - 1][..3].to_owned(),
            b'B' => MONTHS[d.month - 1].to_owned(),
            b'u' => (if d.weekday == 0 { 7 } else { d.weekday }).to_string(),
            b'w' => d.weekday.to_string(),
            b's' => seconds.to_string(),
            b'Z' => "UTC".to_owned(),
            b'z' => "+0000".to_owned(),
            b'n' => "\n".to_owned(),
            b't' => "\t".to_owned(),
            b'%' => "%".to_owned(),
            b'F' => format!("{}-{:02}-{:02}", d.year, d.month, d.day),
            b'T' | b'X' => format!("{:02}:{:02}:{:02}", d.hour, d.minute, d.second),
            b'R' => format!("{:02}:{:02}", d.hour, d.minute),
            b'r' => format!("{twelve:02}:{:02}:{:02} {half}", d.minute, d.second),
            b'D' | b'x' => format!("{:02}/{:02}/{:02}", d.month, d.day, d.year.rem_euclid(100)),
            b'c' => format!(
                "{} {} {:2} {:02}:{:02}:{:02} {}",
                &DAYS[d.weekday][..3],
                &MONTHS[d.month - 1][..3],
                d.day,
                d.hour,
                d.minute,
                d.second,
                d.year
            ),
            b'U' => format!("{:02}", (d.yearday + 7 - d.weekday as i64) / 7),
            b'W' => format!("{:02}", (d.yearday + 7 - (d.weekday as i64 + 6) % 7) / 7),
            other => format!("%{}", char::from(*other)),
        };
        out.extend_from_slice(text.as_bytes());
    }
    out
}
