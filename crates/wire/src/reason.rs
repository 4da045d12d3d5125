//! Why something was not done: one list for both sides.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! reasons {
    ($($(#[$doc:meta])* $variant:ident = $code:literal,)+) => {
        /// Why a task did not succeed or was skipped, why an operation stopped, or why a card or a BMC did not answer.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Reason {
            $($(#[$doc])* $variant,)+
        }

        impl Reason {
            /// Every reason.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Its code: sent and stored, and the same in all versions.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self { $(Self::$variant => $code,)+ }
            }

            /// The reason with this code; none if this version does not know it.
            #[must_use]
            pub fn from_code(code: &str) -> Option<Self> {
                match code { $($code => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

reasons! {
    /// The card is retired.
    Retired = "retired",
    /// The card is offline; skipped.
    Offline = "offline",
    /// The card is in use and the operation was not forced.
    Busy = "busy",
    /// Already in this state.
    AlreadySo = "already_so",
    /// Its room, frame or host is in maintenance.
    PlaceMaintained = "place_maintained",
    /// The target frame has no free position.
    NoPosition = "no_position",
    /// The target position or address cannot take this card.
    PlaceRefused = "place_refused",
    /// A cloud phone is on the card, and this would destroy or lose it.
    HoldsPhone = "holds_phone",
    /// The card says itself that it carries a phone which no stay in the books explains.
    StrayPhone = "stray_phone",
    /// The card carries no such phone.
    NoStray = "no_stray",
    /// The phone is on the machine.
    PhoneOnMachine = "phone_on_machine",
    /// It has this plan already.
    PhoneSamePlan = "phone_same_plan",
    /// What the phone holds runs on another board than that of the plan.
    PhoneOtherBoard = "phone_other_board",
    /// The phone is still being made.
    PhoneCreating = "phone_creating",
    /// The phone is active.
    PhoneActive = "phone_active",
    /// The phone is frozen.
    PhoneFrozen = "phone_frozen",
    /// The phone is not frozen.
    PhoneNotFrozen = "phone_not_frozen",
    /// The phone has expired.
    PhoneExpired = "phone_expired",
    /// The phone is released.
    PhoneReleased = "phone_released",
    /// The phone is not released.
    PhoneNotReleased = "phone_not_released",
    /// The phone is off the machine.
    PhoneOffMachine = "phone_off_machine",
    /// The phone has been used: what it left would have to come back with it.
    PhoneNotBlank = "phone_not_blank",
    /// Something is being done to the phone already.
    PhoneUnderWay = "phone_under_way",
    /// No free card of this board is in the room.
    NoCard = "no_card",
    /// No free card of this board is in the room that a phone has for itself.
    NoDedicatedCard = "no_dedicated_card",
    /// No free card of its board runs the image that its copy was made with.
    NoCardOfImage = "no_card_of_image",
    /// The room has an agent, and none that can do this: it has to be upgraded.
    AgentTooOld = "agent_too_old",
    /// No agent of the room is connected.
    RoomAway = "room_away",
    /// The time in which a released phone could be had back is over.
    PhoneStayOver = "phone_stay_over",
    /// The phone is erased.
    PhoneErased = "phone_erased",
    /// The phone is not there.
    PhoneGone = "phone_gone",
    /// Its time has not come.
    PhoneNotDue = "phone_not_due",
    /// The phone is another user's.
    PhoneOfOther = "phone_of_other",
    /// The user who is to get a phone is gone.
    PhoneUserGone = "phone_user_gone",
    /// The room that is to be a phone's home is gone.
    PhoneRoomGone = "phone_room_gone",
    /// The phone holds more than its disk: nothing is installed on it.
    PhoneDiskOver = "phone_disk_over",
    /// No phone has so large a disk.
    PhoneDiskLargest = "phone_disk_largest",
    /// No BMC mapping, so the power cannot be controlled.
    NoBmc = "no_bmc",
    /// ADB connection refused.
    AdbRefused = "adb_refused",
    /// Network unreachable.
    AdbUnreachable = "adb_unreachable",
    /// The room agent refuses loopback, link-local and multicast addresses.
    AddressRefused = "address_refused",
    /// The card did not respond (timeout).
    AdbTimeout = "adb_timeout",
    /// The card does not trust the room's ADB key.
    AdbAuthRefused = "adb_auth_refused",
    /// The card requires an ADB key.
    AdbAuthNeeded = "adb_auth_needed",
    /// The card does not support this.
    AdbUnsupported = "adb_unsupported",
    /// The card's response does not follow the ADB protocol.
    AdbProtocol = "adb_protocol",
    /// The connection to the card was lost.
    AdbClosed = "adb_closed",
    /// The card refused the service.
    AdbServiceRefused = "adb_service_refused",
    /// Execution failed on the card.
    DeviceFail = "device_fail",
    /// No such path on the card.
    NoSuchFile = "no_such_file",
    /// Not enough storage on the card.
    NoSpace = "no_space",
    /// Installation failed.
    InstallFailed = "install_failed",
    /// The command returned a non-zero exit code.
    ExitCode = "exit_code",
    /// The output or the file is too large.
    TooLarge = "too_large",
    /// The parameters cannot be sent to a card.
    BadArgument = "bad_argument",
    /// File error on the room agent.
    LocalFile = "local_file",
    /// The file could not be sent back to the console.
    UploadFailed = "upload_failed",
    /// Interrupted; not retried automatically.
    Interrupted = "interrupted",
    /// Installation interrupted; confirmed not installed.
    NotInstalled = "not_installed",
    /// The room agent cannot write its journal; nothing was done.
    AgentJournal = "agent_journal",
    /// The room agent broke down over this, and goes on with the rest.
    AgentBroke = "agent_broke",
    /// The room agent does not know this: it is older than the console.
    UnknownAct = "unknown_act",
    /// The card is marked as another phone's, or as nobody's; nothing was changed.
    NotOurs = "not_ours",
    /// The card says nothing of whose it is, or nothing that can be read: its shell is not root, or its mark is damaged.
    MarkUnreadable = "mark_unreadable",
    /// The card's shell is not root's: what is not its own it cannot see.
    NotRoot = "not_root",
    /// The phone's screen is locked: its files are encrypted.
    Locked = "locked",
    /// Something on the card is neither kept by a copy nor known to be superfluous.
    NotCovered = "not_covered",
    /// A list of all files on the card is more than the room agent has memory for.
    TooManyFiles = "too_many_files",
    /// The card runs another image than the phone needs.
    ImageDiffers = "image_differs",
    /// Something on the card cannot be read, or changes while it is read; nothing was changed.
    NotReadable = "not_readable",
    /// Something of the phone has changed since it was copied, or while it was; nothing was changed by us.
    DataChanged = "data_changed",
    /// It is not known which apps were installed when their packages were saved.
    AppsUnknown = "apps_unknown",
    /// Nobody has read, or tried, what a clean card of this image looks like.
    NoProfile = "no_profile",
    /// Something of the phone before may still be on the card.
    WipeUnproved = "wipe_unproved",
    /// What was restored on the card is not what the copy holds.
    RestoreUnproved = "restore_unproved",
    /// The card's system does not come up, or not whole.
    Unhealthy = "unhealthy",
    /// A storage node does not answer, or not in time.
    StoreUnreachable = "store_unreachable",
    /// A storage node has no room.
    StoreFull = "store_full",
    /// A storage node does not accept the login, the certificate or the permission.
    StoreRefused = "store_refused",
    /// What a storage node gave back is not what was written.
    StoreDamaged = "store_damaged",
    /// What is at a storage node's place is not the node in the books: its marker is missing, or another's.
    WrongStore = "wrong_store",
    /// A new storage node's place holds something already.
    StoreNotEmpty = "store_not_empty",
    /// No snapshot of a storage node's file system has the node's marker, though it is said to keep some.
    NoSnapshots = "no_snapshots",
    /// The agent lets no storage node lie at this place.
    StorePlaceRefused = "store_place_refused",
    /// No storage node of the phone's room takes a copy.
    NoStore = "no_store",
    /// What was read back of a copy is not what was written.
    CopyDamaged = "copy_damaged",
    /// Somebody has the repository of a phone's copies for himself, with restic.
    RepoLocked = "repo_locked",
    /// The repository of a phone's copies is not what it was.
    RepoDamaged = "repo_damaged",
    /// The copy is another user's.
    CopyOfOther = "copy_of_other",
    /// The copy was not completed, is damaged, or is gone.
    CopyUnfit = "copy_unfit",
    /// The card has restarted since the phone's last copy: its apps have run, and may have written.
    AppsRan = "apps_ran",
    /// The copy with which a phone is to be put on is damaged, and an older one is whole.
    OlderCopy = "older_copy",
    /// The copy that a person accepts is not the one with which the phone would come.
    CopyNotOffered = "copy_not_offered",
    /// The card of a phone that is on does not answer, and there is a whole copy.
    CardLost = "card_lost",
    /// The same, and there is none.
    CardLostNoCopy = "card_lost_no_copy",
    /// A card that was to be wiped has not answered for so long that it is set aside.
    CardGone = "card_gone",
    /// A card whose phone has gone on elsewhere is not back yet.
    CardAway = "card_away",
    /// Such a card is back: what was written on it since the copy is in no copy.
    CardWasLost = "card_was_lost",
    /// The card on which what was given up lies is back.
    LossIsBack = "loss_is_back",
    /// The phone has left nothing on a card that may be in no copy and waits for a person.
    NothingLeft = "nothing_left",
    /// No card of the phone's room and board runs the image with which the copy was made, or one that takes its phones.
    ImageGone = "image_gone",
    /// What the phone has left on its last card is in no whole copy.
    NewerOnCard = "newer_on_card",
    /// Nothing of the phone waits that goes on at a person's word.
    NothingHeld = "nothing_held",
    /// What would be done needs a permission that whoever asks has not.
    NeedsRight = "needs_right",
    /// A phone has a copy that nobody has read back yet.
    CopyUnread = "copy_unread",
    /// The phone's card is not lost.
    CardNotLost = "card_not_lost",
    /// Nobody knows that a lost card is off, and nobody answers for it.
    CardNotOff = "card_not_off",
    /// A phone has a whole copy: nothing of it has to be given up.
    CopyThere = "copy_there",
    /// An agent of the phone's room is there: nothing has to be opened in another one.
    RoomThere = "room_there",
    /// A phone has no whole copy with which it could go on.
    NoWholeCopy = "no_whole_copy",
    /// No agent of the room in which a phone is to be opened reads its copy.
    CopyOutOfReach = "copy_out_of_reach",
    /// It gave way to what a person has asked for.
    Preempted = "preempted",
    /// A second operator has to confirm it.
    NeedsSecond = "needs_second",
    /// Somebody wants the phone that was being taken off: it stays.
    CameBack = "came_back",
    /// The phone has its card for itself by now: no rule takes it off.
    Guaranteed = "guaranteed",
    /// Whoever uses the phone is warned before it is taken off.
    UserWarned = "user_warned",
    /// A phone has less than half of the files or bytes of the copy that it lives by.
    Shrunk = "shrunk",
    /// Apps were installed, updated or removed after their packages had been saved.
    AppsChanged = "apps_changed",
    /// What was read back of an app's package is not what was written.
    PackageDamaged = "package_damaged",
    /// Not all packages that a copy needs lie on its storage node.
    PackagesMissing = "packages_missing",
    /// The card at this position is not the recorded one; nothing was done.
    WrongCard = "wrong_card",
    /// The BMC is unreachable.
    BmcUnreachable = "bmc_unreachable",
    /// The BMC did not respond (timeout).
    BmcTimeout = "bmc_timeout",
    /// The BMC's certificate has changed.
    BmcCertificateChanged = "bmc_certificate_changed",
    /// Wrong BMC username or password.
    BmcAuthRefused = "bmc_auth_refused",
    /// The BMC account lacks the required privilege.
    BmcForbidden = "bmc_forbidden",
    /// The BMC does not honour the session it just created.
    BmcSessionRefused = "bmc_session_refused",
    /// The BMC has no session service and does not accept HTTP Basic either.
    BmcNoScheme = "bmc_no_scheme",
    /// No BMC session available.
    BmcNoSession = "bmc_no_session",
    /// The BMC does not support this.
    BmcUnsupported = "bmc_unsupported",
    /// The BMC returned an error.
    BmcFailed = "bmc_failed",
    /// The BMC's response does not follow Redfish.
    BmcProtocol = "bmc_protocol",
    /// The BMC does not know the power state; no command was sent.
    PowerUnknown = "power_unknown",
    /// The command was sent, but the power state did not change.
    PowerStuck = "power_stuck",
    /// The room agent is gone or revoked.
    AgentGone = "agent_gone",
    /// The room agent is connected but never reported the result.
    AgentSilent = "agent_silent",
    /// The operation has expired.
    Expired = "expired",
    /// Too many failures; paused automatically.
    FailedLimit = "failed_limit",
}

/// A reason as the other side told it: a newer one may have reasons that this one does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// One of ours.
    Known(Reason),
    /// A code that this version does not know.
    Other(String),
}

impl Told {
    /// The code.
    #[must_use]
    pub fn code(&self) -> &str {
        match self {
            Self::Known(reason) => reason.code(),
            Self::Other(code) => code,
        }
    }
}

impl From<Reason> for Told {
    fn from(reason: Reason) -> Self {
        Self::Known(reason)
    }
}

impl Serialize for Told {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.code())
    }
}

impl<'de> Deserialize<'de> for Told {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let code = String::deserialize(from)?;
        Ok(Reason::from_code(&code).map_or(Self::Other(code), Self::Known))
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

    use super::{Reason, Told};

    #[test]
    fn a_code_is_read_as_it_was_written_known_or_not() {
        for reason in Reason::ALL {
            assert_eq!(Reason::from_code(reason.code()), Some(*reason));
            let text = serde_json::to_string(&Told::from(*reason)).unwrap();
            assert_eq!(text, format!("\"{}\"", reason.code()));
            assert_eq!(serde_json::from_str::<Told>(&text).unwrap(), Told::Known(*reason));
        }
        let newer: Told = serde_json::from_str("\"of_a_newer_agent\"").unwrap();
        assert_eq!(newer, Told::Other("of_a_newer_agent".to_owned()));
        assert_eq!(serde_json::to_string(&newer).unwrap(), "\"of_a_newer_agent\"");
    }
}
