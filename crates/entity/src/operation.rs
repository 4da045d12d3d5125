//! An action of an operator on a selection of cards.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::{OperationFileId, OperationId, OperatorId};

kernel::coded_enum! {
    /// What an operation is done to.
    pub enum Target {
        /// Cards.
        Card = 1 ("安卓卡", "Cards"),
        /// Cloud phones.
        Phone = 2 ("云手机", "Cloud phones"),
    }
}

kernel::coded_enum! {
    /// What an operation does at each of its targets.
    pub enum OperationKind {
        /// Restart Android.
        Reboot = 1 ("重启", "Reboot"),
        /// Power on, through the BMC.
        PowerOn = 2 ("上电", "Power on"),
        /// Power off.
        PowerOff = 3 ("断电", "Power off"),
        /// Power off and on.
        PowerCycle = 4 ("断电重启", "Power cycle"),
        /// Run a script.
        Shell = 5 ("执行脚本", "Run a script"),
        /// Remove a package.
        Uninstall = 6 ("卸载应用", "Uninstall"),
        /// Fetch the system log.
        PullLog = 7 ("拉取日志", "Fetch logs"),
        /// Take a screenshot.
        Screenshot = 8 ("截图", "Screenshots"),
        /// Limit the network.
        SpeedLimit = 9 ("网络限速", "Limit network speed"),
        /// Set a system property.
        SetProperty = 10 ("设置系统属性", "Set system property"),
        /// Restore the factory state.
        FactoryReset = 11 ("恢复出厂", "Factory reset"),
        /// Remove user data.
        Wipe = 12 ("擦除用户数据", "Wipe user data"),
        /// Install a package, also over an older version.
        Install = 13 ("安装应用", "Install"),
        /// Write a file.
        Push = 14 ("推送文件", "Push a file"),
        /// No new users; those on it stay until they leave.
        Drain = 15 ("排空", "Drain"),
        /// Maintenance is in progress on it.
        Maintain = 16 ("进入维护", "Start maintenance"),
        /// Back to service.
        Return = 17 ("恢复使用", "Return to service"),
        /// Whether it may be assigned to phones, and whether it takes part in overcommit.
        SetFlags = 18 ("分配设置", "Assignment settings"),
        /// To a free position of a frame.
        Move = 19 ("移动", "Move"),
        /// Fetch a file.
        Pull = 20 ("拉取文件", "Fetch a file"),
        /// Read what a clean card of an image looks like.
        Profile = 21 ("采集干净画像", "Read a clean card"),
        /// Erase phones that no stay in the books explains.
        WipeStray = 22 ("清除外来云手机", "Wipe stray phones"),
        /// A phone is paid for some more days.
        PhoneRenew = 31 ("续费", "Renew"),
        /// A phone gets another plan.
        PhonePlan = 32 ("变更套餐", "Change plan"),
        /// Nobody may use a phone.
        PhoneFreeze = 33 ("冻结", "Freeze"),
        /// It may be used again.
        PhoneThaw = 34 ("解冻", "Thaw"),
        /// A phone is given up.
        PhoneRelease = 35 ("释放", "Release"),
        /// It is had back.
        PhoneRestore = 36 ("恢复", "Restore"),
        /// A phone comes on a card.
        PhonePutOn = 37 ("上机", "Put on"),
        /// A phone restarts on its card.
        PhoneRestart = 38 ("重启云手机", "Restart phones"),
        /// A copy of a phone is made.
        PhoneBackUp = 39 ("备份云手机", "Back up phones"),
        /// A phone that was never used comes on a card with what a copy holds.
        PhoneFromBackup = 40 ("从备份上机", "Put on from a backup"),
        /// A phone goes off its card, once all of it is in a copy.
        PhoneTakeOff = 41 ("云手机下机", "Take phones off"),
        /// A phone whose card is lost goes on elsewhere with what its copy holds.
        PhoneAcceptCopy = 42 ("用备份恢复失联云手机", "Go on from copies"),
        /// What a phone had on a lost card is given up: there is no whole copy of it.
        PhoneGiveUp = 43 ("放弃失联卡上的数据", "Give up data on lost cards"),
        /// A phone of a room in which no agent is there has its home in another room, and leaves its card for that.
        PhoneOpenElsewhere = 44 ("在其他机房打开", "Open in another room"),
        /// What phones have left on cards in quarantine is wiped, also where it is in no copy.
        PhoneWipeLeft = 45 ("不备份清除隔离数据", "Wipe quarantined data without a copy"),
        /// What waits of a phone until a person says so goes on.
        PhoneGoOn = 46 ("继续处理云手机", "Go on with held phones"),
        /// A phone lives by an older copy of its own again, and is put on with that if it is on a card.
        PhoneSetBack = 47 ("恢复到所选备份", "Set back to a backup"),
    }
}

