//! Common passwords.
//!
//! The server sees only the md5 of a password, which is not salted; that is how it can recognize these.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::password::md5_hex;

/// Common stems: passwords, names, our own words, and adjacent keys.
const STEMS: &str = "password passwd passw0rd p@ssw0rd pass pwd admin administrator adm1n root toor user guest test testing tester \
    demo default changeme change secret letmein welcome login master super superman batman dragon monkey football baseball \
    basketball soccer hockey shadow sunshine princess michael jordan charlie thomas daniel andrew joshua jessica ashley \
    iloveyou love lovely hello freedom whatever trustno computer internet windows linux android iphone apple google samsung \
    huawei xiaomi oppo vivo mercedes ferrari porsche starwars pokemon naruto killer hunter ranger cookie summer winter spring \
    autumn monday january company office manager service server system oracle mysql postgres redis docker \
    qwerty qwertyuiop qwe qwer asdf asdfgh asdfghjkl zxcv zxcvbn zxcvbnm qaz wsx qazwsx qazwsxedc qweasd qweasdzxc abc abcd \
    abcdef abcdefg aaa aaaa aaaaaa abab a aa zxc asd q w z x s \
    skyrack sky rack cloudphone cloud phone yunshouji yunji yunpan shouji cloudgame console operator agent device backoffice \
    houtai guanli guanliyuan kefu yunwei jifang caiwu ceshi mima xitong \
    woaini aini nihao wode zhongguo china beijing shanghai shenzhen guangzhou hangzhou chengdu tianya taobao alibaba tencent \
    weixin wechat qq zhang wang li liu chen yang zhao huang zhou wu xu sun hu zhu gao lin he guo ma luo liang song zheng \
    xie han tang feng yu dong xiao cheng cao yuan deng fu shen zeng peng lv su lu jiang cai jia ding wei xue ye yan pan";
/// Common suffixes.
const ENDS: &str = "0 1 2 3 7 8 9 00 01 10 11 12 21 22 23 66 69 77 86 88 99 000 001 007 100 101 110 111 112 120 121 123 163 168 \
    222 234 321 333 365 456 518 520 521 555 567 666 678 777 789 888 911 999 1024 1111 1122 1212 1234 1313 1314 1357 2468 \
    4321 5200 5201 6666 6789 7777 8888 9999 11111 12345 54321 88888 111111 112233 121212 123123 123321 123456 520520 654321 \
    666666 888888 1234567 5201314 7654321 12345678 87654321 123456789 987654321 1234567890 \
    2018 2019 2020 2021 2022 2023 2024 2025 2026 2027 ! !! !@# !@#$ !@#$% @123 @1234 @12345 @123456 @2024 @2025 @2026 #123 \
    _123 .123 1! 123! 1234! 123456! 123!@# 123abc abc abc123 a a1 qwe";
/// Those that are not a stem with a suffix.
const WHOLE: &str = "123456 1234567 12345678 123456789 1234567890 0123456789 012345 000000 00000000 111111 1111111 11111111 \
    222222 333333 444444 555555 666666 777777 888888 88888888 999999 99999999 101010 112233 11223344 121212 123123 123123123 \
    123321 1234321 123654 123789 131313 1314520 135790 142857 147147 147258 147258369 159357 159753 159951 168168 232323 \
    258258 258369 31415926 314159 321321 456456 456789 5201314 520520 5211314 654321 666888 7654321 741852 741852963 753951 \
    789456 789456123 789789 852456 87654321 951753 963852 963852741 987654 987654321 9876543210 \
    1q2w3e 1q2w3e4r 1q2w3e4r5t 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 q1w2e3 q1w2e3r4 q1w2e3r4t5 zaq12wsx zaq1xsw2 2wsx3edc 3edc4rfv \
    1a2b3c 1a2b3c4d a1b2c3 a1b2c3d4 a1s2d3f4 z1x2c3v4 qwe123qwe qweqwe123 asd123asd abc123abc 123qwe 123qweasd 123qweasdzxc \
    123abc 123asd 123zxc 12qwaszx 1234qwer 12345qwert 12345a 123456a 123456q 123456aa 123456abc 123456qwe 1234567a 12345678a \
    123456789a 123456789q 11111a 111111a 1111aaaa a11111 a111111 a12345 a123456 a1234567 a12345678 a123456789 aa123456 \
    aaa111 aaa123 abcd1234 qq123456 q123456 w123456 z123456 zz123456 qwer1234 asdf1234 zxcv1234 p@ssw0rd1 pa55word pa55w0rd \
    passw0rd1 admin@123 admin!23 r00tr00t root123root test1test 5201314a a5201314 woaini520 woaini1314 520woaini 1314woaini \
    7758521 7758258 iloveyou1314 li123456 wang123456 zhang123456 liu123456 chen123456 yang123456 123admin 123root 123test \
    112233aa qq5201314 sky@rack sky_rack rack@sky cloud@phone skyrack@skyrack";

