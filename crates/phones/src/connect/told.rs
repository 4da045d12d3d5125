//! By which codes customers hear of phones: a closed list. The table of `docs/open-api.md` says what to do at each of them.

use entity::phone_session::SessionEnd;
use kernel::text::{Message, Text, text};
use wire::Reason;

/// Another application connects to the same phone since.
pub const TAKEN_OVER: &str = "taken_over";
/// The application has said that the customer has left.
pub const LEFT: &str = "left";
/// Nobody knows this stream here.
pub const UNKNOWN: &str = "stream_unknown";
/// Whoever waited has done so for as long as the rules let him.
pub(super) const QUEUE_TIMEOUT: &str = "queue_timeout";
/// The phone was put on too often.
pub(super) const TOO_OFTEN: &str = "too_often";
/// As many as may wait do.
pub(super) const QUEUE_FULL: &str = "queue_full";
pub(super) const USER_DISABLED: &str = "user_disabled";
pub(super) const USER_CLOSED: &str = "user_closed";

const QUEUED: Text = text("暂无空闲卡，排在第 {n} 位", "No free card. Position {n}");
const QUEUED_FOR: Text = text("暂无空闲卡，排在第 {n} 位，约需 {t} 分钟", "No free card. Position {n}, about {t} min");
const AWAY: Text = text(
    "机房暂时失联，恢复后继续，排在第 {n} 位",
    "The room is out of reach; it goes on when that is back. Position {n}",
);
const UNREAD: Text = text(
    "备份所在的存储暂不可达，恢复后继续，排在第 {n} 位",
    "The backup cannot be read just now; it goes on when it can. Position {n}",
);
/// Why it does not go in the end, where customers can do no more about it than try again.
const UNWELL: Text =
    text("云手机未能在卡上启动，请稍后再连接", "The phone did not come up on a card; connect again later");

/// What customers are told as it is.
const PLAIN: &[Reason] = &[
    Reason::PhoneCreating,
    Reason::PhoneExpired,
    Reason::PhoneFrozen,
    Reason::PhoneReleased,
    Reason::PhoneErased,
    Reason::PhoneOffMachine,
    Reason::PhoneUnderWay,
    Reason::CardLost,
    Reason::CardLostNoCopy,
    Reason::CardNotOff,
    Reason::CopyDamaged,
    Reason::CopyUnfit,
    Reason::CopyUnread,
    Reason::CopyNotOffered,
    Reason::NewerOnCard,
    Reason::AlreadySo,
    Reason::ImageGone,
    Reason::ImageDiffers,
    Reason::StoreUnreachable,
    Reason::RoomAway,
    Reason::NoCard,
    Reason::Unhealthy,
];

/// What is finer for operators, and what comes to the same for customers.
const FINER: &[(Reason, Reason)] = &[
    (Reason::NoDedicatedCard, Reason::NoCard),
    (Reason::NoCardOfImage, Reason::NoCard),
    (Reason::AgentTooOld, Reason::RoomAway),
    (Reason::StoreRefused, Reason::StoreUnreachable),
    (Reason::WrongStore, Reason::StoreUnreachable),
    (Reason::RepoLocked, Reason::StoreUnreachable),
    (Reason::RepoDamaged, Reason::CopyDamaged),
    (Reason::PackageDamaged, Reason::CopyDamaged),
    (Reason::PackagesMissing, Reason::CopyDamaged),
    (Reason::OlderCopy, Reason::CopyDamaged),
    (Reason::PhoneOtherBoard, Reason::CopyUnfit),
];

/// Limits of use.
pub(super) const LIMITS: [SessionEnd; 3] = [SessionEnd::LongestSession, SessionEnd::DailyHours, SessionEnd::NightClose];

fn told(why: Reason, otherwise: Reason) -> Reason {
    if PLAIN.contains(&why) {
        return why;
    }
    FINER.iter().find(|(finer, _)| *finer == why).map_or(otherwise, |(_, coarser)| *coarser)
}