impl OperationKind {
    /// What it is done to.
    #[must_use]
    pub const fn target(self) -> Target {
        match self {
            Self::PhoneRenew
            | Self::PhonePlan
            | Self::PhoneFreeze
            | Self::PhoneThaw
            | Self::PhoneRelease
            | Self::PhoneRestore
            | Self::PhonePutOn
            | Self::PhoneRestart
            | Self::PhoneBackUp
            | Self::PhoneFromBackup
            | Self::PhoneTakeOff
            | Self::PhoneAcceptCopy
            | Self::PhoneGiveUp
            | Self::PhoneOpenElsewhere
            | Self::PhoneWipeLeft
            | Self::PhoneGoOn
            | Self::PhoneSetBack => Target::Phone,
            Self::Reboot
            | Self::PowerOn
            | Self::PowerOff
            | Self::PowerCycle
            | Self::Shell
            | Self::Uninstall
            | Self::PullLog
            | Self::Screenshot
            | Self::SpeedLimit
            | Self::SetProperty
            | Self::FactoryReset
            | Self::Wipe
            | Self::Install
            | Self::Push
            | Self::Drain
            | Self::Maintain
            | Self::Return
            | Self::SetFlags
            | Self::Move
            | Self::Pull
            | Self::Profile
            | Self::WipeStray => Target::Card,
        }
    }

    /// A user on the card is interrupted: such a card is skipped unless the operation is forced.
    #[must_use]
    pub const fn disturbs(self) -> bool {
        self.is_dangerous() || matches!(self, Self::Profile)
    }

    /// Destroys what is on a card, or loses track of it: refused where a phone is on it, whoever forces it.
    #[must_use]
    pub const fn ends_phones(self) -> bool {
        self.erases() || matches!(self, Self::Move | Self::Profile)
    }

    /// Erases what is on a card: looks first for a phone there that the books do not explain.
    #[must_use]
    pub const fn erases(self) -> bool {
        matches!(self, Self::FactoryReset | Self::Wipe | Self::WipeStray)
    }

    /// Reaches into a phone that is on the card, so that it has to be forced there.
    #[must_use]
    pub const fn reaches_phones(self) -> bool {
        self.disturbs() || matches!(self, Self::Shell)
    }

    /// A reason is required.
    #[must_use]
    pub const fn is_dangerous(self) -> bool {
        self.erases() || matches!(self, Self::Reboot | Self::PowerOff | Self::PowerCycle)
    }

    /// A second operator must approve it on many cards or phones: dangerous kinds, scripts, which may do anything, what
    /// stops a phone or empties a card to read it, what leaves something behind for good, and what may do any of these.
    #[must_use]
    pub const fn wants_approval(self) -> bool {
        self.is_dangerous()
            || self.wants_second()
            || matches!(self, Self::Shell | Self::Profile)
            || matches!(self, Self::PhoneRestart | Self::PhoneBackUp | Self::PhoneTakeOff | Self::PhoneAcceptCopy)
            || matches!(self, Self::PhoneGoOn)
    }

    /// A second operator must approve it, however few it is done to.
    #[must_use]
    pub const fn wants_second(self) -> bool {
        matches!(self, Self::PhoneGiveUp | Self::PhoneOpenElsewhere | Self::PhoneWipeLeft | Self::WipeStray)
    }

    /// It changes nothing on the cards, however it ends.
    #[must_use]
    pub const fn only_reads(self) -> bool {
        matches!(self, Self::PullLog | Self::Screenshot | Self::Pull)
    }

    /// It only changes records: the console does it, and no card is reached.
    #[must_use]
    pub const fn is_of_records(self) -> bool {
        matches!(self, Self::Drain | Self::Maintain | Self::Return | Self::SetFlags | Self::Move)
            || matches!(self.target(), Target::Phone)
    }

    /// A reason is required because others who find a card or a phone in this state need to know why.
    #[must_use]
    pub const fn wants_reason(self) -> bool {
        self.is_dangerous() || self.wants_second() || matches!(self, Self::Drain | Self::Maintain | Self::PhoneFreeze)
    }

    /// In how many seconds it has to be done at a target, unless somebody says otherwise.
    #[must_use]
    pub const fn seconds(self) -> i32 {
        if matches!(self, Self::Profile) { 1_800 } else { 120 }
    }

    /// It uses the BMC and not ADB.
    #[must_use]
    pub const fn is_power(self) -> bool {
        matches!(self, Self::PowerOn | Self::PowerOff | Self::PowerCycle)
    }
}

