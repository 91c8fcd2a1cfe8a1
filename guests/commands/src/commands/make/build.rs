//! Building of targets: which ones are out of date, and the running of their recipes.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::io::Write as _;

use super::{Make, Rule, USAGE, fatal, functions};
use crate::child::Child;
use crate::output::reason;

/// Longest chain of prerequisites; each link uses stack.
const MAX_CHAIN: usize = 200;

/// Result of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Made {
    /// The target was up to date.
    Current,
    /// A recipe ran.
    Remade,
    Failed,
    /// The target is being made: it needs itself.
    Under,
}

/// State of one build.
#[derive(Default)]
struct Build {
    made: HashMap<String, Made>,
    ran: usize,
}

/// Time of a file's last change in nanoseconds; `None` if the file is missing.
fn time(file: &str) -> Option<u64> {
    crate::files::status(file.as_bytes(), true).ok().map(|status| status.modified)
}

impl Make {
    pub(super) fn build_all(&mut self, goals: &[String]) -> Result<i32, i32> {
        let mut build = Build::default();
        let mut code = 0;
        for goal in goals {
            let before = build.ran;
            match self.target(&mut build, goal, None, 0)? {
                Made::Failed => {
                    code = USAGE.trouble;
                    if !self.options.keep_going {
                        return Ok(code);
                    }
                }
                Made::Remade if self.options.question => code = 1,
                _ if build.ran == before && !self.options.silent && !self.options.question => {
                    let has_recipe = self.rules_of(goal).iter().any(|rule| !rule.recipe.is_empty());
                    let text = match has_recipe && !self.is_phony(goal) {
                        true => format!("'{goal}' is up to date."),
                        false => format!("Nothing to be done for '{goal}'."),
                    };
                    println!("{}: {text}", self.name());
                }
                Made::Current | Made::Remade | Made::Under => {}
            }
        }
        Ok(code)
    }

    fn is_phony(&self, target: &str) -> bool {
        self.phony.iter().any(|phony| phony == target)
    }

    fn rules_of(&self, target: &str) -> Vec<Rule> {
        self.rules.iter().filter(|rule| rule.target == target).cloned().collect()
    }

    /// Brings a target up to date.
    fn target(
        &mut self,
        build: &mut Build,
        target: &str,
        needed_by: Option<&str>,
        depth: usize,
    ) -> Result<Made, i32> {
        match build.made.get(target) {
            Some(Made::Under) => {
                let by = needed_by.unwrap_or(target);
                eprintln!("{}: Circular {by} <- {target} dependency dropped.", self.name());
                return Ok(Made::Current);
            }
            Some(made) => return Ok(*made),
            None => {}
        }
        if depth > MAX_CHAIN {
            return Err(fatal(self, "the chain of prerequisites is too long"));
        }
        build.made.insert(target.to_owned(), Made::Under);
        let made = self.make_target(build, target, needed_by, depth)?;
        build.made.insert(target.to_owned(), made);
        Ok(made)
    }

    fn make_target(
        &mut self,
        build: &mut Build,
        target: &str,
        needed_by: Option<&str>,
        depth: usize,
    ) -> Result<Made, i32> {
        let rules = self.rules_of(target);
        let is_double = rules.iter().any(|rule| rule.is_double);
        let own: Vec<Rule> = match is_double {
            true => rules.into_iter().filter(|rule| rule.variables.is_empty()).collect(),
            false => vec![merged(target, rules)],
        };
        let mut answer = Made::Current;
        for mut rule in own {
            let mut is_known = self.rules.iter().any(|known| known.target == target);
            if rule.recipe.is_empty()
                && !self.is_phony(target)
                && let Some(found) = self.implicit(target, depth)
            {
                is_known = true;
                rule.recipe = found.recipe;
                rule.file = found.file;
                rule.stem = found.stem;
                let mut needs = found.needs;
                needs.extend(rule.needs);
                rule.needs = needs;
                rule.order_only.extend(found.order_only);
            }
            if !is_known && time(target).is_none() {
                let by = needed_by.map(|by| format!(", needed by '{by}'")).unwrap_or_default();
                let message = format!("No rule to make target '{target}'{by}");
                if self.options.keep_going {
                    let _ = std::io::stdout().flush();
                    eprintln!("{}: *** {message}.", self.name());
                    return Ok(Made::Failed);
                }
                return Err(fatal(self, &message));
            }
            let saved = self.enter_target(&rule)?;
            let made = self.one_rule(build, target, &rule, depth);
            self.leave_target(saved);
            match made? {
                Made::Failed => return Ok(Made::Failed),
                Made::Remade => answer = Made::Remade,
                Made::Current | Made::Under => {}
            }
        }
        Ok(answer)
    }

    /// Sets the variables of a target; returns the values that they had.
    fn enter_target(&mut self, rule: &Rule) -> Result<Vec<(String, Option<super::Variable>)>, i32> {
        let mut variables: Vec<(String, String, String)> = Vec::new();
        for pattern in &self.patterns {
            if !pattern.variables.is_empty()
                && functions::stem(&pattern.target, &rule.target).is_some()
            {
                variables.extend(pattern.variables.iter().cloned());
            }
        }
        variables.extend(rule.variables.iter().cloned());
        let mut saved = Vec::new();
        for (name, operator, value) in variables {
            let name = self.expand(&name)?;
            saved.push((name.clone(), self.variables.get(&name).cloned()));
            self.assign(&name, &operator, &value, super::Origin::File)?;
        }
        Ok(saved)
    }

