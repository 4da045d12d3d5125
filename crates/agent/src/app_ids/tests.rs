use std::collections::HashMap;

use super::{ATTRIBUTES, LARGEST, SETTINGS, carried_over};

const TEXT: &str = r#"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>
<settings version="-1">
  <setting id="1" name="10061" value="3f2a" package="com.game" defaultValue="3f2a" defaultSysSet="true" tag="null" />
  <setting id="0" name="userkey" value="&amp;&lt;&gt;&quot;' &#10;字" package="android" />
  <setting id="7" name="10062" value="77" package="com.gone" />
  <setting id="9" name="10063" value="99" package="com.shop" />
</settings>
"#;

/// The same where the game has the uid 10201 and the shop 10061.
const MOVED: &str = r#"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>
<settings version="-1">
  <setting id="1" name="10201" value="3f2a" package="com.game" defaultValue="3f2a" defaultSysSet="true" tag="null" />
  <setting id="0" name="userkey" value="&amp;&lt;&gt;&quot;' &#10;字" package="android" />
  <setting id="9" name="10061" value="99" package="com.shop" />
</settings>
"#;

/// A writer of binary XML: all names are interned.
struct Abx {
    bytes: Vec<u8>,
    interned: Vec<String>,
}

impl Abx {
    fn new() -> Self {
        Self { bytes: b"ABX\0\x10".to_vec(), interned: Vec::new() }
    }

    /// A file with a setting of these attributes, which are written by themselves.
    fn with(attributes: impl FnOnce(&mut Self)) -> Vec<u8> {
        let mut abx = Self::new();
        abx.start("settings");
        abx.int("version", -1);
        abx.start("setting");
        abx.string("id", "1");
        abx.string("name", "userkey");
        attributes(&mut abx);
        abx.end("setting");
        abx.end("settings");
        abx.done()
    }

    fn plain(&mut self, text: &[u8]) {
        let length = u16::try_from(text.len()).expect("a string of 16 bits");
        self.bytes.extend(length.to_be_bytes());
        self.bytes.extend(text);
    }

    fn intern(&mut self, text: &str) {
        if let Some(number) = self.interned.iter().position(|known| known == text) {
            let number = u16::try_from(number).expect("a number of 16 bits");
            self.bytes.extend(number.to_be_bytes());
        } else {
            self.bytes.extend([0xff, 0xff]);
            self.plain(text.as_bytes());
            self.interned.push(text.to_owned());
        }
    }

    fn start(&mut self, name: &str) {
        self.bytes.push(0x32);
        self.intern(name);
    }

    fn end(&mut self, name: &str) {
        self.bytes.push(0x33);
        self.intern(name);
    }

    /// An attribute of a type, with the bytes of its value.
    fn value(&mut self, name: &str, kind: u8, bytes: &[u8]) {
        self.bytes.push((kind << 4) | 0x0f);
        self.intern(name);
        self.bytes.extend(bytes);
    }

    fn string(&mut self, name: &str, text: &str) {
        self.value(name, 2, &[]);
        self.plain(text.as_bytes());
    }

    fn interned(&mut self, name: &str, text: &str) {
        self.value(name, 3, &[]);
        self.intern(text);
    }

    fn int(&mut self, name: &str, number: i32) {
        self.value(name, 6, &number.to_be_bytes());
    }

    fn done(mut self) -> Vec<u8> {
        self.bytes.push(0x11);
        self.bytes
    }
}

/// What [`TEXT`] is as binary XML, with the element that newer Androids write after it.
fn binary() -> Vec<u8> {
    let mut abx = Abx::new();
    abx.start("settings");
    abx.int("version", -1);
    let settings = [
        ("1", "10061", "3f2a", "com.game"),
        ("0", "userkey", "&<>\"' \n字", "android"),
        ("7", "10062", "77", "com.gone"),
        ("9", "10063", "99", "com.shop"),
    ];
    for (id, name, value, package) in settings {
        abx.start("setting");
        abx.string("id", id);
        abx.string("name", name);
        abx.string("value", value);
        abx.interned("package", package);
        if name == "10061" {
            abx.string("defaultValue", value);
            abx.value("defaultSysSet", 12, &[]);
            abx.interned("tag", "null");
        }
        abx.end("setting");
    }
    abx.end("settings");
    abx.start("namespaceHashes");
    abx.end("namespaceHashes");
    abx.done()
}

