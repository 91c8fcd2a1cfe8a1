//! The two stacks of a running filter, both on the heap: the steps that wait for a value, and the
//! places to go back to for another value.
//!
//! A filter that may have several outputs hands over the first one and leaves a [`Choice`]. A filter
//! whose parts run before it leaves a [`Step`] for what is to be done with their outputs. Steps are a
//! shared list, because each choice continues with the steps that waited when it was made.

use std::rc::Rc;

use super::json::{Json, Object};
use super::regex::Match;
use super::scope::{Item, Path, Scope};
use super::syntax::{Definition, Filter, Operator, Part, Pattern};

/// Most steps, choices, nested scopes and path elements of a running filter, because each takes
/// memory of the cell: about 100 bytes.
pub(super) const MAX_FRAMES: usize = 200_000;

/// Most assignments and lists of patterns that wait for a filter inside of them, because each takes
/// about 1,000 bytes.
pub(super) const MAX_HEAVY: usize = 20_000;

/// A reason to stop producing outputs.
#[derive(Debug)]
pub(super) enum Stop {
    Error(Json),
    Break(usize),
    Halt(i32),
}

impl From<String> for Stop {
    fn from(message: String) -> Self {
        Stop::Error(message.into())
    }
}

pub(super) fn too_deep() -> Stop {
    Stop::Error("filter is nested too deep".into())
}

/// The steps that wait for a value, the next one first.
#[derive(Clone, Default)]
pub(super) struct Steps<'a>(Option<Rc<Frame<'a>>>);

#[derive(Clone)]
struct Frame<'a> {
    step: Step<'a>,
    rest: Steps<'a>,
    depth: usize,
}

impl<'a> Steps<'a> {
    pub(super) fn then(self, step: Step<'a>) -> Result<Self, Stop> {
        let depth = self.0.as_ref().map_or(0, |frame| frame.depth);
        if depth >= MAX_FRAMES {
            return Err(too_deep());
        }
        Ok(Steps(Some(Rc::new(Frame { step, rest: self, depth: depth + 1 }))))
    }

    /// Returns the next step and the ones after it.
    pub(super) fn split(mut self) -> Option<(Step<'a>, Steps<'a>)> {
        let frame = Rc::unwrap_or_clone(self.0.take()?);
        Some((frame.step, frame.rest))
    }
}

impl Drop for Steps<'_> {
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(frame) = next {
            next = Rc::into_inner(frame).and_then(|mut frame| frame.rest.0.take());
        }
    }
}

