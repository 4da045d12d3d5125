//! Which permission an operation needs. Resuming, retrying and reading output needs the same one as
//! starting it.

use base::fault::Outcome;
use base::http::ops::OpCtx;
use base::http::{Case, Need};
use entity::operation::{Model, OperationKind, Target};

use super::{look, targets};
use crate::screens::perm;

/// How many kinds are done to cards.
const KINDS: usize = {
    let (mut at, mut found) = (0, 0);
    while at < OperationKind::ALL.len() {
        found += matches!(OperationKind::ALL[at].target(), Target::Card) as usize;
        at += 1;
    }
    found
};

/// The cases of the call that starts an operation on cards: one for each kind.
pub const CASES: [Case; KINDS] = {
    let mut cases = [case_of(OperationKind::Reboot); KINDS];
    let (mut at, mut found) = (0, 0);
    while at < OperationKind::ALL.len() {
        if matches!(OperationKind::ALL[at].target(), Target::Card) {
            cases[found] = case_of(OperationKind::ALL[at]);
            found += 1;
        }
        at += 1;
    }
    cases
};

/// How an operation of a kind that is done to cards is started: its name in the operation log, its permission, and a body that asks for it.
pub const fn case_of(kind: OperationKind) -> Case {
    macro_rules! case {
        ($action:literal, $need:ident, $act:literal) => {
            case($action, perm::$need, concat!(r#"{"selection":{"ids":[]},"act":{"kind":"#, $act, "}}"))
        };
    }
    match kind {
        OperationKind::Reboot => case!("operation_reboot", DEVICE_REBOOT, r#""reboot""#),
        OperationKind::PowerOn => case!("operation_power", DEVICE_POWER, r#""powerOn""#),
        OperationKind::PowerOff => case!("operation_power", DEVICE_POWER, r#""powerOff""#),
        OperationKind::PowerCycle => case!("operation_power", DEVICE_POWER, r#""powerCycle""#),
        OperationKind::Shell => case!("operation_shell", DEVICE_SHELL, r#""shell","script":"id""#),
        OperationKind::Uninstall => case!("operation_uninstall", DEVICE_INSTALL, r#""uninstall","package":"a.b""#),
        OperationKind::PullLog => case!("operation_fetch", DEVICE_FILES, r#""pullLog""#),
        OperationKind::Screenshot => case!("operation_fetch", DEVICE_FILES, r#""screenshot""#),
        OperationKind::SpeedLimit => case!("operation_speed", DEVICE_CONFIGURE, r#""speedLimit""#),
        OperationKind::SetProperty => {
            case!("operation_property", DEVICE_CONFIGURE, r#""setProperty","name":"a.b","value":"c""#)
        }
        OperationKind::FactoryReset => case!("operation_reset", DEVICE_RESET, r#""factoryReset""#),
        OperationKind::Wipe => case!("operation_reset", DEVICE_RESET, r#""wipe""#),
        OperationKind::Profile => case!("operation_profile", SYSTEM_IMAGE_PROFILE, r#""profile""#),
        OperationKind::WipeStray => case!("operation_wipe_stray", CARD_WIPE_STRAY, r#""wipeStray""#),
        OperationKind::Install => case!("operation_install", DEVICE_INSTALL, r#""install","fileId":1"#),
        OperationKind::Push => case!("operation_push", DEVICE_INSTALL, r#""push","fileId":1,"path":"/a""#),
        OperationKind::Drain => case!("operation_maintain", DEVICE_MAINTAIN, r#""drain""#),
        OperationKind::Maintain => case!("operation_maintain", DEVICE_MAINTAIN, r#""maintain""#),
        OperationKind::Return => case!("operation_maintain", DEVICE_MAINTAIN, r#""return""#),
        OperationKind::SetFlags => case!("operation_flags", DEVICE_FLAG, r#""setFlags","assignable":true"#),
        OperationKind::Move => case!("operation_move", DEVICE_MOVE, r#""move","frameId":1"#),
        OperationKind::Pull => case!("operation_pull", DEVICE_FILES, r#""pull","path":"/a""#),
        OperationKind::PhoneRenew
        | OperationKind::PhonePlan
        | OperationKind::PhoneFreeze
        | OperationKind::PhoneThaw
        | OperationKind::PhoneRelease
        | OperationKind::PhoneRestore
        | OperationKind::PhonePutOn
        | OperationKind::PhoneRestart
        | OperationKind::PhoneBackUp
        | OperationKind::PhoneFromBackup
        | OperationKind::PhoneTakeOff
        | OperationKind::PhoneAcceptCopy
        | OperationKind::PhoneGiveUp
        | OperationKind::PhoneOpenElsewhere
        | OperationKind::PhoneWipeLeft
        | OperationKind::PhoneGoOn
        | OperationKind::PhoneSetBack => panic!("it is not done to cards"),
    }
}

const fn case(action: &'static str, need: Need, sample: &'static str) -> Case {
    match need {
        Need::Code(code) => Case { action, code, sample },
        Need::Nothing | Need::Session | Need::AnySession | Need::OneOf(_) => panic!("a kind needs a permission code"),
    }
}

/// Refuses anybody who may not start this operation, and writes the refusal to the operation log.
///
/// # Errors
/// The permission is missing, or the database refuses.
pub async fn check(ctx: &OpCtx, operation: &Model) -> Outcome<()> {
    let targets = targets::of(&ctx.app, operation.kind.target())?;
    ctx.require(targets.case(operation.kind).code).await?;
    for code in targets.also(&operation.act) {
        ctx.require(code).await?;
    }
    look::check(ctx, operation).await
}

/// Whether somebody may see what operations of this kind print: what a script does is for those who may run scripts.
pub fn sees_output(ctx: &OpCtx, kind: OperationKind) -> bool {
    kind != OperationKind::Shell || ctx.may(case_of(OperationKind::Shell).code)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

    use base::http::decided::Decides as _;

    use super::super::input::OperationInput;
    use super::CASES;

    #[test]
    fn each_sample_asks_for_its_own_case() {
        for case in CASES {
            let input: OperationInput = serde_json::from_str(case.sample).unwrap();
            assert_eq!(input.case(), case);
        }
    }
}
