//! Runs every row of the table that the web runs too.

use std::collections::BTreeMap;

use chrono::FixedOffset;
use serde::Deserialize;
use serde_json::Value;

use crate::lang::Lang;
use crate::rules::*;
use crate::time::UtcTime;

#[derive(Deserialize)]
struct Table {
    rules: BTreeMap<String, Vec<RuleCase>>,
    formats: BTreeMap<String, Vec<FormatCase>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleCase {
    r#in: Vec<Value>,
    breaks: Option<String>,
    says: Option<[String; 2]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FormatCase {
    r#in: Vec<Value>,
    out: String,
}

fn table() -> Table {
    serde_json::from_str(include_str!("../../../../../api/rule-cases.json")).expect("the table parses")
}

/// The arguments of a case, by position.
struct Args<'a>(&'a [Value]);

impl Args<'_> {
    fn text(&self, at: usize) -> String {
        let value = &self.0[at];
        if let Some(text) = value.as_str() {
            return text.to_owned();
        }
        let (text, times): (String, usize) =
            serde_json::from_value(value["repeat"].clone()).expect("a text, or one to repeat");
        text.repeat(times)
    }

    /// Numbers that a browser cannot represent exactly are written as texts.
    fn int(&self, at: usize) -> i64 {
        let value = &self.0[at];
        value.as_i64().or_else(|| value.as_str()?.parse().ok()).unwrap_or_else(|| panic!("not a whole number: {value}"))
    }

    fn size(&self, at: usize) -> usize {
        self.int(at).try_into().expect("not negative")
    }

    fn time(&self, at: usize) -> UtcTime {
        UtcTime::parse_rfc3339(&self.text(at)).expect("a time")
    }

    fn zone(&self, at: usize) -> FixedOffset {
        let minutes: i32 = self.int(at).try_into().expect("minutes");
        FixedOffset::east_opt(minutes * 60).expect("an offset")
    }

    fn kind(&self, at: usize) -> FileKind {
        serde_json::from_value(self.0[at].clone()).expect("a file kind")
    }

    fn texts(&self, at: usize) -> Vec<String> {
        serde_json::from_value(self.0[at].clone()).expect("a list of texts")
    }

    fn sizes(&self, at: usize) -> Vec<(u32, u32)> {
        serde_json::from_value(self.0[at].clone()).expect("a list of sizes")
    }
}

/// The verdict of a rule by its name in the table; nothing for an unknown name.
fn judge(rule: &str, a: &Args<'_>) -> Option<Verdict> {
    let warned = |warning: Option<Violation>| warning.map_or(Ok(()), Err);
    let on_text = |rule: fn(&str) -> Verdict| rule(&a.text(0));
    Some(match rule {
        "required" => on_text(required),
        "maxChars" => max_chars(&a.text(0), a.size(1)),
        "textBetween" => text_between(&a.text(0), a.size(1), a.size(2)),
        "noLeadingSpace" => on_text(no_leading_space),
        "singleLine" => on_text(single_line),
        "line" => line(&a.text(0), a.size(1)),
        "paragraph" => paragraph(&a.text(0), a.size(1)),
        "notificationName" => on_text(notification_name),
        "activityTitle" => on_text(activity_title),
        "activityContent" => on_text(activity_content),
        "username" => on_text(username),
        "signInName" => sign_in_name(&a.text(0)).map(drop),
        "password" => on_text(password),
        "loginPassword" => on_text(login_password),
        "passwordWithoutName" => password_without_name(&a.text(0), &a.text(1)),
        "passwordsMatch" => passwords_match(&a.text(0), &a.text(1)),
        "groupName" => on_text(group_name),
        "chineseName" => on_text(chinese_name),
        "name" => on_text(name),
        "idCard" => on_text(id_card),
        "idCardWarning" => warned(id_card_warning(&a.text(0))),
        "bankCard" => on_text(bank_card),
        "bankCardWarning" => warned(bank_card_warning(&a.text(0))),
        "phone" => on_text(phone),
        "mobilePhone" => on_text(mobile_phone),
        "email" => on_text(email),
        "forumLink" => on_text(forum_link),
        "integerBetween" => integer_between(a.int(0), a.int(1), a.int(2)).map(drop),
        "integerTextBetween" => integer_text_between(&a.text(0), a.int(1), a.int(2)).map(drop),
        "wholeNumber" => whole_number(&a.text(0)).map(drop),
        "decimalBetween" => decimal_between(&a.text(0), &a.text(1), &a.text(2), a.size(3)).map(drop),
        "yuan" => yuan(&a.text(0)).map(drop),
        "priority" => priority(a.int(0)).map(drop),
        "downloadSpeed" => download_speed(a.int(0)).map(drop),
        "uploadSpeed" => upload_speed(a.int(0)).map(drop),
        "eventPrice" => event_price(a.int(0), a.int(1)),
        "giftCount" => gift_count(&a.text(0)).map(drop),
        "port" => port(a.int(0)).map(drop),
        "ipv4" => ipv4(&a.text(0)).map(drop),
        "host" => on_text(host),
        "ipRange" => ip_range(&a.text(0), &a.text(1)).map(drop),
        "portRange" => port_range(a.int(0), a.int(1)).map(drop),
        "equalSpan" => equal_span(&a.text(0), &a.text(1), a.int(2), a.int(3)).map(drop),
        "notBefore" => not_before(a.time(0), a.time(1)),
        "afterNow" => after_now(a.time(0), a.time(1)),
        "dateTimeText" => date_time_text(&a.text(0), &a.zone(1)).map(drop),
        "dayTime" => day_time(&a.text(0)).map(drop),
        "atMost" => at_most(a.size(0), a.size(1)),
        "atLeastOne" => at_least_one(a.size(0)),
        "recommended" => recommended(a.size(0)),
        "uniqueKeys" => unique_keys(a.texts(0).iter().map(String::as_str)),
        "moveUp" => move_up(a.size(0)),
        "moveDown" => move_down(a.size(0), a.size(1)),
        "version" => on_text(version),
        "fileExtension" => file_extension(&a.text(0), a.kind(1)),
        "fileSize" => file_size(a.size(0) as u64, a.size(1) as u64),
        "fileName" => on_text(file_name),
        "imagePixels" => image_pixels(a.size(0) as u32, a.size(1) as u32, &a.sizes(2)),
        _ => return None,
    })
}

