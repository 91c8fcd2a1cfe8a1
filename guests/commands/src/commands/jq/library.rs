//! The functions that are not written in the language itself.

use super::json::{self, Json};
use super::run::{Machine, Next, Run, part, shallow};
use super::scope::{Item, Path, Scope};
use super::stack::{Calling, Choice, Replacing, Step, Steps, Stop};
use super::syntax::Filter;
use super::{paths, read, regex, time};

/// Names and numbers of arguments of the functions here, except those of [`super::math`].
pub(super) const NAMES: &[(&str, usize)] = &[
    ("empty", 0),
    ("error", 0),
    ("error", 1),
    ("not", 0),
    ("path", 1),
    ("length", 0),
    ("utf8bytelength", 0),
    ("keys", 0),
    ("keys_unsorted", 0),
    ("type", 0),
    ("tostring", 0),
    ("tonumber", 0),
    ("toboolean", 0),
    ("tojson", 0),
    ("fromjson", 0),
    ("ascii_downcase", 0),
    ("ascii_upcase", 0),
    ("explode", 0),
    ("implode", 0),
    ("reverse", 0),
    ("sort", 0),
    ("add", 0),
    ("now", 0),
    ("mktime", 0),
    ("gmtime", 0),
    ("localtime", 0),
    ("input", 0),
    ("inputs", 0),
    ("debug", 0),
    ("stderr", 0),
    ("input_filename", 0),
    ("input_line_number", 0),
    ("trim", 0),
    ("ltrim", 0),
    ("rtrim", 0),
    ("halt", 0),
    ("halt_error", 1),
    ("builtins", 0),
    ("ltrimstr", 1),
    ("rtrimstr", 1),
    ("trimstr", 1),
    ("startswith", 1),
    ("endswith", 1),
    ("split", 1),
    ("split", 2),
    ("has", 1),
    ("contains", 1),
    ("range", 2),
    ("range", 3),
    ("getpath", 1),
    ("setpath", 2),
    ("delpaths", 1),
    ("first", 1),
    ("last", 1),
    ("limit", 2),
    ("skip", 2),
    ("any", 2),
    ("all", 2),
    ("isempty", 1),
    ("test", 2),
    ("_match", 2),
    ("_sub", 3),
    ("flatten", 1),
    ("indices", 1),
    ("_group_by", 1),
    ("_sort_by", 1),
    ("_min_by", 1),
    ("_max_by", 1),
    ("strftime", 1),
    ("strptime", 1),
    ("strflocaltime", 1),
    ("bsearch", 1),
    ("modulemeta", 0),
];

/// Functions that have other than one output, or take filters; all others run in [`plain`].
pub(super) const MANY: &[(&str, usize)] = &[
    ("empty", 0),
    ("inputs", 0),
    ("path", 1),
    ("first", 1),
    ("last", 1),
    ("isempty", 1),
    ("any", 2),
    ("all", 2),
    ("limit", 2),
    ("skip", 2),
    ("range", 2),
    ("range", 3),
    ("_sub", 3),
];

/// Runs a function of the library.
pub(super) fn call<'a>(
    run: &mut Run<'a, '_>,
    name: &'a str,
    arguments: &'a [Filter],
    scope: Scope<'a>,
    input: Item,
    steps: Steps<'a>,
) -> Result<Next<'a>, Stop> {
    Ok(match (name, arguments) {
        ("empty", []) => Next::Back,
        ("inputs", []) => {
            run.leave(Choice::Inputs(input.path.lost(), steps))?;
            Next::Back
        }
        ("path", [f]) => {
            let steps = steps.then(Step::ShowPath(input.path.lost()))?;
            Next::Run(f, scope, Item { path: Path::Root, value: input.value }, steps)
        }
        ("first", [f]) => {
            let at = run.leave(Choice::First(steps))?;
            Next::Run(f, scope, input, Steps::default().then(Step::First(at))?)
        }
        ("last", [f]) => {
            let at = run.leave(Choice::Last(None, steps))?;
            Next::Run(f, scope, input, Steps::default().then(Step::Last(at))?)
        }
        ("isempty", [f]) => {
            let at = run.leave(Choice::Otherwise(true, input.path.lost(), steps))?;
            let steps = Steps::default().then(Step::Settle(at))?;
            Next::Run(f, scope, Item::of(input.value), steps)
        }
        ("any" | "all", [f, condition]) => {
            let stops_at = name == "any";
            let at = run.leave(Choice::Otherwise(!stops_at, input.path.lost(), steps))?;
            let step = Step::Condition(at, stops_at, condition, scope.clone());
            Next::Run(f, scope, Item::of(input.value), Steps::default().then(step)?)
        }
        _ => {
            // The last argument of these is a filter.
            let filters = usize::from(matches!(name, "limit" | "skip" | "_sub"));
            let wanted = arguments.len() - filters;
            let values = Vec::with_capacity(wanted);
            let calling = Calling { name, arguments, wanted, values, scope, input };
            return self::arguments(run, Box::new(calling), steps);
        }
    })
}

