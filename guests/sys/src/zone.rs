//! Time zones: the value of `TZ` as POSIX has it (`EST5EDT,M3.2.0,M11.1.0`), or the name of a place.
//!
//! Places have the rules of today for all times: a sandbox has no history of time zones.

use crate::calendar::{days, year_of};

/// An offset from universal time, with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offset {
    /// Seconds east of Greenwich.
    pub seconds: i64,
    /// Abbreviation, such as `CET`.
    pub name: String,
}

impl Offset {
    /// Returns universal time.
    pub fn utc() -> Offset {
        Offset { seconds: 0, name: "UTC".to_owned() }
    }

    /// Returns the offset as `+0130`.
    pub fn digits(&self) -> String {
        let sign = if self.seconds < 0 { '-' } else { '+' };
        let minutes = self.seconds.abs() / 60;
        format!("{sign}{:02}{:02}", minutes / 60, minutes % 60)
    }
}

/// Returns the offset at a time for the value of `TZ`; without one, universal time.
pub fn offset_at(zone: Option<&str>, seconds: i64) -> Offset {
    let Some(text) = zone.map(|text| text.trim_start_matches(':')).filter(|text| !text.is_empty())
    else {
        return Offset::utc();
    };
    match Zone::parse(place(text).unwrap_or(text)) {
        Some(zone) => zone.at(seconds),
        // As in the C library, an unknown zone gives its first letters to universal time.
        None => {
            let name: String = text.chars().take_while(char::is_ascii_alphabetic).collect();
            let is_name = name.len() >= 3;
            Offset { seconds: 0, name: if is_name { name } else { "UTC".to_owned() } }
        }
    }
}

const EUROPE_WEST: &str = "WET0WEST,M3.5.0/1,M10.5.0";
const EUROPE_MID: &str = "CET-1CEST,M3.5.0,M10.5.0/3";
const EUROPE_EAST: &str = "EET-2EEST,M3.5.0/3,M10.5.0/4";
const BRITAIN: &str = "GMT0BST,M3.5.0/1,M10.5.0";
const EASTERN: &str = "EST5EDT,M3.2.0,M11.1.0";
const CENTRAL: &str = "CST6CDT,M3.2.0,M11.1.0";
const MOUNTAIN: &str = "MST7MDT,M3.2.0,M11.1.0";
const PACIFIC: &str = "PST8PDT,M3.2.0,M11.1.0";

