//! What starts an operation: which cards, how, and what is done.

use base::fault::{Fault, Outcome};
use base::http::decided::Decides;
use base::http::ops::OpCtx;
use base::http::{Case, Validate};
use entity::card::Maintenance;
use entity::{FrameId, OperationFileId};
use kernel::rules::{Check, Violation, after_now, integer_between, line, max_chars};
use kernel::time::UtcTime;
use sea_orm::EntityTrait as _;
use serde::Deserialize;
use utoipa::ToSchema;
use wire::PowerOrder;

use super::act::Act;
use super::{files, rights};
use crate::card::acts::CardSelection;

/// Options of an operation.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OperationOptions {
    /// Reason; required if it disturbs users or destroys data. Up to 256 characters.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub reason: String,
    /// Include cards in use; requires a reason.
    #[serde(default)]
    pub force: bool,
    /// Timeout of each task in seconds, 5 to 3600; if omitted 120, and 1800 for reading a clean card.
    #[serde(default)]
    #[schema(minimum = 5, maximum = 3600)]
    pub seconds: Option<i32>,
    /// Pauses when more than this percentage has failed, 1 to 100; the value of the settings if omitted.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 100)]
    pub stop_at_percent: Option<i16>,
    /// Maximum number of concurrent cards per host, 1 to 10,000; the limits of the settings apply as well.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 10000)]
    pub per_host: Option<i32>,
    /// The same per frame.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 10000)]
    pub per_frame: Option<i32>,
    /// The same per room.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 10000)]
    pub per_room: Option<i32>,
    /// Not before this time; must be in the future.
    #[serde(default)]
    pub not_before: Option<UtcTime>,
    /// When it expires; must be in the future. One day if omitted.
    #[serde(default)]
    pub expires_at: Option<UtcTime>,
}

impl OperationOptions {
    pub(super) fn check(&self, act: &Act, check: &mut Check) {
        if act.kind().wants_reason() || self.force {
            check.field("options.reason", line(&self.reason, 256));
        } else {
            check.field("options.reason", max_chars(&self.reason, 256));
        }
        if let Some(seconds) = self.seconds {
            check.field("options.seconds", integer_between(i64::from(seconds), 5, 3600));
        }
        if let Some(percent) = self.stop_at_percent {
            check.field("options.stopAtPercent", integer_between(i64::from(percent), 1, 100));
        }
        for (field, limit) in [
            ("options.perHost", self.per_host),
            ("options.perFrame", self.per_frame),
            ("options.perRoom", self.per_room),
        ] {
            if let Some(limit) = limit {
                check.field(field, integer_between(i64::from(limit), 1, 10_000));
            }
        }
    }

    /// Checks that need the current time.
    pub(super) fn check_times(&self, now: UtcTime) -> Outcome<()> {
        for (field, at) in [("options.notBefore", self.not_before), ("options.expiresAt", self.expires_at)] {
            if let Some(Err(violation)) = at.map(|at| after_now(at, now)) {
                return Err(Fault::field(field, violation));
            }
        }
        if let (Some(begin), Some(end)) = (self.not_before, self.expires_at)
            && begin >= end
        {
            return Err(Fault::field("options.expiresAt", Violation::new("time.endBeforeStart")));
        }
        Ok(())
    }
}

/// What an operation does at each card: one of the kinds, with its parameters.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum ActInput {
    /// Restart Android.
    Reboot {},
    /// Power on through the BMCs.
    PowerOn {},
    /// Power off through the BMCs.
    PowerOff {},
    /// Power off and on through the BMCs.
    PowerCycle {},
    /// Run a script.
    Shell {
        /// For the card's shell, up to 8,000 characters. It succeeds if the exit code is 0.
        #[schema(min_length = 1, max_length = 8000)]
        script: String,
    },
    /// Remove a package with its data.
    Uninstall {
        /// Its name, such as `com.example.app`.
        #[schema(min_length = 1, max_length = 255)]
        package: String,
    },
    /// Fetch the system log.
    PullLog {},
    /// Take a screenshot.
    Screenshot {},
    /// Limit the network speed.
    SpeedLimit {
        /// Kilobits per second, 8 to 10,000,000; the limit is lifted if omitted.
        #[serde(default)]
        #[schema(minimum = 8, maximum = 10_000_000)]
        kbit: Option<u32>,
    },
    /// Set a system property.
    SetProperty {
        /// Its name, such as `persist.sys.timezone`.
        #[schema(min_length = 1, max_length = 128)]
        name: String,
        /// Its value, 1 to 91 characters.
        #[schema(min_length = 1, max_length = 91)]
        value: String,
    },
    /// Android's factory reset.
    FactoryReset {},
    /// Remove user data; packages and settings stay.
    Wipe {},
    /// Read what a clean card of an image looks like: from a card on which nobody was. It restarts once.
    Profile {},
    /// Factory reset of cards that carry a phone which no stay in the books explains; of no others.
    WipeStray {},
    /// Install a package.
    #[serde(rename_all = "camelCase")]
    Install {
        /// The package, uploaded before.
        file_id: OperationFileId,
        /// The name of the package, such as `com.example.app`: used to verify the installation if the agent was
        /// interrupted. If omitted, it is read from the package.
        #[serde(default)]
        #[schema(max_length = 255)]
        package: Option<String>,
    },
    /// Write a file.
    #[serde(rename_all = "camelCase")]
    Push {
        /// The file, uploaded before.
        file_id: OperationFileId,
        /// The target: an absolute path on the card, such as `/sdcard/Download/a.bin`. With a trailing slash it is a
        /// folder, and the file keeps its name.
        #[schema(min_length = 2, max_length = 1024)]
        path: String,
    },
    /// No new users.
    Drain {
        /// Planned end of the maintenance; must be in the future.
        #[serde(default)]
        until: Option<UtcTime>,
    },
    /// Start maintenance.
    Maintain {
        /// Planned end of the maintenance; must be in the future.
        #[serde(default)]
        until: Option<UtcTime>,
    },
    /// Back to service.
    Return {},
    /// Set assignable and overcommit of cards.
    SetFlags {
        /// Whether they may be assigned to cloud phones; unchanged if omitted.
        #[serde(default)]
        assignable: Option<bool>,
        /// Whether they take part in overcommit; unchanged if omitted.
        #[serde(default)]
        overcommit: Option<bool>,
    },
    /// Move cards.
    #[serde(rename_all = "camelCase")]
    Move {
        /// To the free positions of this frame, from its first host on.
        frame_id: FrameId,
    },
    /// Fetch a file.
    Pull {
        /// Its absolute path, such as `/sdcard/Download/a.txt`. Up to 32 MiB are fetched from each card.
        #[schema(min_length = 1, max_length = 1024)]
        path: String,
    },
}

