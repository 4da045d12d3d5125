//! The catalogue: every section, screen and permission code of the console.
//!
//! Sections and their order stand here; screens with their codes stand in the domains that serve them ([`screens!`]).
//! At start the catalogue is copied into the menu table (see [`super::sync`]), where operators may rename, move and hide
//! entries and add their own.
//!
//! [`screens!`]: crate::screens

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use entity::{GroupId, group_menu, menu};
use kernel::lang::Lang;
use kernel::text::{Text, text};
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, JoinType, QueryFilter as _, QuerySelect as _,
};
use serde_json::{Value, json};

/// A top-level group of screens.
#[derive(Debug)]
pub struct Section {
    /// Unique among all entries.
    pub code: &'static str,
    /// Its name; the Chinese one is copied into the menu table.
    pub name: Text,
    /// The first part of the paths of its screens.
    pub path: &'static str,
    /// The name of an icon that the console ships.
    pub icon: &'static str,
}

macro_rules! sections {
    ($($(#[$doc:meta])* $name:ident = $code:literal ($zh:literal, $en:literal), path $path:literal, icon $icon:literal;)+) => {
        $(
            $(#[$doc])*
            pub static $name: Section = Section { code: $code, name: text($zh, $en), path: $path, icon: $icon };
        )+
        /// The sections, in the order of the menu.
        static SECTIONS: &[&Section] = &[$(&$name),+];
    };
}

sections! {
    /// What concerns everybody.
    GENERAL = "general" ("概览", "Overview"), path "/", icon "dashboard";
    /// The customers.
    CUSTOMERS = "clientUsers" ("客户端用户", "Client users"), path "/clientUser", icon "user";
    /// Devices, the rooms that they stand in, their addresses and their power.
    DEVICES = "devices" ("设备与机房", "Devices and rooms"), path "/device", icon "device";
    /// Cloud phones: what customers rent.
    PHONES = "cloudPhones" ("云手机", "Cloud phones"), path "/cloudPhone", icon "phone";
    /// Where phones lie while nobody uses them.
    STORAGE = "storage" ("存储与备份", "Storage and backup"), path "/storage", icon "storage";
    /// Those who work at the console.
    STAFF = "staff" ("用户管理", "User management"), path "/user", icon "team";
    /// Settings of the installation.
    PLATFORM = "platform" ("平台设置", "Platform settings"), path "/platform", icon "setting";
}

/// A page. Declare it by [`screens!`](crate::screens), once it works.
#[derive(Debug)]
pub struct Screen {
    /// Where it stands.
    pub section: &'static Section,
    /// Its place within the section: smaller is higher. By tens, so that another one fits in between.
    pub at: u16,
    /// Unique among all entries.
    pub code: &'static str,
    /// Its name; the Chinese one is copied into the menu table.
    pub name: Text,
    /// The last part of its path; with a slash in front where the section's path is the whole.
    pub path: &'static str,
    /// The name of an icon.
    pub icon: &'static str,
    /// Permissions on it: `(code, name)`.
    pub buttons: &'static [(&'static str, Text)],
}

impl Screen {
    /// The page's whole path.
    #[must_use]
    pub fn full_path(&self) -> String {
        match self.path.strip_prefix('/') {
            Some(_) => self.path.to_owned(),
            None => format!("{}/{}", self.section.path.trim_end_matches('/'), self.path),
        }
    }
}

/// What the screen `code` of `screens` is called.
///
/// # Panics
/// When there is none: in a constant, it does not compile.
#[must_use]
pub const fn title_of(screens: &[Screen], code: &str) -> Text {
    let mut at = 0;
    while !is_same(screens[at].code, code) {
        at += 1;
    }
    screens[at].name
}

/// Texts cannot be compared by `==` in a constant.
const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    one.len() == other.len() && at == one.len()
}

/// Declares screens, each with its permissions: `SCREENS` is for the descriptor of the domain, and `perm` names what calls need.
///
/// ```
/// use base::access::catalog::GENERAL;
///
/// base::screens! {
///     screen "notes" ("便签", "Notes") in GENERAL at 90, path "notes", icon "info" {
///         NOTE_LIST = "note:list" ("查看", "View");
///     }
/// }
///
/// assert_eq!(perm::NOTE_LIST, base::access::need::Need::Code("note:list"));
/// assert_eq!(SCREENS[0].full_path(), "/notes");
/// ```
#[macro_export]
macro_rules! screens {
    ($(
        screen $code:literal ($zh:literal, $en:literal) in $section:ident at $at:literal, path $path:literal, icon $icon:literal {
            $($need:ident = $button:literal ($button_zh:literal, $button_en:literal);)*
        }
    )+) => {
        /// The permissions, by the names that the access tables use.
        pub mod perm {
            $($(
                #[doc = concat!("`", $button, "`: ", $button_en)]
                pub const $need: $crate::access::need::Need = $crate::access::need::Need::Code($button);
            )*)+
        }

        /// The screens, for the descriptor.
        pub const SCREENS: &[$crate::access::catalog::Screen] = &[$(
            $crate::access::catalog::Screen {
                section: &$section,
                at: $at,
                code: $code,
                name: ::kernel::text::text($zh, $en),
                path: $path,
                icon: $icon,
                buttons: &[$(($button, ::kernel::text::text($button_zh, $button_en))),*],
            }
        ),+];
    };
}

