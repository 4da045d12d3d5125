//! What every list keeps to, whatever is in it. Each function tries one list.

use std::collections::{HashMap, HashSet};
use std::net::Ipv4Addr;

use kernel::page::MAX_PAGE_SIZE;
use serde_json::{Value, json};
use testapp::Caller;

use super::calls::{DOCUMENT, Listed, MENU};
use crate::filters::filters;

/// What the orders of all lists had to tell apart.
#[derive(Debug, Default)]
pub struct Orders {
    /// The sort keys.
    pub keys: usize,
    /// Those by which some rows are alike, so that something else has to decide.
    pub with_ties: usize,
    /// Those by which all are alike: there any order is right.
    pub alike: Vec<String>,
}

/// By each column that it names it goes up, and down in exactly the other way. Rows without a value are last both times.
pub async fn is_ordered(clerk: &Caller<'_>, list: &Listed, orders: &mut Orders) {
    for key in list.sort_keys() {
        orders.keys += 1;
        let empty = |row: &Value| row.get(&key).is_none_or(Value::is_null);
        let mut ways = Vec::new();
        for order in ["asc", "desc"] {
            let question = json!({ "sort": key, "order": order, "pageSize": MAX_PAGE_SIZE });
            let rows = rows(&list.page(clerk, &question).await);
            assert!(rows.is_sorted_by_key(empty), "{list} {key} {order}");
            ways.push(rows.into_iter().filter(|row| !empty(row)).collect::<Vec<_>>());
        }
        let [up, mut down] = <[Vec<Value>; 2]>::try_from(ways).unwrap();
        if (up.len() as u64) < MAX_PAGE_SIZE {
            down.reverse();
            assert_eq!(up, down, "{list} by {key}");
        }
        let values: Vec<Value> = up.iter().map(|row| row[&key].clone()).collect();
        assert!(values.is_sorted_by(ordered), "{list} by {key}: {values:?}");
        if values.first() == values.last() {
            orders.alike.push(format!("{list} {key}"));
        }
        orders.with_ties += usize::from(values.windows(2).any(|two| two[0] == two[1]));
    }
}

/// Whether `one` may stand before `next`: numbers and addresses by their size, moments and texts by their characters.
fn ordered(one: &Value, next: &Value) -> bool {
    if let (Some(one), Some(next)) = (one.as_f64(), next.as_f64()) {
        return one <= next;
    }
    let [one, next] = [one, next].map(|value| value.as_str().unwrap_or_else(|| panic!("{value} is no text")));
    match (one.parse::<Ipv4Addr>(), next.parse::<Ipv4Addr>()) {
        (Ok(one), Ok(next)) => one <= next,
        _ => one <= next,
    }
}

/// In its usual order and by each column, small pages have what a large one has, row by row, and each knows how many rows
/// there are.
pub async fn is_paged(clerk: &Caller<'_>, list: &Listed) {
    let by_key = list.sort_keys().into_iter().map(|key| json!({ "sort": key }));
    for question in std::iter::once(json!({})).chain(by_key) {
        let page = async |number: usize, size: u64| {
            let mut asked = question.clone();
            asked["pageNum"] = json!(number);
            asked["pageSize"] = json!(size);
            list.page(clerk, &asked).await
        };
        let whole = page(1, MAX_PAGE_SIZE).await;
        let (all, total) = (rows(&whole), whole["total"].as_u64().unwrap());
        assert_eq!(all.len() as u64, total.min(MAX_PAGE_SIZE), "{list} {question}");
        assert!(all.len() > 1, "{list} has too few rows for two pages: see company");
        let size = (all.len() as u64).div_ceil(3);
        let mut read = Vec::new();
        // The fourth is behind the end, if the largest page has all.
        for number in 1..=4 {
            let page = page(number, size).await;
            assert_eq!(page["total"], total, "{list} {question}, page {number}");
            read.extend(rows(&page));
        }
        assert_eq!(read.len() as u64, total.min(4 * size), "{list} {question}");
        for (place, (one, other)) in all.iter().zip(&read).enumerate() {
            assert_eq!(one, other, "{list} {question}: row {place} of small pages");
        }
    }
}

/// What it does not know is refused with the name of the field.
pub async fn refuses_what_is_wrong(clerk: &Caller<'_>, list: &Listed) {
    let refused = async |question: Value, error: String| {
        let answer = list.answer(clerk, &question).await;
        assert_eq!((answer.brief(), answer.errors()), ((400, 4000), vec![error]), "{list} {question}");
    };
    if let Some(key) = list.sort_keys().first() {
        refused(json!({ "sort": "no-such-column" }), "sort type.wrong".to_owned()).await;
        refused(json!({ "sort": key, "order": "sideways" }), "order type.wrong".to_owned()).await;
    }
    for (field, number) in
        [("pageNum", 0), ("pageNum", 3_000_000_000), ("pageSize", 0), ("pageSize", MAX_PAGE_SIZE + 1)]
    {
        refused(json!({ field: number }), format!("{field} integer.range")).await;
    }
    for (filter, _) in filters(&DOCUMENT, list.method, &list.list) {
        refused(json!({ &filter: "a\0b" }), format!("{filter} text.control")).await;
    }
}