/// Computes the arguments that are left, then runs the function.
pub(super) fn arguments<'a>(
    run: &mut Run<'a, '_>,
    mut calling: Box<Calling<'a>>,
    steps: Steps<'a>,
) -> Result<Next<'a>, Stop> {
    while calling.values.len() < calling.wanted {
        let argument = &calling.arguments[calling.values.len()];
        match run.quick(argument, &calling.scope, &calling.input.value) {
            Some(value) => calling.values.push(value?),
            None => {
                let scope = calling.scope.clone();
                let input = Item::of(calling.input.value.clone());
                let steps = steps.then(Step::Argument(calling))?;
                return Ok(Next::Run(argument, scope, input, steps));
            }
        }
    }
    let Calling { name, arguments, values, scope, input, .. } = *calling;
    Ok(match (name, values.as_slice(), arguments.last()) {
        ("getpath", [path], _) => {
            let Json::Arr(path) = path else {
                return Err("Path must be specified as an array".to_owned().into());
            };
            let mut item = input;
            for key in path.items() {
                // Parts of what is absent are absent.
                item = match item.value {
                    Json::Null => {
                        Item { value: Json::Null, ..part(&item, key.clone()).unwrap_or(item) }
                    }
                    _ => part(&item, key.clone())?,
                };
            }
            Next::Give(item, steps)
        }
        ("limit", [count], Some(f)) => {
            let left = whole(count, "Invalid arguments to limit")?;
            if left == 0.0 {
                return Ok(Next::Back);
            }
            if left < 0.0 {
                return Err("limit doesn't support negative count".to_owned().into());
            }
            let at = run.leave(Choice::Count(left))?;
            Next::Run(f, scope, input, steps.then(Step::Limit(at))?)
        }
        ("skip", [count], Some(f)) => {
            let left = whole(count, "Invalid arguments to skip")?;
            if left < 0.0 {
                return Err("skip doesn't support negative count".to_owned().into());
            }
            let at = run.leave(Choice::Count(left))?;
            Next::Run(f, scope, input, steps.then(Step::Skip(at))?)
        }
        ("range", [from, to], _) => return range(run, [from, to, &1.0.into()], &input, steps),
        ("range", [from, to, step], _) => return range(run, [from, to, step], &input, steps),
        ("_sub", [pattern, flags], Some(f)) => {
            let text = regex::subject(&input.value)?;
            let found = regex::matches(run.machine, &text, pattern, flags)?.into();
            let (path, done) = (input.path.lost(), String::new());
            let replacing = Replacing { text, found, at: 0, done, from: 0, f, scope, path };
            return replace(run, Box::new(replacing), steps);
        }
        _ => {
            let path = input.path.lost();
            let value = shallow(plain(run.machine, name, &values, input.value)?)?;
            Next::Give(Item { path, value }, steps)
        }
    })
}

fn whole(value: &Json, message: &str) -> Result<f64, Stop> {
    match value {
        Json::Num(number, _) => Ok(*number),
        _ => Err(message.to_owned().into()),
    }
}

fn range<'a>(
    run: &mut Run<'a, '_>,
    [from, to, step]: [&Json; 3],
    input: &Item,
    steps: Steps<'a>,
) -> Result<Next<'a>, Stop> {
    let (Json::Num(from, _), Json::Num(to, _), Json::Num(step, _)) = (from, to, step) else {
        return Err("Range bounds must be numeric".to_owned().into());
    };
    if (*step >= 0.0 && from < to) || (*step < 0.0 && from > to) {
        run.leave(Choice::Range(*from, *to, *step, input.path.lost(), steps))?;
    }
    Ok(Next::Back)
}