/// Returns the rule of a place.
fn place(name: &str) -> Option<&'static str> {
    let name = name.strip_prefix("posix/").unwrap_or(name);
    Some(match name.split_once('/').unwrap_or(("", name)) {
        ("", "UTC" | "Universal" | "Zulu" | "UCT")
        | ("Etc", "UTC" | "Universal" | "Zulu" | "UCT") => "UTC0",
        ("", "GMT" | "Greenwich") | ("Etc", "GMT" | "GMT0" | "Greenwich") => "GMT0",
        ("", "CET" | "MET") => EUROPE_MID,
        ("", "EET") => EUROPE_EAST,
        ("", "WET" | "Portugal") => EUROPE_WEST,
        ("", "EST5EDT") | ("US", "Eastern") => EASTERN,
        ("", "CST6CDT") | ("US", "Central") => CENTRAL,
        ("", "MST7MDT") | ("US", "Mountain") => MOUNTAIN,
        ("", "PST8PDT") | ("US", "Pacific") => PACIFIC,
        ("", "EST") => "EST5",
        ("", "MST") | ("US", "Arizona") => "MST7",
        ("", "HST") | ("US", "Hawaii") => "HST10",
        ("", "Japan") => "JST-9",
        ("", "PRC") => "CST-8",
        ("", "GB") => BRITAIN,
        ("Europe", "London" | "Belfast" | "Jersey" | "Guernsey") => BRITAIN,
        ("Europe", "Dublin") => "IST-1GMT0,M10.5.0,M3.5.0/1",
        ("Europe", "Lisbon") => EUROPE_WEST,
        (
            "Europe",
            "Amsterdam" | "Andorra" | "Belgrade" | "Berlin" | "Bratislava" | "Brussels"
            | "Budapest" | "Copenhagen" | "Gibraltar" | "Ljubljana" | "Luxembourg" | "Madrid"
            | "Malta" | "Monaco" | "Oslo" | "Paris" | "Prague" | "Rome" | "San_Marino" | "Sarajevo"
            | "Skopje" | "Stockholm" | "Tirane" | "Vaduz" | "Vatican" | "Vienna" | "Warsaw"
            | "Zagreb" | "Zurich",
        ) => EUROPE_MID,
        (
            "Europe",
            "Athens" | "Bucharest" | "Helsinki" | "Kiev" | "Kyiv" | "Mariehamn" | "Riga" | "Sofia"
            | "Tallinn" | "Vilnius",
        ) => EUROPE_EAST,
        ("Europe", "Istanbul") => "<+03>-3",
        ("Europe", "Minsk") => "<+03>-3",
        ("Europe", "Moscow") => "MSK-3",
        ("Atlantic", "Reykjavik") => "GMT0",
        (
            "America",
            "New_York"
            | "Detroit"
            | "Toronto"
            | "Montreal"
            | "Indianapolis"
            | "Indiana/Indianapolis"
            | "Kentucky/Louisville"
            | "Nassau",
        ) => EASTERN,
        ("America", "Chicago" | "Winnipeg" | "Menominee" | "Matamoros") => CENTRAL,
        ("America", "Denver" | "Edmonton" | "Boise") => MOUNTAIN,
        ("America", "Los_Angeles" | "Vancouver" | "Tijuana") => PACIFIC,
        ("America", "Phoenix") => "MST7",
        ("America", "Anchorage" | "Juneau") => "AKST9AKDT,M3.2.0,M11.1.0",
        ("America", "Halifax" | "Bermuda") => "AST4ADT,M3.2.0,M11.1.0",
        ("America", "St_Johns") => "NST3:30NDT,M3.2.0,M11.1.0",
        ("America", "Puerto_Rico" | "Santo_Domingo") => "AST4",
        ("America", "Mexico_City" | "Guatemala" | "Costa_Rica" | "Regina") => "CST6",
        ("America", "Panama" | "Jamaica" | "Cancun") => "EST5",
        ("America", "Bogota" | "Lima" | "Guayaquil") => "<-05>5",
        ("America", "Caracas" | "La_Paz" | "Manaus") => "<-04>4",
        ("America", "Santiago") => "<-04>4<-03>,M9.1.6/24,M4.1.6/24",
        (
            "America",
            "Sao_Paulo"
            | "Buenos_Aires"
            | "Argentina/Buenos_Aires"
            | "Montevideo"
            | "Asuncion"
            | "Bahia"
            | "Fortaleza",
        ) => "<-03>3",
        ("Pacific", "Honolulu") => "HST10",
        ("Pacific", "Auckland") => "NZST-12NZDT,M9.5.0,M4.1.0/3",
        ("Asia", "Tokyo") => "JST-9",
        ("Asia", "Seoul") => "KST-9",
        ("Asia", "Shanghai" | "Taipei" | "Macau" | "Chongqing") => "CST-8",
        ("Asia", "Hong_Kong") => "HKT-8",
        ("Asia", "Singapore" | "Kuala_Lumpur") => "<+08>-8",
        ("Asia", "Manila") => "PST-8",
        ("Asia", "Jakarta") => "WIB-7",
        ("Asia", "Bangkok" | "Ho_Chi_Minh" | "Saigon") => "<+07>-7",
        ("Asia", "Dhaka") => "<+06>-6",
        ("Asia", "Kathmandu" | "Katmandu") => "<+0545>-5:45",
        ("Asia", "Kolkata" | "Calcutta") => "IST-5:30",
        ("Asia", "Colombo") => "<+0530>-5:30",
        ("Asia", "Karachi") => "PKT-5",
        ("Asia", "Tashkent" | "Almaty") => "<+05>-5",
        ("Asia", "Dubai" | "Baku" | "Tbilisi" | "Yerevan") => "<+04>-4",
        ("Asia", "Tehran") => "<+0330>-3:30",
        ("Asia", "Kabul") => "<+0430>-4:30",
        ("Asia", "Riyadh" | "Baghdad" | "Kuwait" | "Qatar") => "<+03>-3",
        ("Asia", "Jerusalem" | "Tel_Aviv") => "IST-2IDT,M3.4.4/26,M10.5.0",
        ("Asia", "Beirut") => "EET-2EEST,M3.5.0/0,M10.5.0/0",
        ("Africa", "Cairo") => "EET-2EEST,M4.5.5/0,M10.5.4/24",
        ("Africa", "Johannesburg") => "SAST-2",
        ("Africa", "Lagos") => "WAT-1",
        ("Africa", "Nairobi") => "EAT-3",
        ("Africa", "Accra" | "Abidjan") => "GMT0",
        ("Africa", "Algiers" | "Tunis") => "CET-1",
        ("Australia", "Sydney" | "Melbourne" | "Canberra" | "Hobart") => {
            "AEST-10AEDT,M10.1.0,M4.1.0/3"
        }
        ("Australia", "Brisbane") => "AEST-10",
        ("Australia", "Adelaide") => "ACST-9:30ACDT,M10.1.0,M4.1.0/3",
        ("Australia", "Darwin") => "ACST-9:30",
        ("Australia", "Perth") => "AWST-8",
        _ => return None,
    })
}

