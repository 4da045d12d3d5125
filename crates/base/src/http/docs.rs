//! `/api/docs`: the API document as a page for people. Plain HTML, no script, so that it works under the console's
//! content policy and offline.

use std::fmt::Write as _;

use serde_json::Value;

const STYLE: &str = "body{font:15px/1.55 system-ui,'Noto Sans SC',sans-serif;margin:0 auto;max-width:64rem;padding:2rem;color:#1f2733}\
    h1{margin:0 0 .5rem}h2{margin:2.5rem 0 .5rem;border-bottom:1px solid #d7dde5}details{margin:.4rem 0;border:1px solid #d7dde5;border-radius:6px}\
    summary{cursor:pointer;padding:.45rem .8rem}code{font:13px ui-monospace,monospace}section{padding:.2rem .8rem .8rem}\
    table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.25rem .6rem .25rem 0;border-top:1px solid #e8ecf1}\
    b.m{display:inline-block;width:4.2rem;color:#0b5cad}em{color:#5b6675}@media(prefers-color-scheme:dark){body{background:#12161c;color:#d8dee8}\
    details{border-color:#303a47}b.m{color:#6db3ff}em{color:#9aa7b8}td,th{border-color:#262e39}}";

/// The page for a document.
#[must_use]
pub fn page(document: &Value) -> String {
    let mut html = String::from(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>Skyrack API</title>",
    );
    _ = write!(
        html,
        "<style>{STYLE}</style><h1>Skyrack API {}</h1><p>{}</p>",
        text(&document["info"]["version"]),
        text(&document["info"]["description"])
    );
    html.push_str("<p>The document itself: <a href=\"/api/openapi.json\">/api/openapi.json</a></p>");
    let mut by_tag: std::collections::BTreeMap<&str, Vec<(&str, &str, &Value)>> = std::collections::BTreeMap::new();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in item.as_object().into_iter().flatten() {
            if operation.get("operationId").is_some() {
                by_tag
                    .entry(operation["tags"][0].as_str().unwrap_or("other"))
                    .or_default()
                    .push((path, method, operation));
            }
        }
    }
    for (tag, operations) in by_tag {
        _ = write!(html, "<h2>{}</h2>", escape(tag));
        for (path, method, operation) in operations {
            operation_html(&mut html, document, path, method, operation);
        }
    }
    html
}

fn operation_html(html: &mut String, document: &Value, path: &str, method: &str, operation: &Value) {
    _ = write!(
        html,
        "<details id=\"{}\"><summary><b class=\"m\">{}</b> <code>{}</code> <em>{}</em></summary><section>",
        text(&operation["operationId"]),
        method.to_uppercase(),
        escape(path),
        text(&operation["summary"])
    );
    let code = |code: &Value| format!("<code>{}</code>", escape(code.as_str().unwrap_or_default()));
    let permission = &operation["x-permission"];
    let also = permission["also"].as_array().into_iter().flatten().map(code).collect::<Vec<_>>().join(", ");
    let also = if also.is_empty() { also } else { format!("; for some of what it may be asked about {also} as well") };
    let permission = permission.get("code").unwrap_or(permission);
    let needs = match (permission, operation.get("security")) {
        (Value::Array(codes), _) => {
            let codes: Vec<String> = codes.iter().map(code).collect();
            format!("one of the permissions {}, as the body says", codes.join(", "))
        }
        (one @ Value::String(_), _) => format!("the permission {}", code(one)),
        (_, Some(_)) => "a session".to_owned(),
        (_, None) => "nothing".to_owned(),
    };
    _ = write!(html, "<p>Needs {needs}{also}. {}</p><table>", text(&operation["description"]));
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        row(
            html,
            parameter["name"].as_str().unwrap_or_default(),
            &parameter["in"],
            &parameter["schema"],
            &parameter["description"],
        );
    }
    let body = resolve(document, &operation["requestBody"]["content"]["application/json"]["schema"]);
    fields(html, document, body, "body");
    html.push_str("</table></section></details>");
}

fn fields(html: &mut String, document: &Value, schema: &Value, place: &str) {
    for part in schema["allOf"].as_array().into_iter().flatten() {
        fields(html, document, resolve(document, part), place);
    }
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        row(html, name, &Value::from(place), field, &field["description"]);
    }
}

fn row(html: &mut String, name: &str, place: &Value, schema: &Value, description: &Value) {
    let kind = match (&schema["type"], schema["$ref"].as_str()) {
        (_, Some(name)) => name.rsplit('/').next().unwrap_or_default().to_owned(),
        (Value::Array(kinds), None) => kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        (kind, None) => kind.as_str().unwrap_or_default().to_owned(),
    };
    _ = write!(
        html,
        "<tr><td><code>{}</code></td><td><em>{}</em></td><td>{}</td><td>{}</td></tr>",
        escape(name),
        text(place),
        escape(&kind),
        text(description)
    );
}

/// Follows a reference into the components.
fn resolve<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    schema["$ref"].as_str().and_then(|at| document.pointer(at.trim_start_matches('#'))).unwrap_or(schema)
}

fn text(value: &Value) -> String {
    escape(value.as_str().unwrap_or_default())
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