/// Hands over the text with the matches that are left replaced by what the filter makes of them.
pub(super) fn replace<'a>(
    run: &mut Run<'a, '_>,
    mut replacing: Box<Replacing<'a>>,
    steps: Steps<'a>,
) -> Result<Next<'a>, Stop> {
    while let Some(next) = replacing.found.get(replacing.at) {
        let captures = Json::from(next.captures());
        match run.quick(replacing.f, &replacing.scope, &captures) {
            Some(value) => replacing.add(&value?)?,
            None => {
                let (f, scope) = (replacing.f, replacing.scope.clone());
                let steps = steps.then(Step::Replace(replacing))?;
                return Ok(Next::Run(f, scope, Item::of(captures), steps));
            }
        }
    }
    let Replacing { text, mut done, from, path, .. } = *replacing;
    done.push_str(&text[from..]);
    Ok(Next::Give(Item { path, value: done.into() }, steps))
}

impl Replacing<'_> {
    /// Replaces the next match.
    pub(super) fn add(&mut self, new: &Json) -> Result<(), Stop> {
        let Json::Str(new) = new else {
            let shown = new.described();
            return Err(format!("{shown} cannot be added to a string").into());
        };
        if let Some(next) = self.found.get(self.at) {
            self.done.push_str(&self.text[self.from..next.start]);
            self.done.push_str(new);
            (self.at, self.from) = (self.at + 1, next.end);
        }
        Ok(())
    }
}