fn apps(uids: &[(&str, u32)]) -> HashMap<String, u32> {
    uids.iter().map(|(package, uid)| ((*package).to_owned(), *uid)).collect()
}

fn moved(bytes: &[u8], uids: &[(&str, u32)]) -> String {
    let moved = carried_over(bytes, &apps(uids)).expect("a file that can be read");
    String::from_utf8(moved).expect("text")
}

fn refused(bytes: &[u8]) -> String {
    carried_over(bytes, &HashMap::new()).expect_err("a file that is refused")
}

/// A text file with these elements in its root.
fn text(inner: &str) -> String {
    format!("<settings version=\"1\">{inner}</settings>")
}

#[test]
fn text_and_binary_are_moved_alike() {
    let here = [("com.game", 10_201), ("com.shop", 10_061), ("com.new", 10_063)];
    assert_eq!(moved(TEXT.as_bytes(), &here), MOVED);
    assert_eq!(moved(&binary(), &here), MOVED);
    assert_eq!(moved(MOVED.as_bytes(), &here), MOVED, "what is written can be read");
    let hashes = format!("{TEXT}<namespaceHashes />");
    assert_eq!(moved(hashes.as_bytes(), &here), MOVED);
}

#[test]
fn a_card_without_apps_gets_what_is_no_apps() {
    for bytes in [TEXT.as_bytes(), &binary()] {
        let moved = moved(bytes, &[]);
        assert!(moved.contains(" name=\"userkey\" ") && moved.matches("<setting ").count() == 1, "{moved}");
    }
    let nameless = text(r#"<setting id="1" name="10061" value="a"/>"#);
    assert!(!moved(nameless.as_bytes(), &[]).contains("<setting "), "it is nobody's");
}

#[test]
fn of_apps_that_share_a_uid_the_first_stays() {
    let moved = moved(TEXT.as_bytes(), &[("com.game", 10_100), ("com.gone", 10_100), ("com.shop", 10_100)]);
    assert!(moved.contains(r#"name="10100" value="3f2a" package="com.game""#), "{moved}");
    assert_eq!(moved.matches("10100").count(), 1, "{moved}");
    assert!(moved.contains("userkey"), "{moved}");
}

#[test]
fn values_are_what_androids_parser_makes_of_them() {
    let bytes = Abx::with(|abx| {
        abx.value("none", 1, &[]);
        abx.value("hex", 4, &[0, 2, 0xab, 0x01]);
        abx.value("base", 5, &[0, 2, 0xff, 0xef]);
        abx.value("inthex", 7, &(-255_i32).to_be_bytes());
        abx.value("long", 8, &i64::MIN.to_be_bytes());
        abx.value("longhex", 9, &0x1234_abcd_0000_i64.to_be_bytes());
        abx.value("no", 13, &[]);
        // U+1F600 as UTF-8 and as two surrogates.
        abx.value("four", 2, b"\x00\x04\xf0\x9f\x98\x80");
        abx.value("six", 2, b"\x00\x07a\xed\xa0\xbd\xed\xb8\x80");
    });
    let wanted = "hex=\"ab01\" base=\"/+8=\" inthex=\"-ff\" long=\"-9223372036854775808\" longhex=\"1234abcd0000\" \
                  no=\"false\" four=\"\u{1f600}\" six=\"a\u{1f600}\" />";
    let moved = moved(&bytes, &[]);
    assert!(moved.contains(wanted) && !moved.contains("none"), "{moved}");
}

#[test]
fn what_is_cut_off_is_refused() {
    let (text, binary) = (TEXT.trim_end().as_bytes(), binary());
    for whole in [text, &binary] {
        for length in 0..whole.len() {
            refused(&whole[..length]);
        }
    }
    assert!(refused(&[&binary[..], &[0x11]].concat()).contains("event 1"), "something comes after its end");
}

#[test]
fn no_byte_that_is_changed_brings_it_down() {
    for whole in [TEXT.as_bytes(), &binary()] {
        for at in 0..whole.len() {
            for change in [0xff, 0x80, 0x10, 0x01] {
                let mut bytes = whole.to_vec();
                bytes[at] ^= change;
                // It may still be one, as of another app.
                if let Ok(moved) = carried_over(&bytes, &apps(&[("com.game", 1), ("com.shop", 2)])) {
                    assert!(carried_over(&moved, &HashMap::new()).is_ok(), "what is written can be read");
                }
            }
        }
    }
}

#[test]
fn text_is_nothing_but_elements() {
    let doctype = format!("<!DOCTYPE settings [<!ENTITY a \"b\">]>{}", text(""));
    assert!(refused(doctype.as_bytes()).contains("DOCTYPE"));
    for inner in [
        r#"<setting id="1" name="&a;"/>"#,
        r#"<setting id="1" name="a"><setting id="1" name="b"/></setting>"#,
        r#"<setting id="1" name="a" id="2"/>"#,
        r#"<setting id="1" name="a" b:c="2"/>"#,
        r#"<setting id="1" name="&#1;"/>"#,
        r#"<setting id="x" name="a"/>"#,
        r#"<setting id="1" name="a" defaultSysSet="1"/>"#,
        r#"<setting id="1" name="a" valueBase64="?"/>"#,
        r#"<setting id="1"/>"#,
        r#"<setting name="a"/>"#,
        "<settings/>",
        "<other/>",
        "words",
        "&amp;",
        "<?words?>",
        "<![CDATA[]]>",
        "<![CDATA]]>",
        "<!-->",
    ] {
        refused(text(inner).as_bytes());
    }
    for whole in ["", "\u{feff}", "<settings/>", "<settings version='x'/>", "<namespaceHashes/>", "<>", "</>", "\0"] {
        refused(whole.as_bytes());
    }
    refused(text("").repeat(2).as_bytes());
    refused(b"<settings version='1' a='\xff'/>");
    assert_eq!(moved(text("").as_bytes(), &[]).lines().count(), 3);
}

#[test]
fn binary_is_nothing_but_elements() {
    // Values of fractions and of no type; a number of a string that is not there; text; an end in between.
    let values: [(u8, &[u8]); 6] = [(10, &[0; 4]), (11, &[0; 8]), (0, &[]), (14, &[]), (15, &[]), (3, &[0x7f, 0])];
    for (kind, bytes) in values {
        refused(&Abx::with(|abx| abx.value("value", kind, bytes)));
    }
    refused(&Abx::with(|abx| abx.string("a\" b=\"", "c")));
    refused(&Abx::with(|abx| abx.string("value", "\0")));
    refused(&Abx::with(|abx| abx.string("id", "2")));
    refused(&Abx::with(|abx| abx.start("setting")));
    refused(&Abx::with(|abx| abx.end("settings")));
    refused(&Abx::with(|abx| abx.bytes.push(0x11)));
    refused(&Abx::with(|abx| abx.value("value", 2, &[0, 1, 0xff])));
    for event in [0x23, 0x25, 0x26, 0x28, 0x29, 0x2a, 0x2b, 0x2e] {
        refused(&Abx::with(|abx| abx.bytes.extend([event, 0, 0])));
    }
    let after_blank = |text: &'static [u8]| {
        Abx::with(|abx| {
            abx.bytes.push(0x24);
            abx.plain(text);
        })
    };
    assert!(moved(&after_blank(b" \n"), &[]).contains("userkey"));
    refused(&after_blank(b"words"));
    let late = Abx::with(|abx| {
        abx.end("setting");
        abx.int("late", 1);
        abx.start("setting");
    });
    assert!(refused(&late).contains("event 15"), "an attribute of no element");
}

#[test]
fn what_is_larger_than_any_is_refused() {
    assert!(refused(&vec![b' '; LARGEST + 1]).contains("larger"));
    let one = r#"<setting id="1" name="a"/>"#;
    assert!(!moved(text(&one.repeat(SETTINGS)).as_bytes(), &[]).is_empty());
    assert!(refused(text(&one.repeat(SETTINGS + 1)).as_bytes()).contains("more than"));
    let many: String = (0..=ATTRIBUTES).map(|n| format!(" a{n}=''")).collect();
    assert!(refused(text(&format!("<setting{many}/>")).as_bytes()).contains("too many"));
    // A small file that names a long string often.
    let long = "x".repeat(60_000);
    let bomb = Abx::with(|abx| {
        for _ in 0..100 {
            abx.interned("value", &long);
            abx.end("setting");
            abx.start("setting");
        }
    });
    assert!(bomb.len() < 70_000 && refused(&bomb).contains("longer than"));
    let name = "x".repeat(60_000);
    assert!(refused(text(&format!("<{name}/>")).as_bytes()).len() < 1_000, "an error is short");
}
