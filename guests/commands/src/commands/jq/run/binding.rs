//! Binds values to patterns, and runs the filters that see the variables.

use super::super::json::Json;
use super::super::paths;
use super::super::scope::{Item, Name, Scope};
use super::super::stack::{Binding, Bound, Choice, Step, Steps, Stop, Unbound};
use super::super::syntax::Pattern;
use super::machine::is_quick;
use super::{Doing, Next, Run};

impl<'a> Run<'a, '_> {
    /// Binds a value to patterns, of which later ones are tried if earlier ones fail.
    pub(super) fn patterns(
        &mut self,
        patterns: &'a [Pattern],
        scope: Scope<'a>,
        value: Json,
        then: Bound<'a>,
        steps: Steps<'a>,
    ) -> Doing<'a> {
        if let [Pattern::Variable(name)] = patterns {
            return self.bound(then, scope.with(Name::Variable(name, value))?, steps);
        }
        let mut scope = scope;
        if patterns.len() > 1 {
            let mut names = Vec::new();
            patterns.iter().for_each(|pattern| pattern.names(&mut names));
            for name in names {
                scope = scope.with(Name::Variable(name, Json::Null))?;
            }
        }
        let binding = Box::new(Binding { work: Vec::new(), scope, then });
        self.try_patterns(patterns, value, binding, steps)
    }

    pub(super) fn try_patterns(
        &mut self,
        patterns: &'a [Pattern],
        value: Json,
        mut binding: Box<Binding<'a>>,
        steps: Steps<'a>,
    ) -> Doing<'a> {
        let Some((first, rest)) = patterns.split_first() else { return Ok(Next::Back) };
        if !rest.is_empty() {
            let choice = (value.clone(), binding.clone(), steps.clone());
            self.leave(Choice::Patterns(rest, choice.0, choice.1, choice.2))?;
        }
        binding.work.push(Unbound::Pattern(first, value));
        self.bind(binding, steps)
    }

    pub(super) fn bind(&mut self, mut binding: Box<Binding<'a>>, steps: Steps<'a>) -> Doing<'a> {
        while let Some(work) = binding.work.pop() {
            match work {
                Unbound::Pattern(Pattern::Variable(name), value) => {
                    binding.scope = binding.scope.with(Name::Variable(name, value))?;
                }
                Unbound::Pattern(Pattern::Array(items), value) => {
                    for (at, item) in items.iter().enumerate().rev() {
                        let part = paths::index(&value, &at.into())?;
                        binding.work.push(Unbound::Pattern(item, part));
                    }
                }
                Unbound::Pattern(Pattern::Object(members), value) => {
                    binding.work.push(Unbound::Members(members, value));
                }
                Unbound::Members(members, value) => {
                    let Some((_, key, _)) = members.first() else { continue };
                    let found = self.quick(key, &binding.scope, &value);
                    let input = value.clone();
                    binding.work.push(Unbound::Members(members, value));
                    match found {
                        Some(key) => binding.key(key?)?,
                        None => {
                            let scope = binding.scope.clone();
                            let steps = steps.then(Step::BindMember(binding))?;
                            return Ok(Next::Run(key, scope, Item::of(input), steps));
                        }
                    }
                }
            }
        }
        let Binding { scope, then, .. } = *binding;
        self.bound(then, scope, steps)
    }

    fn bound(&mut self, then: Bound<'a>, scope: Scope<'a>, steps: Steps<'a>) -> Doing<'a> {
        match then {
            Bound::Body(filter, input) => Ok(Next::Run(filter, scope, input, steps)),
            Bound::Reduce(at, update) => {
                let Some(Choice::Reduce(state, _)) = self.choices.get_mut(at) else {
                    return Ok(Next::Back);
                };
                let Some(old) = state.take() else { return Ok(Next::Back) };
                if old.path.untracked() && is_quick(update) {
                    *state = Some(Item::of(self.machine.single(update, &scope, old.value)?));
                    return Ok(Next::Back);
                }
                let last = self.leave(Choice::Update(None, at, old.path.lost()))?;
                let steps = Steps::default().then(Step::Last(last))?;
                Ok(Next::Run(update, scope, old, steps))
            }
            Bound::Foreach(at, update, extract) => {
                let Some(Choice::Foreach(state)) = self.choices.get_mut(at) else {
                    return Ok(Next::Back);
                };
                let old = std::mem::replace(state, Item::of(Json::Null));
                let steps = steps.then(Step::State(at, extract, scope.clone()))?;
                Ok(Next::Run(update, scope, old, steps))
            }
        }
    }
}

impl Binding<'_> {
    /// Binds the first of the members that are left, whose key is this one.
    pub(super) fn key(&mut self, key: Json) -> Result<(), Stop> {
        let Some(Unbound::Members(members, value)) = self.work.pop() else { return Ok(()) };
        let Some(((name, _, pattern), rest)) = members.split_first() else { return Ok(()) };
        if !matches!(key, Json::Str(_)) {
            return Err(format!("Cannot index {} with {}", value.kind(), key.kind()).into());
        }
        let member = paths::index(&value, &key)?;
        self.work.push(Unbound::Members(rest, value));
        if let Some(name) = name {
            self.scope = self.scope.with(Name::Variable(name, member.clone()))?;
        }
        self.work.extend(pattern.as_ref().map(|pattern| Unbound::Pattern(pattern, member)));
        Ok(())
    }
}
