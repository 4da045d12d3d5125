//! Customers as pure functions of their index.

use base::demo::Random;
use customers::NewClientUser;
use entity::client_user::{ClientType, ClientUserStatus as Status, LoginMethod};
use kernel::time::UtcTime;

use super::calendar::{Calendar, DAYS};

const SURNAMES: &[(&str, &str)] = &[
    ("王", "wang"),
    ("李", "li"),
    ("张", "zhang"),
    ("刘", "liu"),
    ("陈", "chen"),
    ("杨", "yang"),
    ("黄", "huang"),
    ("赵", "zhao"),
    ("吴", "wu"),
    ("周", "zhou"),
    ("徐", "xu"),
    ("孙", "sun"),
    ("马", "ma"),
    ("朱", "zhu"),
    ("胡", "hu"),
    ("郭", "guo"),
    ("何", "he"),
    ("高", "gao"),
    ("林", "lin"),
    ("罗", "luo"),
    ("郑", "zheng"),
    ("梁", "liang"),
    ("谢", "xie"),
    ("宋", "song"),
    ("唐", "tang"),
    ("许", "xu"),
    ("韩", "han"),
    ("冯", "feng"),
    ("邓", "deng"),
    ("曹", "cao"),
    ("彭", "peng"),
    ("曾", "zeng"),
    ("肖", "xiao"),
    ("田", "tian"),
    ("董", "dong"),
    ("潘", "pan"),
    ("袁", "yuan"),
    ("蔡", "cai"),
    ("蒋", "jiang"),
    ("余", "yu"),
    ("于", "yu"),
    ("杜", "du"),
    ("叶", "ye"),
    ("程", "cheng"),
    ("魏", "wei"),
    ("苏", "su"),
    ("吕", "lv"),
    ("丁", "ding"),
    ("欧阳", "ouyang"),
    ("上官", "shangguan"),
    ("司马", "sima"),
    ("诸葛", "zhuge"),
];
const GIVEN: &[&str] = &[
    "伟", "芳", "娜", "敏", "静", "丽", "强", "磊", "军", "洋", "勇", "艳", "杰", "娟", "涛", "明", "超", "秀", "霞",
    "平", "刚", "桂", "英", "华", "玉", "兰", "飞", "鹏", "辉", "倩", "宇", "浩", "轩", "子", "涵", "梓", "萱", "欣",
    "怡", "雨", "晨", "阳", "俊", "凯", "嘉", "宁", "思", "远", "文", "博", "志", "建", "国", "海", "燕", "雪", "梅",
    "琳", "佳", "慧", "颖", "楠", "婷", "瑶", "晓", "东",
];
const NICKNAMES: &[&str] = &[
    "云游小鹿",
    "星海漫步",
    "深夜放映室",
    "橘子汽水",
    "起飞的猪",
    "一只柯基",
    "月下独酌",
    "峡谷守夜人",
    "Leo",
    "SunnyDay",
    "Kiki",
    "NightOwl",
];
const PREFIXES: &[u64] = &[
    130, 131, 132, 133, 135, 136, 137, 138, 139, 150, 151, 152, 155, 156, 157, 158, 159, 166, 170, 173, 175, 176, 177,
    178, 180, 181, 182, 183, 186, 187, 188, 189, 191, 195, 198, 199,
];
const NETWORKS: &[&str] = &[
    "36.112", "39.144", "49.7", "58.20", "60.10", "101.80", "111.18", "112.96", "113.88", "116.21", "117.136",
    "120.204", "183.14", "218.17", "222.64", "223.104",
];
const ANDROID: &[&str] = &[
    "HUAWEI Mate 60 Pro",
    "HUAWEI P60",
    "Xiaomi 14",
    "Redmi K70",
    "OPPO Find X7",
    "vivo X100",
    "HONOR Magic6",
    "OnePlus 12",
    "realme GT5",
    "Samsung S24",
];
const IOS: &[&str] = &["iPhone 15 Pro", "iPhone 15", "iPhone 14", "iPhone 13", "iPhone SE", "iPad Air"];
const PC: &[&str] = &["DESKTOP-7Q2K1L", "LAPTOP-M3V9TA", "MacBook Pro", "MacBook Air", "DESKTOP-0X8BRC"];
const WEB: &[&str] = &["谷歌浏览器", "火狐浏览器", "Edge浏览器"];
const VERSIONS: &[(&str, u64)] =
    &[("3.2.1", 46), ("3.2.0", 22), ("3.1.4", 14), ("3.1.0", 9), ("3.0.2", 5), ("2.9.8", 4)];
const REMARKS: &[&str] = &["老客户，续费三次", "反馈过卡顿，已处理", "代理商推荐", "企业试用，联系市场部", "要求开票"];
const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// The state of a request to close an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closing {
    Requested,
    Withdrawn,
    Completed,
    CameBack,
}

/// Fourteen of the customers requested to close their account, in every state.
pub const CLOSINGS: [Closing; 14] = {
    use Closing::{CameBack, Completed, Requested, Withdrawn};
    [
        Completed, Withdrawn, CameBack, Completed, Requested, Withdrawn, Completed, Requested, CameBack, Withdrawn,
        Requested, Completed, Requested, Requested,
    ]
};

/// The whole company's customers.
#[derive(Debug)]
pub struct People {
    pub count: u32,
    pub calendar: Calendar,
    pub now: UtcTime,
}

impl People {
    pub fn new(count: u32, now: UtcTime) -> Self {
        Self { count, calendar: Calendar::new(now), now }
    }

