use super::{Check, Invalid};
use crate::lang::Lang;
use crate::rules::Violation;

#[test]
fn a_clean_check_passes() {
    let mut check = Check::new();
    assert_eq!(check.field("a", Ok(7)), Some(7));
    assert!(check.is_clean());
    assert_eq!(check.finish(), Ok(()));
}

#[test]
fn every_bad_field_is_reported_once_with_its_first_violation() {
    let mut check = Check::new();
    check.field::<()>("name", Err(Violation::new("required")));
    check.field::<()>("name", Err(Violation::taken()));
    check.field::<()>("email", Err(Violation::new("email.format")));
    let Invalid(errors) = check.finish().expect_err("two fields are wrong");
    let found: Vec<_> = errors.iter().map(|e| (e.field.as_str(), e.violation.code)).collect();
    assert_eq!(found, [("name", "required"), ("email", "email.format")]);
}

#[test]
fn optional_fields_are_checked_only_when_given() {
    let refuse = |_: &str| -> Result<(), Violation> { Err(Violation::taken()) };
    let mut check = Check::new();
    check.optional("a", None, refuse);
    check.optional("b", Some(""), refuse);
    check.optional("c", Some(" "), refuse);
    let Invalid(errors) = check.finish().expect_err("c is given");
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].field, "c");
}

#[test]
fn nested_parts_and_lists_name_the_whole_path() {
    let mut check = Check::new();
    check.nested("range", |check| {
        check.each("ports", &[1, 2], |check, port| {
            if *port == 2 {
                check.add("start", Violation::taken());
            }
        });
    });
    check.add("after", Violation::taken());
    let Invalid(errors) = check.finish().expect_err("two violations");
    let fields: Vec<_> = errors.iter().map(|e| e.field.as_str()).collect();
    assert_eq!(fields, ["range.ports[1].start", "after"]);
}

#[test]
fn errors_are_rendered_in_the_language_of_the_caller() {
    let invalid = Invalid::one("username", Violation::new("required"));
    assert_eq!(invalid.render(Lang::Zh)[0].message, "不能为空，请填写");
    assert_eq!(invalid.render(Lang::En)[0].message, "Must not be empty; please fill it in");
    assert_eq!(invalid.to_string(), "invalid input: username (required)");
}