/// The screens of all domains.
#[derive(Clone, Debug)]
pub struct Catalogue(Arc<Known>);

#[derive(Debug)]
struct Known {
    /// The screens of each section, in the order of the menu. A section without a screen is not shown.
    tree: Vec<(&'static Section, Vec<&'static Screen>)>,
    /// What each entry is called.
    names: HashMap<&'static str, Text>,
}

impl Catalogue {
    /// The catalogue of these screens.
    #[must_use]
    pub fn of(screens: impl Iterator<Item = &'static Screen>) -> Self {
        let mut screens: Vec<_> = screens.collect();
        screens.sort_by_key(|screen| screen.at);
        let within = |section: &'static Section| {
            let own = screens.iter().copied().filter(|screen| screen.section.code == section.code);
            (section, own.collect::<Vec<_>>())
        };
        let tree: Vec<_> =
            SECTIONS.iter().map(|section| within(section)).filter(|(_, screens)| !screens.is_empty()).collect();
        let sections = tree.iter().map(|(section, _)| (section.code, section.name));
        let pages = screens.iter().map(|screen| (screen.code, screen.name));
        let buttons = screens.iter().flat_map(|screen| screen.buttons).copied();
        let names = sections.chain(pages).chain(buttons).collect();
        Self(Arc::new(Known { tree, names }))
    }

    /// The sections with their screens, in the order of the menu.
    #[must_use]
    pub fn tree(&self) -> &[(&'static Section, Vec<&'static Screen>)] {
        &self.0.tree
    }

    /// Every screen, in the order of the menu.
    pub fn screens(&self) -> impl Iterator<Item = &'static Screen> {
        self.0.tree.iter().flat_map(|(_, screens)| screens).copied()
    }

    /// Every permission code.
    #[must_use]
    pub fn codes(&self) -> Vec<&'static str> {
        self.screens().flat_map(|screen| screen.buttons).map(|(code, _)| *code).collect()
    }

    /// The name of an entry in both languages; none for an entry that operators made.
    #[must_use]
    pub fn name_of(&self, code: &str) -> Option<Text> {
        self.0.names.get(code).copied()
    }

    /// What a permission code lets one do, in words: its screen's name and its own.
    #[must_use]
    pub fn meaning_of(&self, code: &str) -> Option<(Text, Text)> {
        self.screens().find_map(|screen| {
            let (_, name) = screen.buttons.iter().find(|(button, _)| *button == code)?;
            Some((screen.name, *name))
        })
    }

    /// What an entry is called in `lang`: as it was renamed, else as the catalogue says.
    #[must_use]
    pub fn title(&self, code: &str, stored: &str, lang: Lang) -> String {
        self.name_of(code).filter(|name| name.zh == stored).map_or(stored, |name| name.get(lang)).to_owned()
    }

    /// Sections and screens as the API document has them: the console has their names and paths from there.
    #[must_use]
    pub fn described(&self) -> [(&'static str, Value); 2] {
        let pair = |name: Text| json!([name.zh, name.en]);
        let sections = self.tree().iter().map(|(section, _)| {
            let Section { code, name, path: _, icon } = section;
            json!({ "code": code, "title": pair(*name), "icon": icon })
        });
        let screens = self.screens().map(|screen| {
            let (section, path) = (screen.section.code, screen.full_path());
            json!({ "code": screen.code, "section": section, "title": pair(screen.name), "path": path, "icon": screen.icon })
        });
        [("sections", sections.collect()), ("screens", screens.collect())]
    }
}

/// The codes that `group` was assigned.
///
/// # Errors
/// When the read fails.
pub async fn codes_of(db: &impl ConnectionTrait, group: GroupId) -> Result<HashSet<String>, DbErr> {
    let codes: Vec<String> = menu::Entity::find()
        .select_only()
        .column(menu::Column::Code)
        .join_rev(
            JoinType::InnerJoin,
            group_menu::Entity::belongs_to(menu::Entity).from(group_menu::Column::MenuId).to(menu::Column::Id).into(),
        )
        .filter(group_menu::Column::GroupId.eq(group))
        .filter(menu::Column::Kind.eq(menu::MenuKind::Button))
        .into_tuple()
        .all(db)
        .await?;
    Ok(codes.into_iter().collect())
}