/// Runs a function of values.
pub(super) fn plain(
    m: &Machine,
    name: &str,
    arguments: &[Json],
    input: Json,
) -> Result<Json, Stop> {
    // These change the input itself, if nothing else has it.
    match (name, arguments) {
        ("setpath", [Json::Arr(path), value]) => {
            return paths::update::<Stop>(input, path.items(), &mut |_| Ok(value.clone()));
        }
        ("delpaths", [list]) => return Ok(paths::delete(input, list)?),
        _ => {}
    }
    let input = &input;
    Ok(match (name, arguments) {
        ("error", []) => return Err(Stop::Error(input.clone())),
        ("error", [value]) => return Err(Stop::Error(value.clone())),
        ("not", []) => (!input.is_true()).into(),
        ("length", []) => length(input)?,
        ("utf8bytelength", []) => match input {
            Json::Str(text) => text.len().into(),
            other => return wrong(other, "only strings have UTF-8 byte length"),
        },
        ("keys" | "keys_unsorted", []) => match input {
            Json::Obj(members) if name == "keys" => {
                members.sorted().iter().map(|(key, _)| Json::Str(key.clone())).collect()
            }
            Json::Obj(members) => members.iter().map(|(key, _)| Json::Str(key.clone())).collect(),
            Json::Arr(items) => (0..items.items().len()).map(Json::from).collect(),
            other => return wrong(other, "has no keys"),
        },
        ("type", []) => input.kind().into(),
        ("tostring", []) => Json::Str(input.plain()),
        ("tonumber", []) => match input {
            Json::Num(..) => input.clone(),
            Json::Str(text) => match read::number(text) {
                Some(number) => number,
                None => return wrong(input, "cannot be parsed as a number"),
            },
            other => return wrong(other, "cannot be parsed as a number"),
        },
        ("toboolean", []) => match input {
            Json::Bool(_) => input.clone(),
            Json::Str(text) if &**text == "true" => true.into(),
            Json::Str(text) if &**text == "false" => false.into(),
            other => return wrong(other, "cannot be parsed as a boolean"),
        },
        ("tojson", []) => input.text().into(),
        ("fromjson", []) => match input {
            Json::Str(text) => match read::one(text.as_bytes()) {
                Ok(value) => value,
                Err(why) => return Err(format!("{why} (while parsing '{text}')").into()),
            },
            other => return wrong(other, "cannot be parsed as JSON"),
        },
        ("ascii_downcase", []) => {
            string(input, "ascii_downcase input must be a string")?.to_ascii_lowercase().into()
        }
        ("ascii_upcase", []) => {
            string(input, "ascii_upcase input must be a string")?.to_ascii_uppercase().into()
        }
        ("explode", []) => match input {
            Json::Str(text) => text.chars().map(|c| Json::from(f64::from(u32::from(c)))).collect(),
            other => return wrong(other, "cannot be exploded"),
        },
        ("implode", []) => implode(input)?,
        ("reverse", []) => match input {
            Json::Null => Vec::new().into(),
            Json::Arr(items) => items.items().iter().rev().cloned().collect(),
            Json::Str(text) => text.chars().rev().collect::<String>().into(),
            other => return wrong(other, "cannot be reversed, as it is not an array"),
        },
        ("sort", []) => {
            let mut list = sortable(input)?.to_vec();
            list.sort_by(Json::order);
            list.into()
        }
        ("add", []) => sum(input)?,
        ("now", []) => {
            let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            since.unwrap_or_default().as_secs_f64().into()
        }
        ("mktime", []) => time::seconds(input, "mktime")?.into(),
        ("gmtime" | "localtime", []) => match input {
            Json::Num(seconds, _) if name == "localtime" => time::broken(time::on_clock(*seconds))?,
            Json::Num(seconds, _) => time::broken(*seconds)?,
            _ => return Err(format!("{name}() requires a number").into()),
        },
        ("strftime" | "strflocaltime", [format]) => {
            let seconds = match input {
                Json::Num(seconds, _) if name == "strftime" => *seconds,
                Json::Num(seconds, _) => time::on_clock(*seconds),
                Json::Arr(_) => time::seconds(input, &format!("{name}/1"))?,
                _ => return Err(format!("{name}/1 requires parsed datetime inputs").into()),
            };
            let Json::Str(format) = format else {
                return Err(format!("{name}/1 requires a string format").into());
            };
            match name == "strftime" {
                true => time::format(seconds, format).into(),
                false => time::format_clock(seconds, format).into(),
            }
        }
        ("strptime", [format]) => match (input, format) {
            (Json::Str(text), Json::Str(format)) => time::parse(text, format)?,
            (Json::Str(_), _) => {
                return Err("strptime/1 requires a string format".to_owned().into());
            }
            (other, _) => {
                return Err(format!(
                    "strptime/1 requires string inputs and arguments, not {}",
                    other.kind()
                )
                .into());
            }
        },
        ("input", []) => {
            let next = m.inputs.borrow_mut().next();
            next.unwrap_or_else(|| Err("No more inputs".to_owned()))?
        }
        ("debug", []) => {
            eprintln!("[\"DEBUG:\",{}]", input.text());
            input.clone()
        }
        ("stderr", []) => {
            eprint!("{}", input.plain());
            input.clone()
        }
        ("input_filename", []) => m.inputs.borrow().file(),
        ("input_line_number", []) => m.inputs.borrow().line().into(),
        ("trim" | "ltrim" | "rtrim", []) => {
            let text = string(input, "trim input must be a string")?;
            let text = if name == "rtrim" { text } else { text.trim_start() };
            if name == "ltrim" { text } else { text.trim_end() }.into()
        }
        ("halt", []) => return Err(Stop::Halt(0)),
        ("halt_error", [code]) => {
            let Json::Num(code, _) = code else {
                return Err("halt_error/1: number required".to_owned().into());
            };
            match input {
                Json::Str(text) => eprint!("{text}"),
                other => eprintln!("{}", other.text()),
            }
            return Err(Stop::Halt(*code as i32));
        }
        ("builtins", []) => {
            let named = |name: &str, arity| Json::from(format!("{name}/{arity}"));
            let natives = NAMES.iter().map(|(name, arity)| (*name, *arity));
            let own = m.globals.values().flatten();
            let own = own.map(|known| (known.name.as_str(), known.parameters.len()));
            let all = natives.chain(own).chain(super::math::NAMES.iter().copied());
            all.filter(|(name, _)| !name.starts_with('_')).map(|(n, a)| named(n, a)).collect()
        }
        ("ltrimstr" | "rtrimstr" | "trimstr", [affix]) => match (input, affix) {
            (Json::Str(text), Json::Str(affix)) => {
                let mut rest: &str = text;
                if name != "rtrimstr" {
                    rest = rest.strip_prefix(&**affix).unwrap_or(rest);
                }
                if name != "ltrimstr" {
                    rest = rest.strip_suffix(&**affix).unwrap_or(rest);
                }
                rest.into()
            }
            _ => input.clone(),
        },
        ("startswith" | "endswith", [affix]) => match (input, affix) {
            (Json::Str(text), Json::Str(affix)) if name == "startswith" => {
                text.starts_with(&**affix).into()
            }
            (Json::Str(text), Json::Str(affix)) => text.ends_with(&**affix).into(),
            _ => return Err(format!("{name}() requires string inputs").into()),
        },
        ("split", [separator]) => match (input, separator) {
            (Json::Str(text), Json::Str(separator)) => json::split(text, separator),
            _ => return Err("split input and separator must be strings".to_owned().into()),
        },
        ("split", [pattern, flags]) => {
            let text = regex::subject(input)?;
            let flags = match flags {
                Json::Str(flags) => format!("g{flags}"),
                _ => "g".to_owned(),
            };
            let mut from = 0;
            let mut list = Vec::new();
            for found in regex::matches(m, &text, pattern, &flags.into())? {
                list.push(Json::from(&text[from..found.start]));
                from = found.end;
            }
            list.push(Json::from(&text[from..]));
            list.into()
        }
        ("test", [pattern, flags]) => {
            let text = regex::subject(input)?;
            (!regex::matches(m, &text, pattern, flags)?.is_empty()).into()
        }
        ("_match", [pattern, flags]) => {
            let text = regex::subject(input)?;
            let found = regex::matches(m, &text, pattern, flags)?;
            found.iter().map(|found| found.json(&text)).collect()
        }
        ("has", [key]) => has(input, key)?.into(),
        ("contains", [part]) => contains(input, part)?.into(),
        ("setpath", [_, _]) => {
            return Err("Path must be specified as an array".to_owned().into());
        }
        ("getpath", [path]) => {
            let Json::Arr(path) = path else {
                return Err("Path must be specified as an array".to_owned().into());
            };
            let mut value = input.clone();
            for key in path.items() {
                if matches!(value, Json::Null) {
                    break;
                }
                value = paths::index(&value, key)?;
            }
            value
        }
        ("flatten", [depth]) => {
            let depth = whole(depth, "flatten depth must not be negative")?;
            if depth < 0.0 {
                return Err("flatten depth must not be negative".to_owned().into());
            }
            let mut list = Vec::new();
            flatten(input, depth, &mut list)?;
            list.into()
        }
        ("indices", [part]) => indices(input, part)?,
        ("_group_by", [keys]) => {
            let mut groups: Vec<(Json, Vec<Json>)> = Vec::new();
            for (key, item) in keyed(input, keys, "grouped")? {
                match groups.last_mut() {
                    Some((last, items)) if *last == key => items.push(item),
                    _ => groups.push((key, vec![item])),
                }
            }
            groups.into_iter().map(|(_, items)| Json::from(items)).collect()
        }
        ("_sort_by", [keys]) => {
            keyed(input, keys, "sorted")?.into_iter().map(|(_, item)| item).collect()
        }
        ("_min_by", [keys]) => {
            let list = keyed(input, keys, "iterated over")?;
            list.into_iter().next().map(|(_, item)| item).unwrap_or_default()
        }
        ("_max_by", [keys]) => {
            let list = keyed(input, keys, "iterated over")?;
            list.into_iter().next_back().map(|(_, item)| item).unwrap_or_default()
        }
        ("bsearch", [wanted]) => {
            let Json::Arr(items) = input else { return wrong(input, "cannot be searched from") };
            match items.items().binary_search_by(|item| item.order(wanted)) {
                Ok(at) => at.into(),
                Err(at) => (-1.0 - at as f64).into(),
            }
        }
        ("modulemeta", []) => return Err("module loading is not supported".to_owned().into()),
        _ => super::math::call(name, arguments, input)?,
    })
}