/// The output of a format by its name in the table; nothing for an unknown name.
fn show(format: &str, a: &Args<'_>) -> Option<String> {
    Some(match format {
        "abbreviate" => abbreviate(a.int(0)),
        "byteSize" => byte_size(a.size(0) as u64),
        "money" => money(a.int(0)),
        "grouped" => grouped(a.int(0)),
        "dateTime" => date_time(a.time(0), &a.zone(1)),
        "relativeTime" => {
            let lang = Lang::from_tag(&a.text(3)).expect("a language");
            relative_time(a.time(0), a.time(1), &a.zone(2), lang)
        }
        "spreadsheetText" => spreadsheet_text(&a.text(0)).into_owned(),
        "compareVersions" => (compare_versions(&a.text(0), &a.text(1)) as i8).to_string(),
        "giftCount" => match gift_count(&a.text(0)).expect("a count") {
            None => "none".to_owned(),
            Some(count) => count.to_string(),
        },
        "yuan" => yuan(&a.text(0)).expect("an amount").to_string(),
        "dateTimeText" => date_time_text(&a.text(0), &a.zone(1)).expect("a time").to_rfc3339(),
        "ipRange" => ip_range(&a.text(0), &a.text(1)).expect("a range").to_string(),
        "portRange" => port_range(a.int(0), a.int(1)).expect("a range").to_string(),
        "fileExtensions" => a.kind(0).extensions().join(", "),
        "fileMaxBytes" => a.kind(0).max_bytes().to_string(),
        "bannerSizes" => pixel_list(&BANNER_SIZES),
        _ => return None,
    })
}

#[test]
fn every_rule_judges_every_row_as_the_table_says() {
    let mut wrong = Vec::new();
    let mut rows = 0;
    for (rule, cases) in table().rules {
        for RuleCase { r#in, breaks, says } in cases {
            rows += 1;
            let found = judge(&rule, &Args(&r#in))
                .unwrap_or_else(|| panic!("the table has a rule that the server lacks: {rule}"))
                .err();
            let code = found.as_ref().map(|violation| violation.code);
            if code != breaks.as_deref() {
                wrong.push(format!("{rule} {in:?}: {code:?}, not {breaks:?}", r#in = r#in));
            }
            let (Some(violation), Some(says)) = (found, says) else {
                continue;
            };
            for lang in Lang::ALL {
                let (message, expected) = (violation.message(lang), &says[lang as usize]);
                if &message != expected || violation.sentence().get(lang) != message {
                    wrong.push(format!("{rule} says {message:?}, not {expected:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {rows} rows:\n{}", wrong.len(), wrong.join("\n"));
    assert!(rows > 800, "the table has shrunk to {rows} rows");
}

#[test]
fn every_format_shows_every_row_as_the_table_says() {
    let mut wrong = Vec::new();
    for (format, cases) in table().formats {
        for FormatCase { r#in, out } in cases {
            let found = show(&format, &Args(&r#in))
                .unwrap_or_else(|| panic!("the table has a format that the server lacks: {format}"));
            if found != out {
                wrong.push(format!("{format} {in:?}: {found:?}, not {out:?}", r#in = r#in));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_message_is_as_complete_as_its_violation() {
    // A placeholder without a value would reach people as `{max}`. `{host}` is meant literally.
    for (rule, cases) in table().rules {
        for case in cases {
            let Some(Err(violation)) = judge(&rule, &Args(&case.r#in)) else {
                continue;
            };
            for lang in Lang::ALL {
                let template = messages::template(violation.code, lang)
                    .unwrap_or_else(|| panic!("{} has no message", violation.code));
                let open: Vec<&str> = template
                    .split('{')
                    .skip(1)
                    .filter_map(|part| part.split_once('}'))
                    .map(|(name, _)| name)
                    .filter(|name| *name != "host")
                    .collect();
                for name in open {
                    assert!(
                        violation.params.iter().any(|(known, _)| *known == name),
                        "{rule}: {} does not fill {{{name}}}",
                        violation.code,
                    );
                }
            }
        }
    }
}

#[test]
fn every_file_kind_is_in_the_table() {
    let cases = &table().rules["fileExtension"];
    for kind in FileKind::ALL {
        assert!(cases.iter().any(|case| Args(&case.r#in).kind(1) == kind), "{kind:?}");
    }
}
