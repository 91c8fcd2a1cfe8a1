//! Finds the file that a mistyped name probably meant.

use std::path::Path;

use crate::spelling;

/// Most entries of a folder that are compared.
const MAX_ENTRIES: usize = 10_000;

/// Returns the path of a file in the same folder with a similar name. Names that a terminal could
/// not show as they are, are ignored.
pub(crate) fn meant(file: &str) -> Option<String> {
    let path = Path::new(file);
    let typed = path.file_name()?.to_str()?;
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?;
    let names = entries.take(MAX_ENTRIES).filter_map(|entry| {
        let entry = entry.ok().filter(|entry| entry.path().is_file())?;
        entry.file_name().into_string().ok().filter(|name| cofferdam::visible(name) == *name)
    });
    let names: Vec<String> = names.collect();
    let near = spelling::nearest(typed, names.iter().map(String::as_str))?;
    Some(path.with_file_name(near).to_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_nearly_right_is_found_where_it_was_sought() {
        let folder = std::env::temp_dir().join(format!("cofferdam-nearby-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("tool.js"), "").expect("room");
        let path = |name: &str| folder.join(name).to_str().expect("UTF-8").to_owned();
        assert_eq!(meant(&path("tool.jss")), Some(path("tool.js")));
        assert_eq!(meant(&path("tool")), Some(path("tool.js")));
        assert_eq!(meant(&path("other.txt")), None);
        assert_eq!(meant(&path("no/such/tool.js")), None);
        assert_eq!(meant(""), None);
        std::fs::remove_dir_all(&folder).expect("it was there");
    }
}