/// Its file has its headings and its rows, in its order. Times in the file have to be in UTC.
pub async fn is_a_file(clerk: &Caller<'_>, list: &Listed) {
    let by_key = list.file_sort_keys().into_iter().map(|key| json!({ "sort": key, "order": "asc" }));
    for question in std::iter::once(json!({})).chain(by_key) {
        let mut asked = question.clone();
        asked["pageSize"] = json!(MAX_PAGE_SIZE);
        let page = list.page(clerk, &asked).await;
        let (rows, total) = (rows(&page), page["total"].as_u64().unwrap());
        let mut asked = question.clone();
        asked["format"] = json!("csv");
        let file = list.ask_for_file(clerk, &asked).await.table();
        assert_eq!(file.len() as u64 - 1, total, "{list} {question}: rows of the file");
        let columns: Vec<(&str, usize)> =
            list.labels().iter().map(|(key, label)| (key.as_str(), heading(list, &file[0], &label[0]))).collect();
        if list.list == MENU {
            let at = columns.iter().find(|(key, _)| *key == "id").unwrap().1;
            let ids: HashSet<String> = rows.iter().map(|row| row["id"].to_string()).collect();
            let told: HashSet<String> = file[1..].iter().map(|cells| cells[at].clone()).collect();
            assert_eq!(told, ids, "{list}");
        } else {
            are_the_same(&format!("{list} {question}"), &columns, &rows, &file[1..]);
        }
    }
    let english = list.ask_for_file(&clerk.clone().lang("en"), &json!({ "format": "csv" })).await.table();
    for label in list.labels().values() {
        heading(list, &english[0], &label[1]);
    }
}

/// The place of a column in a file.
fn heading(list: &Listed, headings: &[String], label: &Value) -> usize {
    let place = headings.iter().position(|heading| Some(heading.as_str()) == label.as_str());
    place.unwrap_or_else(|| panic!("{list}: no column is called {label}: {headings:?}"))
}

/// Some columns say their values as they are, and by these the rows are told apart. In the others, what is the same in the
/// list is the same in the file.
fn are_the_same(what: &str, columns: &[(&str, usize)], rows: &[Value], lines: &[Vec<String>]) {
    let mut told: Vec<Vec<&str>> = vec![Vec::new(); rows.len()];
    for (key, at) in columns {
        let pairs: Vec<(&Value, &str)> =
            rows.iter().zip(lines).map(|(row, cells)| (field(row, key), cells[*at].as_str())).collect();
        let mut known = HashMap::new();
        for &(value, cell) in pairs.iter().filter(|(value, _)| !value.is_null()) {
            let before = known.insert(value.to_string(), cell);
            assert!(before.is_none_or(|before| before == cell), "{what}: {key} {value} is {before:?} and {cell}");
        }
        if pairs.iter().all(|&(value, cell)| as_it_is(value).as_deref() == Some(cell)) {
            for (line, &(_, cell)) in told.iter_mut().zip(&pairs) {
                line.push(cell);
            }
        }
    }
    let different: HashSet<&Vec<&str>> = told.iter().collect();
    assert!(different.len() * 2 > rows.len(), "{what}: the rows of the file are others, or in another order");
}

/// The field of a row, `a.b` for one within another.
fn field<'a>(row: &'a Value, key: &str) -> &'a Value {
    key.split('.').fold(row, |value, part| &value[part])
}

/// What stands in the cell of a value that is told as it is.
fn as_it_is(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some(String::new()),
        // A time has its milliseconds in JSON alone.
        Value::String(text) => match text.split_once('T') {
            Some((day, time)) if day.len() == 10 && time.len() == 13 && time.ends_with('Z') => {
                Some(format!("{day} {}", time.split('.').next().unwrap_or_default()))
            }
            _ => Some(text.trim().to_owned()),
        },
        Value::Number(number) => Some(number.to_string()),
        Value::Object(reference) => reference.get("name").map(|name| name.as_str().unwrap_or_default().to_owned()),
        Value::Bool(_) | Value::Array(_) => None,
    }
}

/// The rows of a page.
fn rows(page: &Value) -> Vec<Value> {
    page["list"].as_array().unwrap().clone()
}