/// A zone as POSIX describes it.
struct Zone {
    standard: Offset,
    /// Summer time, with its begin and end.
    summer: Option<(Offset, Change, Change)>,
}

/// The moment of a change in every year.
#[derive(Debug, Clone, Copy)]
struct Change {
    day: Day,
    /// Seconds after midnight.
    time: i64,
}

#[derive(Debug, Clone, Copy)]
enum Day {
    /// Month, week (5 is the last) and day of the week.
    Week(i64, i64, i64),
    /// Day of the year from 1, without 29 February.
    Fixed(i64),
    /// Day of the year from 0.
    Counted(i64),
}

impl Zone {
    fn parse(text: &str) -> Option<Zone> {
        let (name, rest) = abbreviation(text)?;
        let (west, rest) = duration(rest)?;
        let standard = Offset { seconds: -west, name };
        if rest.is_empty() {
            return Some(Zone { standard, summer: None });
        }
        let (name, mut rest) = abbreviation(rest)?;
        let mut seconds = standard.seconds + 3600;
        if !rest.starts_with(',') && !rest.is_empty() {
            let (west, after) = duration(rest)?;
            seconds = -west;
            rest = after;
        }
        let rules = if rest.is_empty() { ",M3.2.0,M11.1.0" } else { rest };
        let (begin, end) = rules.strip_prefix(',')?.split_once(',')?;
        let summer = (Offset { seconds, name }, change(begin)?, change(end)?);
        Some(Zone { standard, summer: Some(summer) })
    }

    fn at(&self, seconds: i64) -> Offset {
        let Some((summer, begin, end)) = &self.summer else { return self.standard.clone() };
        let year = year_of(seconds + self.standard.seconds);
        let begin = begin.of(year) - self.standard.seconds;
        let end = end.of(year) - summer.seconds;
        let is_summer = match begin < end {
            true => (begin..end).contains(&seconds),
            false => !(end..begin).contains(&seconds),
        };
        if is_summer { summer.clone() } else { self.standard.clone() }
    }
}