    fn leave_target(&mut self, saved: Vec<(String, Option<super::Variable>)>) {
        for (name, old) in saved.into_iter().rev() {
            match old {
                Some(old) => self.variables.insert(name, old),
                None => self.variables.remove(&name),
            };
        }
    }

    fn one_rule(
        &mut self,
        build: &mut Build,
        target: &str,
        rule: &Rule,
        depth: usize,
    ) -> Result<Made, i32> {
        let mut failed = false;
        let mut remade = false;
        for need in rule.needs.iter().chain(&rule.order_only) {
            match self.target(build, need, Some(target), depth + 1)? {
                Made::Failed => {
                    failed = true;
                    if !self.options.keep_going {
                        return Ok(Made::Failed);
                    }
                }
                Made::Remade => remade |= rule.needs.contains(need),
                Made::Current | Made::Under => {}
            }
        }
        if failed {
            if depth == 0 && !self.options.dry && !self.options.question {
                let _ = std::io::stdout().flush();
                eprintln!("{}: Target '{target}' not remade because of errors.", self.name());
            }
            return Ok(Made::Failed);
        }
        let own = time(target);
        let is_old = self.options.old.iter().any(|old| old == target);
        let newer: Vec<String> = rule
            .needs
            .iter()
            .filter(|need| match (own, time(need)) {
                (Some(own), Some(need)) => need > own,
                _ => true,
            })
            .cloned()
            .collect();
        let is_due = self.options.always
            || self.is_phony(target)
            || own.is_none()
            || remade
            || rule
                .needs
                .iter()
                .any(|need| matches!((own, time(need)), (Some(own), Some(need)) if need > own));
        if is_old || !is_due {
            return Ok(Made::Current);
        }
        if rule.recipe.is_empty() {
            return Ok(if remade { Made::Remade } else { Made::Current });
        }
        if self.options.question {
            return Ok(Made::Remade);
        }
        self.automatic.push(automatic(target, rule, &newer));
        let done = self.recipe(build, target, rule);
        self.automatic.pop();
        Ok(if done? { Made::Remade } else { Made::Failed })
    }

    /// Finds a pattern rule whose prerequisites exist or can be made.
    fn implicit(&self, target: &str, depth: usize) -> Option<Rule> {
        if depth > MAX_CHAIN {
            return None;
        }
        let mut fits: Vec<(&Rule, String)> = self
            .patterns
            .iter()
            .filter(|rule| !rule.recipe.is_empty())
            .filter_map(|rule| {
                let stem = functions::stem(&rule.target, target)?;
                (!stem.is_empty()).then(|| (rule, stem.to_owned()))
            })
            .collect();
        // The most specific pattern is the one with the shortest stem.
        fits.sort_by_key(|(_, stem)| stem.len());
        for through in [false, true] {
            for (rule, stem) in &fits {
                let fill = |need: &String| need.replacen('%', stem, 1);
                let needs: Vec<String> = rule.needs.iter().map(fill).collect();
                let can = |need: &String| {
                    time(need).is_some()
                        || self.rules.iter().any(|known| known.target == *need)
                        || (through && need != target && self.implicit(need, depth + 20).is_some())
                };
                if needs.iter().all(can) {
                    return Some(Rule {
                        target: target.to_owned(),
                        needs,
                        order_only: rule.order_only.iter().map(fill).collect(),
                        stem: Some(stem.clone()),
                        ..(*rule).clone()
                    });
                }
            }
        }
        None
    }

