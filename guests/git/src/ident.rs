//! Names and times of authors and committers.

use crate::bytes::{text, variable};
use crate::fault::{Fault, Result, fatal};
use crate::repo::Repo;
use crate::text::date;

const UNKNOWN: &str = "*** Please tell me who you are.

Run

  git config --global user.email \"you@example.com\"
  git config --global user.name \"Your Name\"

to set your account's default identity.
Omit --global to set the identity only in this repository.

";

/// A name and an address.
pub(crate) type Person = (&'static str, &'static str);

/// Stands in a history of references for a user who has set no name.
pub(crate) const SOMEBODY: Person = ("user", "user@cofferdam");
/// Makes stashes for a user who has set no name.
pub(crate) const STASH: Person = ("git stash", "git@stash");

/// Returns the committer's line: `Name <mail> seconds zone`.
pub(crate) fn committer(repo: &Repo) -> Result<Vec<u8>> {
    line(repo, "COMMITTER", None, None)
}

/// Returns the committer's line, with another person if no name is set.
pub(crate) fn committer_or(repo: &Repo, person: Person) -> Result<Vec<u8>> {
    line(repo, "COMMITTER", None, Some(person))
}

/// Returns the author's line; `given` is the date of `--date`.
pub(crate) fn author(repo: &Repo, given: Option<&str>) -> Result<Vec<u8>> {
    line(repo, "AUTHOR", given, None)
}

fn line(
    repo: &Repo,
    role: &str,
    given: Option<&str>,
    otherwise: Option<Person>,
) -> Result<Vec<u8>> {
    let lower = role.to_ascii_lowercase();
    let setting = |what: &str| {
        let own = repo.config.get(&format!("{lower}.{what}"));
        own.or_else(|| repo.config.get(&format!("user.{what}")))
            .map(|value| value.as_bytes().to_vec())
    };
    let name = variable(&format!("GIT_{role}_NAME")).or_else(|| setting("name"));
    let mail = variable(&format!("GIT_{role}_EMAIL"))
        .or_else(|| setting("email"))
        .or_else(|| variable("EMAIL"));
    let known = name.zip(mail).or_else(|| {
        otherwise.map(|(name, mail)| (name.as_bytes().to_vec(), mail.as_bytes().to_vec()))
    });
    let Some((name, mail)) = known else {
        let problem = "fatal: unable to auto-detect email address";
        let title = if role == "AUTHOR" { "Author" } else { "Committer" };
        return Err(Fault {
            code: crate::fault::FATAL,
            text: format!("{title} identity unknown\n\n{UNKNOWN}{problem}"),
        });
    };
    let time = match given
        .map(|text| text.as_bytes().to_vec())
        .or_else(|| variable(&format!("GIT_{role}_DATE")))
    {
        Some(given) => {
            let given = text(&given);
            let parsed = date::parse(&given, Repo::now());
            parsed.ok_or_else(|| fatal(format!("invalid date format: {given}")))?
        }
        None => (Repo::now(), 0),
    };
    let tail = format!("> {} {}", time.0, date::zone_text(time.1));
    Ok([&clean(&name), b" <".as_slice(), &clean(&mail), tail.as_bytes()].concat())
}

/// Removes characters that would break the line.
fn clean(text: &[u8]) -> Vec<u8> {
    let kept = text.iter().copied().filter(|b| !b"<>\n\0".contains(b));
    kept.collect::<Vec<u8>>().trim_ascii().to_vec()
}
