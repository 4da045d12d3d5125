//! What is true for every value, not only for the rows of the table.

use std::net::Ipv4Addr;

use chrono::FixedOffset;
use proptest::prelude::*;

use crate::rules::*;
use crate::time::UtcTime;

proptest! {
    #[test]
    fn address_ranges_count_what_they_hold(start: u32, end: u32) {
        let texts = [start, end].map(|bits| Ipv4Addr::from(bits).to_string());
        let count = i64::from(end) - i64::from(start) + 1;
        let expected = match count {
            ..=1 => Err("ip.endNotGreater"),
            2..=65_536 => Ok(u32::try_from(count).expect("small")),
            _ => Err("ip.spanTooLarge"),
        };
        prop_assert_eq!(ip_range(&texts[0], &texts[1]).map_err(|v| v.code), expected);
    }

    #[test]
    fn near_address_ranges_count_what_they_hold(start in 0..u32::MAX - 70_000, distance in 0_u32..70_000) {
        let texts = [start, start + distance].map(|bits| Ipv4Addr::from(bits).to_string());
        let found = ip_range(&texts[0], &texts[1]).ok();
        prop_assert_eq!(found, (1..65_536).contains(&distance).then_some(distance + 1));
    }

    #[test]
    fn equal_spans_are_equal(start: u32, distance in 1_u32..65_534, ports in 1_i64..65_535, shift in 0_i64..3) {
        prop_assume!(start.checked_add(distance).is_some());
        let texts = [start, start + distance].map(|bits| Ipv4Addr::from(bits).to_string());
        let end_port = ports + i64::from(distance) + shift;
        let found = equal_span(&texts[0], &texts[1], ports, end_port);
        prop_assert_eq!(found.is_ok(), shift == 0 && end_port <= 65_535);
    }

    #[test]
    fn ports_are_1_to_65535(value: i64) {
        prop_assert_eq!(port(value).is_ok(), (1..=65_535).contains(&value));
    }

    #[test]
    fn integer_ranges_include_their_ends(value in -20_i64..120, min in 0_i64..50, size in 0_i64..60) {
        let max = min + size;
        prop_assert_eq!(integer_between(value, min, max).is_ok(), value >= min && value <= max);
        let text = value.to_string();
        prop_assert_eq!(integer_text_between(&text, min, max), integer_between(value, min, max));
    }

    #[test]
    fn whole_numbers_are_read_back(value in -999_999_999_999_999_i64..=999_999_999_999_999) {
        prop_assert_eq!(whole_number(&value.to_string()), Ok(value));
    }

    #[test]
    fn money_is_read_as_it_was_shown(fen in 0_i64..=9_999_999_999) {
        let shown = money(fen).replace(['¥', ','], "");
        prop_assert_eq!(yuan(&shown), Ok(fen));
    }

    #[test]
    fn times_are_read_as_they_were_shown(seconds in -62_000_000_000_i64..253_000_000_000, offset in -840..=840_i32) {
        let zone = FixedOffset::east_opt(offset * 60).expect("an offset");
        let time = UtcTime(seconds * 1000);
        prop_assert_eq!(date_time_text(&date_time(time, &zone), &zone), Ok(time));
    }

    #[test]
    fn no_cell_begins_like_a_formula(text in "[=+\\-@\t\r\n＝＋－＠' a中]{0,4}") {
        let cell = spreadsheet_text(&text);
        prop_assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']));
        prop_assert_eq!(cell.strip_prefix('\'').unwrap_or(&cell), text.strip_prefix('\'').unwrap_or(&text));
    }

    #[test]
    fn versions_are_totally_ordered(a in version_text(), b in version_text(), c in version_text()) {
        prop_assert_eq!(version(&a), Ok(()));
        prop_assert_eq!(compare_versions(&a, &b), compare_versions(&b, &a).reverse());
        if compare_versions(&a, &b).is_le() && compare_versions(&b, &c).is_le() {
            prop_assert!(compare_versions(&a, &c).is_le());
        }
    }

    #[test]
    fn no_text_makes_a_rule_panic(text in any::<String>()) {
        let rules: [fn(&str) -> Verdict; 18] = [
            required, no_leading_space, single_line, notification_name, activity_title,
            activity_content, username, password, login_password, group_name, chinese_name, name,
            id_card, bank_card, email, forum_link, version, file_name,
        ];
        for rule in rules {
            if let Err(violation) = rule(&text) {
                prop_assert!(messages::template(violation.code, crate::lang::Lang::En).is_some());
            }
        }
        let _ = (ipv4(&text), whole_number(&text), yuan(&text), gift_count(&text));
        let _ = (date_time_text(&text, &chrono::Utc), id_card_warning(&text), bank_card_warning(&text));
        for kind in FileKind::ALL {
            let _ = file_extension(&text, kind);
        }
    }
}

fn version_text() -> impl Strategy<Value = String> {
    "(0|[1-9][0-9]{0,2})(\\.(0|[1-9][0-9]{0,2})){0,3}(-[a-c0-9.]{1,4})?"
}