/// Why a phone cannot be connected to or acted upon. What is none of theirs is being seen to.
pub(super) fn refused(why: Reason) -> Reason {
    told(why, Reason::PhoneUnderWay)
}

/// By which code customers hear why a put-on or a take-off has ended. What cards, agents and ADB have to do with it is for operators.
#[must_use]
pub fn ended(code: &str) -> &'static str {
    Reason::from_code(code).map_or(Reason::Unhealthy, |why| told(why, Reason::Unhealthy)).code()
}

/// By which code they hear what a phone waits for in the queue; none while nobody has looked yet.
pub(super) fn waits(code: &str) -> Option<Reason> {
    if code.is_empty() {
        return None;
    }
    let why = Reason::from_code(code).map_or(Reason::NoCard, |why| told(why, Reason::NoCard));
    Some(if matches!(why, Reason::RoomAway | Reason::StoreUnreachable) { why } else { Reason::NoCard })
}

/// The words for what a phone waits for in the queue, with its place there, and how many seconds it takes if anybody knows.
#[must_use]
pub fn queued(why: Reason, position: i64, wait: Option<i64>) -> Message {
    let words: Message = match (why, wait) {
        (Reason::RoomAway, _) => AWAY.into(),
        (Reason::StoreUnreachable, _) => UNREAD.into(),
        (_, Some(seconds)) => QUEUED_FOR.with("t", (seconds.max(1) + 59) / 60),
        (_, None) => QUEUED.into(),
    };
    words.with("n", position)
}

/// What customers read at this code, where it is not what operators read.
pub(super) fn own_words(code: &str) -> Option<Text> {
    (code == Reason::Unhealthy.code()).then_some(UNWELL)
}

/// All codes by which customers hear of phones.
pub fn codes() -> impl Iterator<Item = &'static str> {
    let others = [TAKEN_OVER, LEFT, UNKNOWN, QUEUE_TIMEOUT, TOO_OFTEN, QUEUE_FULL, USER_DISABLED, USER_CLOSED];
    PLAIN.iter().map(|why| why.code()).chain(others).chain(LIMITS.map(SessionEnd::code_word))
}

#[cfg(test)]
mod tests {
    use kernel::lang::Lang;
    use wire::Reason;

    use super::{FINER, PLAIN, codes, ended, queued, refused, waits};

    #[test]
    fn whatever_happens_customers_hear_of_it_by_one_of_their_codes() {
        for why in Reason::ALL.iter().copied() {
            assert!(PLAIN.contains(&refused(why)), "{why:?}");
            assert!(codes().any(|code| code == ended(why.code())), "{why:?}");
            assert!(waits(why.code()).is_some_and(|it| PLAIN.contains(&it)), "{why:?}");
        }
        assert!(FINER.iter().all(|(finer, _)| !PLAIN.contains(finer)), "what is told as it is stands in one list");
        assert_eq!((ended("adb_auth_refused"), ended("of a later version")), ("unhealthy", "unhealthy"));
        assert_eq!((ended("packages_missing"), ended("phone_frozen")), ("copy_damaged", "phone_frozen"));
        assert_eq!(refused(Reason::CardNotLost), Reason::PhoneUnderWay);
    }

    #[test]
    fn whoever_waits_reads_his_place_and_how_long_it_takes() {
        let words = |code: &str, wait| queued(waits(code).unwrap_or(Reason::PhoneGone), 3, wait).get(Lang::En);
        for (seconds, minutes) in [(0, 1), (1, 1), (60, 1), (61, 2), (3_600, 60)] {
            assert_eq!(
                words("no_card_of_image", Some(seconds)),
                format!("No free card. Position 3, about {minutes} min")
            );
        }
        assert_eq!(words("no_card", None), "No free card. Position 3");
        assert!(words("agent_too_old", None).starts_with("The room is out of reach"));
        assert!(words("store_unreachable", None).ends_with("Position 3"));
        assert_eq!(waits(""), None);
    }
}
