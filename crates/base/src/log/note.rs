//! The notes of the operation log in words. They are kept as short codes, `3 operators`, since the log is in no
//! language; what is no such code was typed by somebody, and stands for itself.

use kernel::lang::Lang;
use kernel::text::{Text, text};

/// Notes that are always the same.
const SENTENCES: [(&str, Text); 5] = [
    ("refused", text("无权限", "Not permitted")),
    ("linked", text("已绑定登录身份", "Identity linked")),
    ("unlinked", text("已解除登录身份", "Identity unlinked")),
    ("the password was reset", text("重置了密码", "The password was reset")),
    ("built before", text("之前已建好", "It was built before")),
];

/// Notes with a name behind these words.
const NAMED: [(&str, Text); 4] = [
    ("room ", text("机房 #{name}", "Room #{name}")),
    ("secrets: ", text("更换了密钥：{name}", "Secrets replaced: {name}")),
    ("copy of ", text("复制自 {name}", "Copy of {name}")),
    ("task ", text("任务 {name}", "Task {name}")),
];

/// What is counted: the word of the log, Chinese, one in English and several.
const COUNTED: [(&str, &str, &str, &str); 13] = [
    ("rows", "{n} 条", "{n} record", "{n} records"),
    ("bad", "{n} 条有误", "{n} with errors", "{n} with errors"),
    ("operators", "{n} 名操作员", "{n} operator", "{n} operators"),
    ("groups", "{n} 个权限组", "{n} permission group", "{n} permission groups"),
    ("sessions", "{n} 个会话", "{n} session", "{n} sessions"),
    ("notices", "{n} 条通知", "{n} notice", "{n} notices"),
    ("cards", "{n} 台设备", "{n} card", "{n} cards"),
    ("new", "新增 {n} 条", "{n} new", "{n} new"),
    ("changed", "修改 {n} 条", "{n} changed", "{n} changed"),
    ("frames", "{n} 个机架", "{n} frame", "{n} frames"),
    ("hosts", "{n} 台主机", "{n} host", "{n} hosts"),
    ("slots", "{n} 个槽位", "{n} slot", "{n} slots"),
    ("positions", "{n} 个卡位", "{n} position", "{n} positions"),
];

/// `note` in words; none if it is not one of the program's own.
#[must_use]
pub fn words(note: &str, lang: Lang) -> Option<String> {
    if let Some((_, sentence)) = SENTENCES.iter().find(|(code, _)| *code == note) {
        return Some(sentence.get(lang).to_owned());
    }
    if let Some((hosts, positions)) = note.split_once(" of ")
        && let (Some(hosts), Some(positions)) = (counted(hosts, lang), counted(positions, lang))
    {
        return Some(
            text("{hosts}，每台 {positions}", "{hosts} of {positions} each")
                .with("hosts", hosts)
                .with("positions", positions)
                .get(lang),
        );
    }
    // A name may hold a comma: it comes before the notes that are joined by one.
    if let Some(known) = named(note, lang) {
        return Some(known);
    }
    let parts: Option<Vec<String>> =
        note.split(", ").map(|part| counted(part, lang).or_else(|| named(part, lang))).collect();
    Some(parts?.join(text("，", ", ").get(lang)))
}

fn named(note: &str, lang: Lang) -> Option<String> {
    let (_, name, sentence) =
        NAMED.iter().find_map(|(code, sentence)| Some((code, note.strip_prefix(code)?, sentence)))?;
    Some(sentence.with("name", name).get(lang))
}

fn counted(note: &str, lang: Lang) -> Option<String> {
    let (number, noun) = note.split_once(' ')?;
    let number: u64 = number.parse().ok()?;
    let (_, zh, one, several) = COUNTED.iter().find(|(word, ..)| *word == noun)?;
    let sentence = match lang {
        Lang::Zh => zh,
        Lang::En if number == 1 => one,
        Lang::En => several,
    };
    Some(sentence.replace("{n}", &number.to_string()))
}

#[cfg(test)]
mod tests {
    use kernel::lang::Lang;

    use super::words;

    #[test]
    fn the_programs_own_notes_are_in_words_and_what_people_typed_stays() {
        for (note, zh, en) in [
            ("1 operators", "1 名操作员", "1 operator"),
            ("500 rows", "500 条", "500 records"),
            ("4 new, 2 changed", "新增 4 条，修改 2 条", "4 new, 2 changed"),
            ("12 rows, 1 bad", "12 条，1 条有误", "12 records, 1 with errors"),
            ("12 rows, task 0198", "12 条，任务 0198", "12 records, Task 0198"),
            ("3 hosts of 10 positions", "3 台主机，每台 10 个卡位", "3 hosts of 10 positions each"),
            ("1 frames, 3 hosts", "1 个机架，3 台主机", "1 frame, 3 hosts"),
            ("copy of 夜班, 二组", "复制自 夜班, 二组", "Copy of 夜班, 二组"),
            ("secrets: password, key", "更换了密钥：password, key", "Secrets replaced: password, key"),
            ("the password was reset", "重置了密码", "The password was reset"),
        ] {
            assert_eq!(words(note, Lang::Zh).as_deref(), Some(zh));
            assert_eq!(words(note, Lang::En).as_deref(), Some(en));
        }
        for typed in ["恶意退款", "3 complaints", "rows", ""] {
            assert_eq!(words(typed, Lang::Zh), None, "{typed}");
        }
    }
}
