//! What acts and kinds of objects are called in the operation log.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use kernel::lang::Lang;
use kernel::text::Text;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::catalog::Catalogue;
use super::need::{Need, Route};
use crate::log::change::{self, Change};
use crate::log::shape::Shapes;
use crate::log::{Settings, Shape, Turn};

/// A word of the log and what it means, to filter by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Word {
    /// As the log keeps it.
    pub code: String,
    /// In the caller's language.
    pub name: String,
}

/// The words of all domains.
#[derive(Clone, Debug)]
pub struct Words(Arc<Known>);

struct Known {
    routes: Routes,
    /// What each act needs; made when somebody first asks what one is called.
    needs: OnceLock<BTreeMap<&'static str, Need>>,
    acts: BTreeMap<&'static str, Text>,
    turns: Vec<Turn>,
    kinds: BTreeMap<&'static str, Text>,
    catalogue: Catalogue,
    shaped: Vec<Shape>,
    settings: Vec<Settings>,
    document: Document,
    /// Made when somebody first reads a line: it takes the whole API document.
    shapes: OnceLock<Shapes>,
}

/// Makes the access table: a quarter of a console's start, and only who reads the log wants it of the words.
pub type Routes = Box<dyn Fn() -> Vec<Route> + Send + Sync>;

/// Makes the API document.
pub type Document = Box<dyn Fn() -> Value + Send + Sync>;

/// What the log's words are made of.
pub struct Lexicon {
    /// The access table.
    pub routes: Routes,
    /// The screens.
    pub catalogue: Catalogue,
    /// Names of acts.
    pub acts: BTreeMap<&'static str, Text>,
    /// Names of acts by what became of the object.
    pub turns: Vec<Turn>,
    /// Names of kinds of objects.
    pub kinds: BTreeMap<&'static str, Text>,
    /// What is known of the kinds of objects.
    pub shapes: Vec<Shape>,
    /// The settings documents.
    pub settings: Vec<Settings>,
    /// Where the schemas are.
    pub document: Document,
}

impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Known").field("acts", &self.acts).field("kinds", &self.kinds).finish_non_exhaustive()
    }
}

impl Words {
    /// The words of all domains.
    #[must_use]
    pub fn of(lexicon: Lexicon) -> Self {
        let Lexicon { routes, catalogue, acts, turns, kinds, shapes, settings, document } = lexicon;
        Self(Arc::new(Known {
            routes,
            needs: OnceLock::new(),
            acts,
            turns,
            kinds,
            catalogue,
            shaped: shapes,
            settings,
            document,
            shapes: OnceLock::new(),
        }))
    }

    fn needs(&self) -> &BTreeMap<&'static str, Need> {
        let made = || (self.0.routes)().iter().filter(|route| route.acts).flat_map(Route::actions).collect();
        self.0.needs.get_or_init(made)
    }

    fn shapes(&self) -> &Shapes {
        self.0.shapes.get_or_init(|| Shapes::of(&(self.0.document)(), &self.0.shaped, &self.0.settings))
    }

    /// What an act that left its object as `after` is called: of a call that does several, the one that was done.
    #[must_use]
    pub fn done(&self, action: &str, after: Option<&Value>, lang: Lang) -> String {
        let turned = self.0.turns.iter().filter(|turn| turn.act == action).find(|turn| {
            after.and_then(|after| after.get(turn.field)).is_some_and(|value| format!("{value}") == turn.value)
        });
        turned.map_or_else(|| self.action(action, lang), |turn| turn.name.get(lang).to_owned())
    }

    /// What an act on the object `id` of a `kind` changed, field by field.
    #[must_use]
    pub fn changes(
        &self,
        (kind, id): (&str, &str),
        before: Option<&Value>,
        after: Option<&Value>,
        lang: Lang,
    ) -> Vec<Change> {
        let code = |code: &str| self.meaning(code, lang);
        let shapes = self.shapes();
        change::changes(shapes, &code, &shapes.kind_of(kind, id), before, after, lang)
    }

    /// What the field `path` of a `kind` of object is called.
    #[must_use]
    pub fn label(&self, kind: &str, path: &str, lang: Lang) -> String {
        self.shapes().label(kind, path, lang)
    }

    /// Whether it is certain what the field `key` of a `kind` of object is called.
    #[must_use]
    pub fn names(&self, kind: &str, key: &str) -> bool {
        self.shapes().names(kind, key)
    }

    /// What `action` is called: a name of its own, else its permission's screen and button. A word that no act has (any
    /// longer) stands for itself.
    #[must_use]
    pub fn action(&self, action: &str, lang: Lang) -> String {
        if let Some(name) = self.0.acts.get(action) {
            return name.get(lang).to_owned();
        }
        let meaning = match self.needs().get(action) {
            Some(Need::Code(code)) => self.0.catalogue.meaning_of(code),
            Some(Need::Nothing | Need::Session | Need::AnySession | Need::OneOf(_)) | None => None,
        };
        meaning.map_or_else(|| action.to_owned(), |meaning| in_words(meaning, lang))
    }

    /// What a permission's code means.
    fn meaning(&self, code: &str, lang: Lang) -> Option<String> {
        Some(in_words(self.0.catalogue.meaning_of(code)?, lang))
    }

    /// What `kind` is called; one that is not known stands for itself.
    #[must_use]
    pub fn kind(&self, kind: &str, lang: Lang) -> String {
        self.0.kinds.get(kind).map_or(kind, |name| name.get(lang)).to_owned()
    }

    /// What the object `id` is called: its name at the time, unless it is one of the program's own things.
    #[must_use]
    pub fn object(&self, kind: &str, id: &str, name: String, lang: Lang) -> String {
        let own = self.0.settings.iter().find(|entry| kind == "setting" && entry.name == id);
        own.map_or(name, |own| own.title.get(lang).to_owned())
    }

    /// Every act of a call, by its name.
    #[must_use]
    pub fn actions(&self, lang: Lang) -> Vec<Word> {
        by_name(self.needs().keys().map(|code| Word { code: (*code).to_owned(), name: self.action(code, lang) }))
    }

    /// Every kind of object, by its name.
    #[must_use]
    pub fn kinds(&self, lang: Lang) -> Vec<Word> {
        by_name(
            self.0
                .kinds
                .iter()
                .filter(|(code, _)| !code.contains('.'))
                .map(|(code, name)| Word { code: (*code).to_owned(), name: name.get(lang).to_owned() }),
        )
    }
}

fn in_words((screen, button): (Text, Text), lang: Lang) -> String {
    format!("{} · {}", screen.get(lang), button.get(lang))
}

fn by_name(words: impl Iterator<Item = Word>) -> Vec<Word> {
    let mut words: Vec<Word> = words.collect();
    words.sort_by(|a, b| a.name.cmp(&b.name));
    words
}
