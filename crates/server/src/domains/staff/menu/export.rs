//! The menu as a file.

use std::collections::HashMap;

use entity::MenuId;
use entity::menu::{Kind, Model};
use kernel::lang::Lang;
use kernel::page::{Page, PageQuery};
use kernel::rules::{Check, max_chars};
use kernel::text::{Text, text};
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use super::store;
use crate::access::catalog;
use crate::app::App;
use crate::export::Paged;
use crate::fault::Outcome;
use crate::sheet::{Cells, Column, Table, column};

const COLUMNS: &[Column] = &[
    column(text("ID", "ID"), 8),
    column(text("名称", "Name"), 30),
    column(text("类型", "Kind"), 10),
    column(text("路径", "Path"), 30),
    column(text("权限码", "Code"), 30),
    column(text("排序", "Order"), 8),
    column(text("显示", "Shown"), 8),
    column(text("内置", "Built in"), 8),
    column(text("更新时间", "Updated at"), 20),
];

const fn kind_name(kind: Kind) -> Text {
    match kind {
        Kind::Section => text("分组", "Section"),
        Kind::Screen => text("页面", "Screen"),
        Kind::Button => text("按钮", "Button"),
    }
}

/// An entry with its whole path; a button has none.
#[derive(Debug)]
pub struct Placed {
    entry: Model,
    full_path: String,
}

fn fill(Placed { entry, full_path }: &Placed, to: &mut dyn Cells) {
    let lang = to.lang();
    to.number(entry.id.0);
    to.text(&catalog::title(&entry.code, &entry.name, lang));
    to.text(kind_name(entry.kind).get(lang));
    to.text(full_path);
    to.text(&entry.code);
    to.number(entry.sort.into());
    to.flag(entry.is_visible);
    to.flag(entry.is_builtin);
    to.time(Some(entry.updated_at));
}

/// The entries that are wanted.
#[derive(Clone, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct Menus {
    /// Part of the name in either language, the path or the code.
    #[serde(default)]
    #[param(max_length = 64)]
    pub key_word: Option<String>,
    /// Whether the menu draws it.
    #[serde(default)]
    pub visible: Option<bool>,
    /// Whether it came with the console.
    #[serde(default)]
    pub builtin: Option<bool>,
}

impl Menus {
    fn wants(&self, Placed { entry, full_path }: &Placed) -> bool {
        let Self { key_word, visible, builtin } = self;
        let has = |text: &str| {
            let names = Lang::ALL.map(|lang| catalog::title(&entry.code, &entry.name, lang));
            let all = [names.join("\n"), entry.code.clone(), full_path.clone()].join("\n");
            all.to_lowercase().contains(&text.to_lowercase())
        };
        key_word.as_deref().is_none_or(has)
            && visible.is_none_or(|wanted| wanted == entry.is_visible)
            && builtin.is_none_or(|wanted| wanted == entry.is_builtin)
    }
}

/// The tree from top to bottom, as the screen draws it.
fn placed(entries: Vec<Model>) -> Vec<Placed> {
    fn below(parent: Option<MenuId>, path: &str, left: &mut HashMap<Option<MenuId>, Vec<Model>>, to: &mut Vec<Placed>) {
        for entry in left.remove(&parent).unwrap_or_default() {
            let own = if entry.path.starts_with('/') {
                entry.path.clone()
            } else {
                format!("{}/{}", path.trim_end_matches('/'), entry.path)
            };
            let full_path = if entry.kind == Kind::Button { String::new() } else { own.clone() };
            let id = entry.id;
            to.push(Placed { entry, full_path });
            below(Some(id), &own, left, to);
        }
    }
    let mut left: HashMap<Option<MenuId>, Vec<Model>> = HashMap::new();
    for entry in entries {
        left.entry(entry.parent_id).or_default().push(entry);
    }
    let mut tree = Vec::new();
    below(None, "", &mut left, &mut tree);
    tree
}

impl Paged for Menus {
    type Row = Placed;
    const KIND: &'static str = "menu.export";

    fn table() -> Table<Placed> {
        Table { name: text("菜单", "Menus"), columns: COLUMNS, row: fill }
    }

    fn check(&self) -> Outcome<()> {
        let mut check = Check::new();
        check.optional("keyWord", self.key_word.as_deref(), |text| max_chars(text, 64));
        Ok(check.finish()?)
    }

    async fn page(&self, app: &App, wanted: PageQuery) -> Outcome<Page<Placed>> {
        let mut found = placed(store::all(app.db.read()).await?);
        found.retain(|one| self.wants(one));
        let total = found.len() as u64;
        let at = |number: u64| usize::try_from(number.min(total)).unwrap_or(found.len());
        let (start, end) = (at(wanted.offset()), at(wanted.offset() + wanted.page_size));
        Ok(Page::new(wanted, total, found.drain(start..end).collect()))
    }
}
