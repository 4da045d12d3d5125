//! Texts for people, always in both languages.

use crate::lang::Lang;

/// One sentence in Chinese and in English. `{name}` stands for a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    /// 中文, the default.
    pub zh: &'static str,
    /// English.
    pub en: &'static str,
}

/// A sentence in both languages; a missing one does not compile.
#[must_use]
pub const fn text(zh: &'static str, en: &'static str) -> Text {
    Text { zh, en }
}

impl Text {
    /// The sentence in `lang`, with its placeholders.
    #[must_use]
    pub const fn get(self, lang: Lang) -> &'static str {
        match lang {
            Lang::Zh => self.zh,
            Lang::En => self.en,
        }
    }
}

/// A sentence and the values of its placeholders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    text: Text,
    values: Vec<(&'static str, String)>,
}

impl Message {
    /// Adds the value for `{name}`.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.values.push((name, value.to_string()));
        self
    }

    /// The finished sentence in `lang`.
    #[must_use]
    pub fn get(&self, lang: Lang) -> String {
        self.values.iter().fold(self.text.get(lang).to_owned(), |sentence, (name, value)| {
            sentence.replace(&format!("{{{name}}}"), value)
        })
    }
}

impl From<Text> for Message {
    fn from(text: Text) -> Self {
        Self { text, values: Vec::new() }
    }
}

impl Text {
    /// This sentence with `value` for `{name}`.
    #[must_use]
    pub fn with(self, name: &'static str, value: impl ToString) -> Message {
        Message::from(self).with(name, value)
    }
}