/// The first eight bytes of their md5: sufficient, and small.
static WEAK: LazyLock<HashSet<u64>> = LazyLock::new(|| {
    let mut weak = HashSet::new();
    let mut add = |word: &str| {
        weak.extend(head(&md5_hex(word)));
    };
    for stem in STEMS.split_whitespace() {
        for form in [stem.to_owned(), capital(stem), stem.to_uppercase()] {
            add(&form);
            for end in ENDS.split_whitespace() {
                add(&format!("{form}{end}"));
            }
        }
    }
    for word in WHOLE.split_whitespace() {
        for form in [word.to_owned(), capital(word), word.to_uppercase()] {
            add(&form);
        }
    }
    weak
});

/// Whether this is the md5 of a common password.
#[must_use]
pub fn is_weak(md5_hex: &str) -> bool {
    head(md5_hex).is_some_and(|head| WEAK.contains(&head))
}

/// Whether this is the md5 of the username, alone or with common prefixes or suffixes. Any password that contains the
/// name is refused by the form; the server can only recognize those that it can derive.
#[must_use]
pub fn is_of_name(md5_hex: &str, username: &str) -> bool {
    let is = |word: &str| md5_hex == super::password::md5_hex(word);
    [username.to_owned(), capital(username), username.to_uppercase()].iter().any(|form| {
        let mut ends = ENDS.split_whitespace();
        is(form)
            || is(&form.repeat(2))
            || ends
                .any(|end| is(&format!("{form}{end}")) || is(&format!("{end}{form}")) || is(&format!("{form}_{end}")))
    })
}

fn head(md5_hex: &str) -> Option<u64> {
    u64::from_str_radix(md5_hex.get(..16)?, 16).ok()
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::{WEAK, is_of_name, is_weak};
    use crate::auth::password::md5_hex;

    #[test]
    fn common_passwords_are_known_and_others_are_not() {
        for common in [
            "123456",
            "password1",
            "Admin123",
            "admin@123",
            "Skyrack2026",
            "a123456",
            "1qaz2wsx",
            "woaini520",
            "Qwerty123456",
        ] {
            assert!(is_weak(&md5_hex(common)), "{common}");
        }
        for sound in ["Rack-2026_sky", "First-2026_pw", "kotu7mebi2", "x9f2kq7w"] {
            assert!(!is_weak(&md5_hex(sound)), "{sound}");
        }
        for own in
            ["xiaowang88", "Xiaowang2026", "123xiaowang", "XIAOWANG", "xiaowang_01", "xiaowang@123", "xiaowangxiaowang"]
        {
            assert!(!is_weak(&md5_hex(own)) && is_of_name(&md5_hex(own), "xiaowang"), "{own}");
        }
        assert!(!is_of_name(&md5_hex("x9f2kq7w"), "xiaowang"));
        assert!(!is_weak("") && !is_weak("short"));
        assert!(WEAK.len() > 1000);
    }
}