    /// Runs the recipe of a target. Returns false if a line failed.
    fn recipe(&mut self, build: &mut Build, target: &str, rule: &Rule) -> Result<bool, i32> {
        build.ran += 1;
        if self.options.touch && !self.is_phony(target) {
            println!("touch {target}");
            let file = std::fs::File::options().append(true).create(true).open(target);
            let now = std::time::SystemTime::now();
            return Ok(file.and_then(|file| file.set_modified(now)).is_ok());
        }
        let whole = self.rules.iter().any(|rule| rule.target == ".ONESHELL");
        let lines: Vec<(usize, String)> = match whole {
            true => {
                let text: Vec<&str> = rule.recipe.iter().map(|(_, line)| line.as_str()).collect();
                vec![(rule.recipe.first().map_or(0, |(number, _)| *number), text.join("\n"))]
            }
            false => rule.recipe.clone(),
        };
        for (number, line) in lines {
            self.at = Some((rule.file.clone(), number));
            let expanded = self.expand(&line)?;
            let pieces = if whole || expanded.contains("\\\n") {
                vec![expanded.as_str()]
            } else {
                expanded.lines().collect()
            };
            for piece in pieces {
                if !self.recipe_line(target, rule, number, piece, &line)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn recipe_line(
        &mut self,
        target: &str,
        rule: &Rule,
        number: usize,
        text: &str,
        source: &str,
    ) -> Result<bool, i32> {
        let (mut quiet, mut ignore, mut always) = (false, false, false);
        let mut text = text.trim_start();
        while let Some(rest) = text.strip_prefix(['@', '-', '+']) {
            match text.as_bytes()[0] {
                b'@' => quiet = true,
                b'-' => ignore = true,
                _ => always = true,
            }
            text = rest.trim_start();
        }
        always |= source.contains("$(MAKE)") || source.contains("${MAKE}");
        if text.is_empty() {
            return Ok(true);
        }
        let is_silent = self.rules.iter().any(|rule| {
            rule.target == ".SILENT"
                && (rule.needs.is_empty() || rule.needs.iter().any(|n| n == target))
        });
        if self.options.dry || !(quiet || self.options.silent || is_silent) {
            println!("{text}");
        }
        if self.options.dry && !always {
            return Ok(true);
        }
        let _ = std::io::stdout().flush();
        let shell = self.variable("SHELL").unwrap_or_else(|| "/bin/sh".to_owned());
        let flags = self.variable(".SHELLFLAGS").unwrap_or_else(|| "-c".to_owned());
        let base = shell.rsplit('/').next().unwrap_or("sh").to_owned();
        let mut argv: Vec<OsString> = vec![base.into()];
        argv.extend(flags.split_whitespace().map(OsString::from));
        argv.push(text.into());
        let mut child = Child::new(&argv);
        child.env = Some(self.environment()?);
        let code = match child.run() {
            Ok(code) => code,
            Err(error) => {
                eprintln!("{}: {shell}: {}", self.name(), reason(&error));
                127
            }
        };
        if code == 0 {
            return Ok(true);
        }
        let what = match code {
            129.. => "Terminated".to_owned(),
            code => format!("Error {code}"),
        };
        let (name, file) = (self.name(), &rule.file);
        if ignore || self.options.ignore {
            if !self.options.silent {
                eprintln!("{name}: [{file}:{number}: {target}] {what} (ignored)");
            }
            return Ok(true);
        }
        eprintln!("{name}: *** [{file}:{number}: {target}] {what}");
        let deletes = self.rules.iter().any(|rule| rule.target == ".DELETE_ON_ERROR");
        if deletes && !self.is_phony(target) {
            let _ = std::fs::remove_file(target);
        }
        Ok(false)
    }

    /// Returns the environment of a recipe.
    pub(super) fn environment(&mut self) -> Result<Vec<(OsString, OsString)>, i32> {
        let names: Vec<String> = self
            .variables
            .iter()
            .filter(|(name, variable)| {
                let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
                let counts = variable.origin != super::Origin::Default;
                (variable.exported || (self.export_all && counts)) && is_plain
            })
            .map(|(name, _)| name.clone())
            .collect();
        let mut list = Vec::new();
        for name in names {
            let value = self.value(&name)?;
            list.push((name.into(), value.into()));
        }
        if let Some(shell) = std::env::var_os("SHELL") {
            list.push(("SHELL".into(), shell));
        }
        let flags = self.value("MAKEFLAGS")?;
        list.push(("MAKEFLAGS".into(), flags.into()));
        list.push(("MAKELEVEL".into(), (self.level + 1).to_string().into()));
        Ok(list)
    }
}

/// Joins all rules of a target into one.
fn merged(target: &str, rules: Vec<Rule>) -> Rule {
    let mut all = Rule { target: target.to_owned(), ..Rule::default() };
    for rule in rules {
        // The prerequisites of the rule with the recipe come first, for `$<`.
        if rule.recipe.is_empty() {
            all.needs.extend(rule.needs);
        } else {
            all.needs = [rule.needs, all.needs].concat();
            all.recipe = rule.recipe;
            all.file = rule.file;
            all.stem = rule.stem;
        }
        all.order_only.extend(rule.order_only);
        all.variables.extend(rule.variables);
    }
    let mut seen = std::collections::HashSet::new();
    all.needs.retain(|need| seen.insert(need.clone()));
    all
}

/// Returns the automatic variables of a recipe.
fn automatic(target: &str, rule: &Rule, newer: &[String]) -> BTreeMap<&'static str, String> {
    let mut seen = std::collections::HashSet::new();
    let single: Vec<&String> = rule.needs.iter().filter(|need| seen.insert(*need)).collect();
    let join = |list: &[&String]| list.iter().map(|s| s.as_str()).collect::<Vec<_>>().join(" ");
    let newer: Vec<&String> = newer.iter().collect();
    let stem = rule.stem.clone().unwrap_or_else(|| {
        let name = target.rfind('/').map_or(target, |at| &target[at + 1..]);
        name.rfind('.').map_or(String::new(), |at| name[..at].to_owned())
    });
    BTreeMap::from([
        ("@", target.to_owned()),
        ("<", rule.needs.first().cloned().unwrap_or_default()),
        ("^", join(&single)),
        ("+", rule.needs.join(" ")),
        ("?", join(&newer)),
        ("|", rule.order_only.join(" ")),
        ("*", stem),
    ])
}