/// Something to do with a value. Numbers are places in the list of choices.
#[derive(Clone)]
pub(super) enum Step<'a> {
    /// Runs the second filter of a pipe.
    Run(&'a Filter, Scope<'a>),
    /// Runs one of two filters on the item.
    Branch(&'a Filter, &'a Filter, Scope<'a>, Item),
    /// Takes the part of the value that the key names.
    Part(Json),
    /// Runs a filter on the item, and takes the part of the result that the value names.
    PartOf(&'a Filter, Scope<'a>, Item),
    /// Hands over the elements of the value one by one.
    Each,
    Negate(Path),
    /// Runs the left side of an operator.
    Left(Operator, &'a Filter, Scope<'a>, Item),
    Calculate(Operator, Json, Path),
    /// Runs the right side of `and` or `or`, unless the value equals the truth.
    Both(&'a Filter, bool, Scope<'a>, Item),
    Truth(Path),
    /// Collects the value for the array of a choice.
    Collect(usize),
    /// Collects the path of the item for the change of a choice.
    CollectPath(usize),
    /// Hands over the path of the item.
    ShowPath(Path),
    Key(Box<Building<'a>>),
    Member(Rc<str>, Box<Building<'a>>),
    Text(Box<Writing<'a>>),
    Argument(Box<Calling<'a>>),
    Parameter(Box<Entering<'a>>),
    /// Ends the body of a `try`: errors after it are not its own.
    Tried(usize),
    /// Lets true values of the left side of `//` pass.
    Alternative(usize),
    /// Binds the value to patterns.
    Bind(&'a [Pattern], Scope<'a>, Bound<'a>),
    /// Takes the value for the key of a member in a pattern.
    BindMember(Box<Binding<'a>>),
    /// Starts a `reduce` or a `foreach` with the item as its state.
    Fold(&'a Filter, &'a [Pattern], &'a Filter, Option<Option<&'a Filter>>, Scope<'a>, Json),
    /// Keeps the item for a choice that wants the last one.
    Last(usize),
    /// Keeps the item as the state of a `foreach`, and runs its last part.
    State(usize, Option<&'a Filter>, Scope<'a>),
    First(usize),
    Limit(usize),
    Skip(usize),
    /// Hands over the opposite of the truth that the choice holds.
    Settle(usize),
    /// Runs the condition of `any` or `all`, which stops at this truth.
    Condition(usize, bool, &'a Filter, Scope<'a>),
    Found(usize, bool),
    Assign(Option<Operator>, bool, &'a Filter, Scope<'a>, Item),
    /// Takes the value as the new one of the part that `|=` is at.
    Changed(usize),
    Replace(Box<Replacing<'a>>),
}

/// An object that is being built.
#[derive(Clone)]
pub(super) struct Building<'a> {
    pub(super) members: &'a [(Filter, Filter)],
    pub(super) object: Object,
    pub(super) scope: Scope<'a>,
    pub(super) input: Item,
}

/// A string that is being put together, from its end.
#[derive(Clone)]
pub(super) struct Writing<'a> {
    pub(super) format: Option<&'a str>,
    pub(super) parts: &'a [Part],
    pub(super) tail: String,
    pub(super) scope: Scope<'a>,
    pub(super) input: Item,
}

/// A function of the library whose arguments are being computed.
#[derive(Clone)]
pub(super) struct Calling<'a> {
    pub(super) name: &'a str,
    pub(super) arguments: &'a [Filter],
    /// Number of arguments that are values; the others are filters.
    pub(super) wanted: usize,
    pub(super) values: Vec<Json>,
    pub(super) scope: Scope<'a>,
    pub(super) input: Item,
}

/// A function of the program whose parameters are being set.
#[derive(Clone)]
pub(super) struct Entering<'a> {
    pub(super) definition: &'a Definition,
    pub(super) arguments: &'a [Filter],
    pub(super) set: usize,
    pub(super) inner: Scope<'a>,
    pub(super) scope: Scope<'a>,
    pub(super) input: Item,
}

/// Something to run once patterns are bound.
#[derive(Clone)]
pub(super) enum Bound<'a> {
    Body(&'a Filter, Item),
    Reduce(usize, &'a Filter),
    Foreach(usize, &'a Filter, Option<&'a Filter>),
}

/// A pattern that is being bound: the parts that are left, the next one last.
#[derive(Clone)]
pub(super) struct Binding<'a> {
    pub(super) work: Vec<Unbound<'a>>,
    pub(super) scope: Scope<'a>,
    pub(super) then: Bound<'a>,
}

#[derive(Clone)]
pub(super) enum Unbound<'a> {
    Pattern(&'a Pattern, Json),
    Members(&'a [(Option<String>, Filter, Option<Pattern>)], Json),
}

/// A text whose matches are being replaced.
#[derive(Clone)]
pub(super) struct Replacing<'a> {
    pub(super) text: Rc<str>,
    pub(super) found: Rc<[Match]>,
    pub(super) at: usize,
    pub(super) done: String,
    pub(super) from: usize,
    pub(super) f: &'a Filter,
    pub(super) scope: Scope<'a>,
    pub(super) path: Path,
}

/// A place to go back to: for another output, after the last output, or after an error.
pub(super) enum Choice<'a> {
    Run(&'a Filter, Scope<'a>, Item, Steps<'a>),
    /// The elements of a value from a place on.
    Each(Item, usize, Steps<'a>),
    /// The items of `..` that are left, the next one last.
    Recurse(Vec<Item>, Steps<'a>),
    Range(f64, f64, f64, Path, Steps<'a>),
    Inputs(Path, Steps<'a>),
    Collect(Vec<Json>, Path, Steps<'a>),
    Try(Option<&'a Filter>, Scope<'a>, Item, Steps<'a>),
    /// Hides the choice at this place from errors of what comes after its filter.
    Passed(usize),
    Alternative(bool, &'a Filter, Scope<'a>, Item, Steps<'a>),
    Label(usize),
    /// The state of a `reduce`.
    Reduce(Option<Item>, Steps<'a>),
    /// The last output of a `reduce`'s update, the choice of the `reduce`, and the path of no output.
    Update(Option<Item>, usize, Path),
    /// The state of a `foreach`.
    Foreach(Item),
    Patterns(&'a [Pattern], Json, Box<Binding<'a>>, Steps<'a>),
    Last(Option<Item>, Steps<'a>),
    /// The steps after `first`, or after `limit` or `skip` with a number of items left.
    First(Steps<'a>),
    Count(f64),
    /// Hands over the truth after the last output.
    Otherwise(bool, Path, Steps<'a>),
    Change(Box<Changing<'a>>, Steps<'a>),
}

impl Choice<'_> {
    /// Returns true if the choice takes much memory.
    pub(super) fn heavy(&self) -> bool {
        matches!(self, Choice::Change(..) | Choice::Patterns(..))
    }
}

/// An assignment: the paths of its target, and the value that is changed.
pub(super) struct Changing<'a> {
    pub(super) how: Change<'a>,
    pub(super) paths: Vec<Vec<Json>>,
    /// Number of paths that are done.
    pub(super) done: usize,
    pub(super) collected: bool,
    pub(super) doomed: Vec<Json>,
    pub(super) value: Json,
    pub(super) path: Path,
}

pub(super) enum Change<'a> {
    Set(Json),
    /// `a += b` and the like; `None` is `//=`.
    Calculate(Option<Operator>, Json),
    Modify(&'a Filter, Scope<'a>),
}
