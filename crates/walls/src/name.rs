//! Paths in messages: a text where they are one, and bytes elsewhere. A path need not be text, and
//! most are, which is shorter and sooner read.

use std::ffi::OsString;
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(crate) fn serialize<S: Serializer>(path: impl AsRef<Path>, to: S) -> Result<S::Ok, S::Error> {
    match path.as_ref().to_str() {
        Some(text) => to.serialize_str(text),
        None => to.collect_seq(path.as_ref().as_os_str().as_bytes()),
    }
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
    from.deserialize_any(Form)
}

/// The two forms of a path.
struct Form;

impl<'de> Visitor<'de> for Form {
    type Value = PathBuf;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a path")
    }

    fn visit_str<E>(self, text: &str) -> Result<PathBuf, E> {
        Ok(PathBuf::from(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<PathBuf, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = list.next_element()? {
            bytes.push(byte);
        }
        Ok(OsString::from_vec(bytes).into())
    }
}

/// Lists of paths.
pub(crate) mod list {
    use super::*;

    #[derive(Serialize)]
    #[serde(transparent)]
    struct Lent<'a>(#[serde(with = "super")] &'a Path);

    #[derive(Deserialize)]
    #[serde(transparent)]
    struct Read(#[serde(with = "super")] PathBuf);

    pub(crate) fn serialize<S: Serializer>(paths: &[PathBuf], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(paths.iter().map(|path| Lent(path)))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<PathBuf>, D::Error> {
        let paths = Vec::<Read>::deserialize(from)?;
        Ok(paths.into_iter().map(|Read(path)| path).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;

    #[test]
    fn path_that_is_no_text_arrives_as_it_is() {
        let odd = PathBuf::from(OsString::from_vec(b"/home/m\xff/x".to_vec()));
        let plan = Plan {
            directory: odd.clone(),
            program: "/bin/true".into(),
            hidden: vec!["/a".into(), odd],
            ..Plan::default()
        };
        let text = serde_json::to_string(&plan).unwrap();
        assert!(text.contains(r#""program":"/bin/true""#), "{text}");
        let read: Plan = serde_json::from_str(&text).unwrap();
        assert_eq!((read.directory, read.hidden), (plan.directory, plan.hidden));
    }
}
