//! Options put together from a file, the environment and the command line, in this order: the later
//! source wins.

use toml::{Table, Value};

use crate::settings::Settings;

/// Beginning of the environment variables that set options: `COFFERDAM_SERVE_DRAIN_SECONDS=30`.
pub const ENV_PREFIX: &str = "COFFERDAM_SERVE_";

/// Sources of options.
#[derive(Debug, Default)]
pub struct Sources {
    table: Table,
}

impl Sources {
    /// Adds the text of a TOML file.
    pub fn file(mut self, text: &str) -> Result<Self, String> {
        let table: Table = text
            .parse()
            .map_err(|error: toml::de::Error| error.to_string().trim_end().to_owned())?;
        self.table.extend(table);
        Ok(self)
    }

    /// Adds environment variables.
    pub fn environment(mut self, variables: impl IntoIterator<Item = (String, String)>) -> Self {
        for (name, value) in variables {
            if let Some(name) = name.strip_prefix(ENV_PREFIX) {
                self.set(&name.to_ascii_lowercase().replace('_', "-"), &value);
            }
        }
        self
    }

    /// Sets one option. Text that is a number, a truth value or a list in TOML is one.
    pub fn set(&mut self, name: &str, value: &str) {
        let parsed = format!("v = {value}").parse::<Table>();
        let value = match parsed.ok().and_then(|mut table| table.remove("v")) {
            Some(
                value @ (Value::Integer(_) | Value::Boolean(_) | Value::Array(_) | Value::Table(_)),
            ) => value,
            Some(_) | None => Value::String(value.to_owned()),
        };
        self.table.insert(name.to_owned(), value);
    }

    /// Adds items to an option that is a list.
    pub fn add(&mut self, name: &str, items: impl IntoIterator<Item = String>) {
        let list = self.table.entry(name.to_owned()).or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(list) = list {
            list.extend(items.into_iter().map(Value::String));
        }
    }

    /// Returns the options.
    pub fn settings(self) -> Result<Settings, String> {
        let settings: Settings =
            self.table.try_into().map_err(|error| error.to_string().trim_end().to_owned())?;
        settings.check()?;
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_later_source_wins() {
        let variables = [
            ("COFFERDAM_SERVE_RATE", "7"),
            ("COFFERDAM_SERVE_LISTEN", "127.0.0.1:1"),
            ("COFFERDAM_SERVE_LIMITS", "{ timeoutMs = 1 }"),
            ("HOME", "/"),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let file = "rate = 5\nburst = 6\nhosts = ['a']";
        let mut sources = Sources::default().file(file).unwrap().environment(variables);
        sources.set("listen", "127.0.0.1:2");
        sources.add("hosts", ["b".to_owned()]);
        let settings = sources.settings().unwrap();
        assert_eq!((settings.rate, settings.burst), (7, 6));
        assert_eq!(settings.listen.port(), 2);
        assert_eq!(settings.hosts, ["a", "b"]);
        assert_eq!(settings.limits["timeoutMs"], 1);
    }

    #[test]
    fn a_wrong_value_names_its_option() {
        let mut sources = Sources::default();
        sources.set("listen", "here");
        assert!(sources.settings().unwrap_err().contains("listen"));
    }
}