kernel::coded_enum! {
    /// The state of an operation.
    pub enum OperationState {
        /// Its targets are being expanded into tasks.
        Freezing = 1 ("准备中", "Preparing"),
        /// A second operator must approve it.
        AwaitingApproval = 2 ("待审批", "Awaiting approval"),
        /// Waiting for its start time.
        Scheduled = 3 ("待开始", "Scheduled"),
        /// Its tasks are running.
        Running = 4 ("进行中", "Running"),
        /// No new tasks start.
        Paused = 5 ("已暂停", "Paused"),
        /// No new tasks start, and running ones finish.
        Cancelling = 6 ("取消中", "Cancelling"),
        /// Every task has ended.
        Finished = 7 ("已完成", "Finished"),
        /// Cancelled.
        Cancelled = 8 ("已取消", "Cancelled"),
        /// It expired.
        Expired = 9 ("已过期", "Expired"),
    }
}

impl OperationState {
    /// Nothing happens any more, unless failed or expired tasks are retried.
    #[must_use]
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Finished | Self::Cancelled | Self::Expired)
    }

    /// Whether this state may follow that one.
    #[must_use]
    pub const fn may_become(self, next: Self) -> bool {
        use OperationState as S;
        match self {
            S::Freezing => matches!(next, S::AwaitingApproval | S::Scheduled | S::Running | S::Finished | S::Cancelled),
            // A retry that nobody approves leaves what had finished.
            S::AwaitingApproval => {
                matches!(next, S::Scheduled | S::Running | S::Cancelled | S::Expired | S::Finished)
            }
            S::Scheduled => matches!(next, S::AwaitingApproval | S::Running | S::Cancelled | S::Expired),
            S::Running => matches!(next, S::Paused | S::Cancelling | S::Cancelled | S::Finished | S::Expired),
            S::Paused => matches!(next, S::Running | S::Cancelling | S::Cancelled | S::Expired | S::Finished),
            S::Cancelling => matches!(next, S::Cancelled | S::Expired),
            // Failed and expired tasks are retried, or somebody asks for it.
            S::Finished | S::Expired => matches!(next, S::Running | S::AwaitingApproval),
            S::Cancelled => false,
        }
    }
}

/// An operation, with the counters of its tasks.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[serde(rename_all = "camelCase")]
#[sea_orm(table_name = "operation")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: OperationId,
    pub kind: OperationKind,
    /// The parameters of the kind, as JSON.
    pub act: String,
    /// The file it installs or pushes.
    pub file_id: Option<OperationFileId>,
    /// Which cards, as JSON: recorded once.
    pub selection: String,
    /// The last card that has its task; all have when the state is no longer `Freezing`.
    pub frozen_after: i64,
    pub state: OperationState,
    /// A code saying why it is in this state, if somebody needs to know.
    pub why: String,
    pub reason: String,
    /// Cards in use are included.
    pub is_forced: bool,
    /// Timeout of each task.
    pub seconds: i32,
    /// Pauses when more than this percentage has failed.
    pub stop_at_percent: i16,
    /// Limits of concurrent tasks per host, frame and room; only those of the settings if there are none.
    pub per_host: Option<i32>,
    pub per_frame: Option<i32>,
    pub per_room: Option<i32>,
    pub not_before: Option<UtcTime>,
    pub expires_at: UtcTime,
    /// The seconds between its start and its expiry: a retry gets them again.
    pub lasts: i64,
    pub created_by_id: OperatorId,
    pub created_by: String,
    pub approved_by: String,
    /// Who has let it go on last; the creator if nobody had to.
    pub resumed_by_id: Option<OperatorId>,
    /// The retry that a second operator has to approve, as JSON; none if none waits.
    pub retry_asked: Option<String>,
    pub total: i64,
    /// Cards in use that it will affect.
    pub users_hit: i64,
    pub pending: i64,
    pub running: i64,
    pub succeeded: i64,
    pub failed: i64,
    pub skipped: i64,
    pub incompatible: i64,
    pub cancelled: i64,
    pub expired: i64,
    pub created_at: UtcTime,
    pub started_at: Option<UtcTime>,
    pub finished_at: Option<UtcTime>,
}

impl ActiveModelBehavior for ActiveModel {}

#[cfg(test)]
mod tests {
    use super::OperationState as S;

    #[test]
    fn what_is_over_stays_over_but_for_a_retry() {
        for state in S::ALL {
            for next in S::ALL {
                let may = state.may_become(*next);
                if state.is_over() {
                    let is_retry = *state != S::Cancelled && matches!(next, S::Running | S::AwaitingApproval);
                    assert_eq!(may, is_retry, "{state:?} to {next:?}");
                }
                assert!(!(may && state == next), "{state:?} to itself");
                assert!(!(may && *next == S::Freezing), "{state:?} back to the beginning");
            }
        }
        assert!(S::Paused.may_become(S::Running) && S::Running.may_become(S::Paused));
        assert!(!S::Cancelling.may_become(S::Running));
    }
}
