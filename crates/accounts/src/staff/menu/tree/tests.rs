use std::collections::HashSet;

use entity::MenuId;
use entity::menu::{MenuKind as Kind, Model};
use kernel::time::UtcTime;

use super::{MenuNode, NO_CODE, build};

fn row(id: i64, parent: Option<i64>, kind: Kind, code: &str) -> Model {
    Model {
        id: MenuId(id),
        parent_id: parent.map(MenuId),
        kind,
        code: code.to_owned(),
        name: code.to_uppercase(),
        path: if kind == Kind::Button { String::new() } else { code.to_owned() },
        icon: String::new(),
        sort: 0,
        is_visible: true,
        is_builtin: true,
        created_at: UtcTime(0),
        updated_at: UtcTime(0),
    }
}

/// Two sections, three pages (one without buttons), three buttons.
fn rows() -> Vec<Model> {
    vec![
        row(1, None, Kind::Section, "general"),
        row(2, None, Kind::Section, "staff"),
        row(3, Some(1), Kind::Screen, "introduction"),
        row(4, Some(2), Kind::Screen, "groups"),
        row(5, Some(2), Kind::Screen, "menus"),
        row(6, Some(4), Kind::Button, "group:list"),
        row(7, Some(4), Kind::Button, "group:allot"),
        row(8, Some(5), Kind::Button, "menu:list"),
    ]
}

fn tree(assigned: &[i64]) -> Vec<MenuNode> {
    build(&rows(), &assigned.iter().copied().map(MenuId).collect::<HashSet<_>>())
}

/// `section/screen/button` of every leaf.
fn leaves(tree: &[MenuNode]) -> Vec<String> {
    tree.iter()
        .flat_map(|section| {
            section.children.iter().flat_map(move |screen| {
                let above = format!("{}/{}", section.code, screen.code);
                screen.children.iter().map(move |button| format!("{above}/{}", button.code)).collect::<Vec<_>>()
            })
        })
        .collect()
}

#[test]
fn a_button_brings_what_is_above_it_and_nothing_beside_it() {
    assert_eq!(leaves(&tree(&[7])), ["staff/groups/group:allot"]);
    assert_eq!(tree(&[7]).len(), 1);
    assert_eq!(tree(&[7])[0].children.len(), 1);
}

#[test]
fn entries_keep_the_order_of_their_rows() {
    assert_eq!(
        leaves(&tree(&[8, 7, 6, 3])),
        ["staff/groups/group:list", "staff/groups/group:allot", "staff/menus/menu:list"]
    );
    assert_eq!(tree(&[8, 3])[0].code, "general");
}

#[test]
fn a_tree_is_never_without_a_code() {
    // Nothing at all, a page without buttons, a section, an unknown id.
    assert_eq!(leaves(&tree(&[])), [format!("general/introduction/{NO_CODE}")]);
    assert_eq!(leaves(&tree(&[3])), [format!("general/introduction/{NO_CODE}")]);
    assert_eq!(leaves(&tree(&[5])), [format!("staff/menus/{NO_CODE}")]);
    assert_eq!(leaves(&tree(&[2])), [format!("general/introduction/{NO_CODE}")]);
    assert_eq!(leaves(&tree(&[99])), [format!("general/introduction/{NO_CODE}")]);
    assert_eq!(leaves(&build(&[], &HashSet::new())).len(), 1);
}

#[test]
fn a_hidden_entry_stays_and_says_so() {
    let mut rows = rows();
    rows[3].is_visible = false;
    let tree = build(&rows, &HashSet::from([MenuId(6)]));
    assert!(tree[0].visible && !tree[0].children[0].visible);
}
