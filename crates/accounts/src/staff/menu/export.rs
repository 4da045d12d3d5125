//! The menu as a file.

use std::borrow::Cow;
use std::collections::HashMap;
use std::convert::Infallible;

use base::access::catalog::Catalogue;
use base::fault::Outcome;
use base::http::{Need, Validate};
use base::list::{Column, List, Order, Reader, column, updated_at};
use entity::MenuId;
use entity::menu::{MenuKind as Kind, Model};
use kernel::lang::Lang;
use kernel::page::{Page, PageQuery};
use kernel::rules::Check;
use kernel::text::{Text, text};
use serde::{Deserialize, Serialize};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use super::store;
use super::view::MenuView;
use crate::screens::perm;

/// An entry with its full path; a button has none.
#[derive(Debug)]
pub struct Placed {
    entry: Model,
    title: String,
    full_path: String,
}

/// The page shows it as a [`MenuView`].
impl PartialSchema for Placed {
    fn schema() -> RefOr<Schema> {
        MenuView::schema()
    }
}

impl ToSchema for Placed {
    fn name() -> Cow<'static, str> {
        MenuView::name()
    }
}

/// A filter for entries.
#[derive(Clone, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct MenuFilter {
    /// Part of the name in either language, the path or the code.
    #[serde(default)]
    #[param(max_length = 64)]
    pub key_word: Option<String>,
    /// Whether the menu shows it.
    #[serde(default)]
    pub visible: Option<bool>,
    /// Whether it is built in.
    #[serde(default)]
    pub builtin: Option<bool>,
}

impl MenuFilter {
    fn wants(&self, Placed { entry, title: _, full_path }: &Placed, catalogue: &Catalogue) -> bool {
        let Self { key_word, visible, builtin } = self;
        let has = |text: &str| {
            let names = Lang::ALL.map(|lang| catalogue.title(&entry.code, &entry.name, lang));
            let all = [names.join("\n"), entry.code.clone(), full_path.clone()].join("\n");
            all.to_lowercase().contains(&text.to_lowercase())
        };
        key_word.as_deref().is_none_or(has)
            && visible.is_none_or(|wanted| wanted == entry.is_visible)
            && builtin.is_none_or(|wanted| wanted == entry.is_builtin)
    }
}

/// The tree from top to bottom, as the page shows it.
fn placed(entries: Vec<Model>, catalogue: &Catalogue, lang: Lang) -> Vec<Placed> {
    fn below(parent: Option<MenuId>, path: &str, left: &mut HashMap<Option<MenuId>, Vec<Model>>, to: &mut Vec<Placed>) {
        for entry in left.remove(&parent).unwrap_or_default() {
            let own = if entry.path.starts_with('/') {
                entry.path.clone()
            } else {
                format!("{}/{}", path.trim_end_matches('/'), entry.path)
            };
            let full_path = if entry.kind == Kind::Button { String::new() } else { own.clone() };
            let id = entry.id;
            to.push(Placed { title: String::new(), entry, full_path });
            below(Some(id), &own, left, to);
        }
    }
    let mut left: HashMap<Option<MenuId>, Vec<Model>> = HashMap::new();
    for entry in entries {
        left.entry(entry.parent_id).or_default().push(entry);
    }
    let mut tree = Vec::new();
    below(None, "", &mut left, &mut tree);
    for Placed { entry, title, .. } in &mut tree {
        *title = catalogue.title(&entry.code, &entry.name, lang);
    }
    tree
}

impl Validate for MenuFilter {
    fn check(&self, check: &mut Check) {
        check.key_word(self.key_word.as_deref());
    }
}

/// The menu from top to bottom, as its page shows it.
#[derive(Clone, Copy, Debug)]
pub struct Menus;

impl List for Menus {
    type Filter = MenuFilter;
    type Row = Placed;
    type Sort = Infallible;
    const NAME: Text = text("菜单", "Menu entries");
    const KIND: &'static str = "menu.export";
    const NEED: Need = perm::MENU_EXPORT;

    fn columns() -> Vec<Column<Placed, Infallible>> {
        vec![
            column("id", text("ID", "ID"), 8).number(|row: &Placed| Some(row.entry.id.0)),
            column("title", text("名称", "Name"), 30).text(|row| &row.title),
            column("kind", text("类型", "Type"), 10).label(|row| row.entry.kind.label()),
            column("path", text("路径", "Path"), 30).text(|row| &row.full_path),
            column("code", text("权限码", "Code"), 30).text(|row| &row.entry.code),
            column("sort", text("排序", "Order"), 8).number(|row| Some(row.entry.sort.into())),
            column("visible", text("显示", "Shown"), 8).flag(|row| row.entry.is_visible),
            column("builtin", text("内置", "Built-in"), 8).flag(|row| row.entry.is_builtin),
            updated_at().time(|row| Some(row.entry.updated_at)),
        ]
    }

    async fn page(from: &Reader, filter: &MenuFilter, _: Order<Infallible>, page: PageQuery) -> Outcome<Page<Placed>> {
        let catalogue = &from.app.catalogue;
        let mut found = placed(store::all(from.db()).await?, catalogue, from.lang);
        found.retain(|one| filter.wants(one, catalogue));
        let total = found.len() as u64;
        let at = |number: u64| usize::try_from(number.min(total)).unwrap_or(found.len());
        let (start, end) = (at(page.offset()), at(page.offset() + page.page_size));
        Ok(Page::new(page, total, found.drain(start..end).collect()))
    }
}