fn wrong<T>(value: &Json, what: &str) -> Result<T, Stop> {
    Err(format!("{} {what}", value.described()).into())
}

fn string<'v>(value: &'v Json, message: &str) -> Result<&'v str, Stop> {
    match value {
        Json::Str(text) => Ok(text),
        _ => Err(message.to_owned().into()),
    }
}

fn length(value: &Json) -> Result<Json, Stop> {
    Ok(match value {
        Json::Null => 0_usize.into(),
        Json::Bool(_) => return wrong(value, "has no length"),
        Json::Num(number, _) => number.abs().into(),
        Json::Str(text) => text.chars().count().into(),
        Json::Arr(items) => items.items().len().into(),
        Json::Obj(members) => members.len().into(),
    })
}

fn implode(value: &Json) -> Result<Json, Stop> {
    let Json::Arr(items) = value else {
        return wrong(value, "cannot be imploded, must be an array of codepoints");
    };
    let mut text = String::new();
    for item in items.items() {
        let Json::Num(code, _) = item else {
            return Err("Unicode codepoint must be numeric".to_owned().into());
        };
        text.push(char::from_u32(*code as u32).unwrap_or('\u{fffd}'));
    }
    Ok(text.into())
}

fn sortable(value: &Json) -> Result<&[Json], Stop> {
    match value {
        Json::Arr(items) => Ok(items.items()),
        other => wrong(other, "cannot be sorted, as it is not an array"),
    }
}