impl ActInput {
    /// As it is stored, but for what has to be looked up ([`Self::resolved`]).
    fn act(&self) -> Act {
        match self.clone() {
            Self::Reboot {} => Act::Reboot,
            Self::PowerOn {} => Act::Power { order: PowerOrder::On },
            Self::PowerOff {} => Act::Power { order: PowerOrder::Off },
            Self::PowerCycle {} => Act::Power { order: PowerOrder::Cycle },
            Self::Shell { script } => Act::Shell { script },
            Self::Uninstall { package } => Act::Uninstall { package },
            Self::PullLog {} => Act::PullLog,
            Self::Screenshot {} => Act::Screenshot,
            Self::SpeedLimit { kbit } => Act::SpeedLimit { kbit },
            Self::SetProperty { name, value } => Act::SetProperty { name, value },
            Self::FactoryReset {} => Act::FactoryReset,
            Self::Wipe {} => Act::Wipe,
            Self::Profile {} => Act::Profile,
            Self::WipeStray {} => Act::WipeStray,
            Self::Install { file_id, package } => {
                Act::Install { file: files::unseen(file_id), package: package.filter(|name| !name.is_empty()) }
            }
            Self::Push { file_id, path } => Act::Push { file: files::unseen(file_id), path },
            Self::Drain { until } => Act::Maintain { state: Maintenance::Draining, until },
            Self::Maintain { until } => Act::Maintain { state: Maintenance::InMaintenance, until },
            Self::Return {} => Act::Maintain { state: Maintenance::None, until: None },
            Self::SetFlags { assignable, overcommit } => Act::SetFlags { assignable, overcommit },
            Self::Move { frame_id } => Act::Move { frame: frame_id, name: String::new() },
            Self::Pull { path } => Act::Pull { path },
        }
    }

    /// As it is stored, with the file and the frame that it refers to.
    ///
    /// # Errors
    /// They do not exist, or a time has passed.
    pub(super) async fn resolved(&self, ctx: &OpCtx) -> Outcome<Act> {
        let mut act = self.act();
        let is_installed = matches!(act, Act::Install { .. });
        let found = match act.file_id() {
            Some(id) => Some(files::wanted(ctx, id, is_installed).await?),
            None => None,
        };
        match (&mut act, found) {
            (Act::Install { file, package }, Some((found, told))) => {
                *file = found;
                *package = package.take().or(Some(told)).filter(|name| !name.is_empty());
            }
            (Act::Push { file, path }, Some((found, _))) => {
                if path.ends_with('/') {
                    path.push_str(&found.name);
                }
                *file = found;
            }
            (Act::Move { frame, name }, _) => {
                let found = entity::frame::Entity::find_by_id(*frame).one(ctx.read()).await?;
                let unknown = || Fault::field("act.frameId", Violation::new("reference.unknown"));
                *name = found.ok_or_else(unknown)?.name;
            }
            (Act::Maintain { until: Some(until), .. }, _) => {
                after_now(*until, ctx.now()).map_err(|violation| Fault::field("act.until", violation))?;
            }
            (_, _) => {}
        }
        // With the file's name appended, a path may not be valid any more.
        let mut check = Check::new();
        check.nested("act", |check| act.check(check));
        check.finish()?;
        Ok(act)
    }
}

/// An operation to start.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OperationInput {
    /// Which cards.
    pub selection: CardSelection,
    /// What is done; its kind decides which permission is needed.
    pub act: ActInput,
    /// Its options.
    #[serde(default)]
    pub options: OperationOptions,
}

impl Validate for OperationInput {
    fn check(&self, check: &mut Check) {
        let act = self.act.act();
        self.selection.check(check);
        self.options.check(&act, check);
        check.nested("act", |check| act.check(check));
    }
}

impl Decides for OperationInput {
    fn case(&self) -> Case {
        rights::case_of(self.act.act().kind())
    }
}