impl Change {
    /// Returns the moment in a year, in seconds of the local clock.
    fn of(self, year: i64) -> i64 {
        let is_leap = days(year, 3, 1) - days(year, 2, 1) == 29;
        let day = match self.day {
            Day::Counted(n) => days(year, 1, 1) + n,
            Day::Fixed(n) => days(year, 1, 1) + n - 1 + i64::from(is_leap && n > 59),
            Day::Week(month, week, weekday) => {
                let first = days(year, month, 1);
                let mut day = first + (weekday - (first + 4)).rem_euclid(7) + (week - 1) * 7;
                while day >= days(year, month + 1, 1) {
                    day -= 7;
                }
                day
            }
        };
        day * 86_400 + self.time
    }
}

fn abbreviation(text: &str) -> Option<(String, &str)> {
    if let Some(rest) = text.strip_prefix('<') {
        let (name, rest) = rest.split_once('>')?;
        return Some((name.to_owned(), rest));
    }
    let end = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
    (end >= 3).then(|| (text[..end].to_owned(), &text[end..]))
}

/// Parses `5`, `-3:30` or `+02:00:00` into seconds.
fn duration(text: &str) -> Option<(i64, &str)> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || "+-:".contains(c))).unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    let (sign, digits) = match number.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, number.strip_prefix('+').unwrap_or(number)),
    };
    let mut seconds = 0;
    for (part, unit) in digits.split(':').zip([3600, 60, 1]) {
        seconds += part.parse::<i64>().ok().filter(|n| *n < 168)? * unit;
    }
    Some((sign * seconds, rest))
}

fn change(text: &str) -> Option<Change> {
    let (day, time) = text.split_once('/').unwrap_or((text, "2"));
    let (time, _) = duration(time)?;
    let number = |text: &str| text.parse::<i64>().ok().filter(|n| (0..=365).contains(n));
    let day = if let Some(rest) = day.strip_prefix('M') {
        let mut parts = rest.split('.').map(number);
        let (month, week, weekday) = (parts.next()??, parts.next()??, parts.next()??);
        let is_real = (1..=12).contains(&month) && (1..=5).contains(&week) && weekday < 7;
        is_real.then_some(Day::Week(month, week, weekday))?
    } else if let Some(rest) = day.strip_prefix('J') {
        Day::Fixed(number(rest)?)
    } else {
        Day::Counted(number(day)?)
    };
    Some(Change { day, time })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(zone: &str, seconds: i64, digits: &str, name: &str) {
        let offset = offset_at(Some(zone), seconds);
        assert_eq!((offset.digits().as_str(), offset.name.as_str()), (digits, name), "{zone}");
    }

    #[test]
    fn places_have_winter_and_summer() {
        // 3 July 2024 and 4 January 2024.
        let (summer, winter) = (1_720_000_000, 1_704_400_000);
        check("Europe/Berlin", summer, "+0200", "CEST");
        check("Europe/Berlin", winter, "+0100", "CET");
        check("America/New_York", summer, "-0400", "EDT");
        check("America/New_York", winter, "-0500", "EST");
        check("Australia/Sydney", summer, "+1000", "AEST");
        check("Australia/Sydney", winter, "+1100", "AEDT");
        check("Europe/Dublin", summer, "+0100", "IST");
        check("Asia/Kolkata", summer, "+0530", "IST");
    }

    #[test]
    fn changes_are_exact_to_the_second() {
        // 31 March 2024, 01:00 UTC.
        check("Europe/Paris", 1_711_846_799, "+0100", "CET");
        check("Europe/Paris", 1_711_846_800, "+0200", "CEST");
        check("EST5EDT", 1_710_054_000 - 1, "-0500", "EST");
        check("EST5EDT", 1_710_054_000, "-0400", "EDT");
    }

    #[test]
    fn rules_and_unknown_names() {
        check("<+0530>-5:30", 0, "+0530", "+0530");
        check("UTC-3", 0, "+0300", "UTC");
        check("XXX4YYY,J60/0,300", 86_400 * 100, "-0300", "YYY");
        check("Nosuch/Zone", 0, "+0000", "Nosuch");
        check("", 0, "+0000", "UTC");
        assert_eq!(offset_at(None, 0), Offset::utc());
    }
}