/// Returns the elements with their keys, sorted by the keys.
fn keyed(value: &Json, keys: &Json, what: &str) -> Result<Vec<(Json, Json)>, Stop> {
    let (Json::Arr(items), Json::Arr(keys)) = (value, keys) else {
        return wrong(value, &format!("cannot be {what}, as it is not an array"));
    };
    let mut list: Vec<(Json, Json)> =
        keys.items().iter().cloned().zip(items.items().iter().cloned()).collect();
    list.sort_by(|a, b| a.0.order(&b.0));
    Ok(list)
}

fn sum(value: &Json) -> Result<Json, Stop> {
    let items: Vec<Json> = match value {
        Json::Arr(items) => items.items().to_vec(),
        Json::Obj(members) => members.iter().map(|(_, value)| value.clone()).collect(),
        other => return Err(format!("Cannot iterate over {}", other.described()).into()),
    };
    // Joining many strings one by one would copy each of them many times.
    if items.len() > 1 && items.iter().all(|item| matches!(item, Json::Str(_))) {
        return Ok(items.iter().map(|item| item.plain().to_string()).collect::<String>().into());
    }
    let mut total = Json::Null;
    for item in items {
        total = total.add(item)?;
    }
    Ok(total)
}

fn has(value: &Json, key: &Json) -> Result<bool, Stop> {
    match (value, key) {
        (Json::Obj(members), Json::Str(key)) => Ok(members.get(key).is_some()),
        (Json::Arr(items), Json::Num(at, _)) => {
            Ok(*at >= 0.0 && (*at as usize) < items.items().len())
        }
        (value, key) => Err(format!(
            "Cannot check whether {} has a {} key",
            value.kind(),
            match key {
                Json::Str(_) => "string",
                other => other.kind(),
            }
        )
        .into()),
    }
}

fn contains(value: &Json, part: &Json) -> Result<bool, Stop> {
    match (value, part) {
        (Json::Obj(members), Json::Obj(parts)) => {
            for (key, part) in parts.iter() {
                match members.get(key) {
                    Some(member) if contains(member, part)? => {}
                    _ => return Ok(false),
                }
            }
            Ok(true)
        }
        (Json::Arr(items), Json::Arr(parts)) => {
            for part in parts.items() {
                let mut found = false;
                for item in items.items() {
                    found = found || (item.kind() == part.kind() && contains(item, part)?);
                }
                if !found {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Json::Str(text), Json::Str(part)) => Ok(text.contains(&**part)),
        (value, part) if value.kind() == part.kind() => Ok(value == part),
        (value, part) => {
            let (value, part) = (value.described(), part.described());
            Err(format!("{value} and {part} cannot have their containment checked").into())
        }
    }
}

fn flatten(value: &Json, depth: f64, list: &mut Vec<Json>) -> Result<(), Stop> {
    let items: Vec<&Json> = match value {
        Json::Arr(items) => items.items().iter().collect(),
        Json::Obj(members) => members.iter().map(|(_, value)| value).collect(),
        other => return Err(format!("Cannot iterate over {}", other.described()).into()),
    };
    for item in items {
        match item {
            Json::Arr(_) if depth > 0.0 => flatten(item, depth - 1.0, list)?,
            other => list.push(other.clone()),
        }
    }
    Ok(())
}

fn indices(value: &Json, part: &Json) -> Result<Json, Stop> {
    Ok(match (value, part) {
        (Json::Null, _) => Json::Null,
        (Json::Str(_), Json::Str(part)) if part.is_empty() => Json::Null,
        (Json::Str(text), Json::Str(part)) => {
            let mut list = Vec::new();
            let (mut from, mut characters) = (0, 0_usize);
            while let Some(at) = text[from..].find(&**part) {
                characters += text[from..from + at].chars().count();
                list.push(Json::from(characters));
                let step = text[from + at..].chars().next().map_or(1, char::len_utf8);
                from += at + step;
                characters += 1;
            }
            list.into()
        }
        (Json::Arr(_), Json::Arr(_)) => paths::index(value, part)?,
        (Json::Arr(items), part) => {
            let found = items.items().iter().enumerate().filter(|(_, item)| *item == part);
            found.map(|(at, _)| Json::from(at)).collect()
        }
        (value, part) => paths::index(value, part)?,
    })
}