    /// Whether and how this customer requested to close the account. The first tenth of the customers is excluded, so
    /// that the newest requests come from newer accounts.
    pub fn closing(&self, index: u32) -> Option<Closing> {
        let step = self.count / 16;
        if step == 0 || index % step != step / 2 {
            return None;
        }
        let place = usize::try_from(index / step).unwrap_or(0).checked_sub(1)?;
        CLOSINGS.get(place).copied()
    }

    /// When this customer signed in during the last 30 days, oldest first.
    pub fn visits(&self, index: u32, registered_at: UtcTime) -> Vec<UtcTime> {
        let mut random = Random::stream(2, index);
        let count = match random.below(100) {
            0..40 => 0,
            40..75 => 1 + random.below(4),
            75..95 => 8 + random.below(8),
            _ => 20 + random.below(21),
        };
        let mut visits: Vec<UtcTime> = (0..count)
            .map(|_| {
                let day = usize::try_from(random.below(30)).unwrap_or(0);
                self.calendar.visit(day, &mut random)
            })
            .filter(|at| *at > registered_at)
            .collect();
        visits.sort_unstable();
        visits
    }

    /// The customer.
    pub fn person(&self, index: u32) -> NewClientUser {
        let mut random = Random::stream(1, index);
        let (surname, pinyin) =
            if random.chance(2) { random.pick(SURNAMES) } else { random.pick(&SURNAMES[..SURNAMES.len() - 4]) };
        let name = if random.chance(12) {
            format!("{}{}", random.pick(NICKNAMES), random.below(1000))
        } else if random.chance(25) {
            format!("{surname}{}", random.pick(GIVEN))
        } else {
            format!("{surname}{}{}", random.pick(GIVEN), random.pick(GIVEN))
        };
        let login_method = random.weighted(&[
            (LoginMethod::PhoneCode, 46),
            (LoginMethod::Password, 22),
            (LoginMethod::WeChat, 17),
            (LoginMethod::Qq, 8),
            (LoginMethod::Apple, 5),
            (LoginMethod::Guest, 2),
        ]);
        let client_type = random.weighted(&[
            (ClientType::Android, 58),
            (ClientType::Ios, 22),
            (ClientType::Pc, 14),
            (ClientType::Web, 6),
        ]);
        let device = random.pick(match client_type {
            ClientType::Android => ANDROID,
            ClientType::Ios => IOS,
            ClientType::Pc => PC,
            ClientType::Web => WEB,
        });
        let has_phone = match login_method {
            LoginMethod::PhoneCode | LoginMethod::Password => true,
            LoginMethod::WeChat | LoginMethod::Qq | LoginMethod::Apple => random.chance(60),
            LoginMethod::Guest => false,
        };
        let email = match random.below(10) {
            0 => format!("{}@qq.com", 100_000_000 + random.below(3_000_000_000)),
            1 => format!("{pinyin}{}@163.com", 1970 + random.below(40)),
            2 => format!("{pinyin}.{}@outlook.com", random.below(10_000)),
            _ => String::new(),
        };
        let registered_at = self.calendar.registration((f64::from(index) + 0.5) / f64::from(self.count));
        let last_login_at = self.visits(index, registered_at).last().copied().or_else(|| {
            // Long ago, or never.
            let span = self.now.millis() - 31 * 86_400_000 - registered_at.millis();
            (span > 0 && random.chance(90))
                .then(|| UtcTime(registered_at.millis() + (random.fraction() * span as f64) as i64))
        });
        let status = match self.closing(index) {
            Some(Closing::Completed | Closing::CameBack) => Status::LoggedOut,
            Some(_) => Status::Active,
            None if random.chance(3) => Status::Disabled,
            None => Status::Active,
        };
        NewClientUser {
            name,
            phone: if has_phone { phone(index) } else { String::new() },
            email,
            ident_code: ident_code(index),
            login_method,
            device_name: device.to_owned(),
            register_ip: format!("{}.{}.{}", random.pick(NETWORKS), random.below(256), 1 + random.below(254)),
            client_type,
            client_version: random.weighted(VERSIONS).to_owned(),
            status,
            star_coins: if random.chance(55) { i64::try_from(random.below(500) * 10).unwrap_or(0) } else { 0 },
            phone_count: 0,
            remark: if random.chance(4) { random.pick(REMARKS).to_owned() } else { String::new() },
            registered_at,
            last_login_at,
        }
    }

    /// Days since the customer registered, limited to the calendar's range.
    pub fn days_since(&self, at: UtcTime) -> usize {
        usize::try_from(self.now.seconds_since(at) / 86_400).unwrap_or(0).min(DAYS)
    }
}

/// Eleven digits, different for every index: a full-period walk through all numbers.
fn phone(index: u32) -> String {
    let all = PREFIXES.len() as u64 * 100_000_000;
    let at = (u64::from(index) * 1_618_033_993 + 271_828_183) % all;
    let prefix = PREFIXES[usize::try_from(at / 100_000_000).unwrap_or(0)];
    format!("{prefix}{:08}", at % 100_000_000)
}

/// Ten characters, different for every index.
fn ident_code(index: u32) -> String {
    let mut at =
        (u64::from(index).wrapping_mul(0x0002_545F_4914_F6CD).wrapping_add(0x0001_2345_6789_ABCD)) & ((1 << 50) - 1);
    let mut code = [b'0'; 10];
    for place in code.iter_mut().rev() {
        *place = LETTERS[usize::try_from(at & 31).unwrap_or(0)];
        at >>= 5;
    }
    code.iter().copied().map(char::from).collect()
}
