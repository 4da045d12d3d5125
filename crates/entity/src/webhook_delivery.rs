//! An event on its way to an application.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::webhook::HookEvent;
use crate::{DeliveryId, OpenAppId};

kernel::coded_enum! {
    /// What has become of an event on its way.
    pub enum DeliveryState {
        /// It is sent, or sent again, when its time comes.
        Pending = 1 ("待推送", "Pending"),
        /// The application has it.
        Delivered = 2 ("成功", "Delivered"),
        /// It was tried as often as it may be: a person has it sent again.
        Stuck = 3 ("待人工", "Waits for a person"),
    }
}

kernel::coded_enum! {
    /// Why an application has not taken an event.
    pub enum HookFailure {
        /// It has answered something else than 2xx.
        Status = 1 ("应答不是 2xx", "Answered, but not with 2xx"),
        /// It has named another address.
        Redirect = 2 ("应答要求转向，不跟随", "Redirects, which is not followed"),
        /// It has not answered in time.
        Timeout = 3 ("5 秒内未应答", "No answer within 5 s"),
        /// Nobody is there.
        Unreachable = 4 ("无法连接", "Cannot be reached"),
        /// Nobody may connect to the address.
        Refused = 5 ("地址不允许连接", "The address must not be connected to"),
        /// It is not encrypted, and has to be.
        Plain = 6 ("地址未加密，设置不允许", "Not encrypted, which the settings forbid"),
        /// The line has broken.
        Broken = 7 ("连接中断", "The connection broke"),
        /// Nothing can be signed for it.
        NoSecret = 8 ("推送密钥无法读取，请重新生成", "Its secret cannot be read; make a new one"),
    }
}

/// An event on its way to an application. Of a failed one the last try is told.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "webhook_delivery")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: DeliveryId,
    /// It may be gone by now.
    pub app_id: OpenAppId,
    /// The same whenever it is sent.
    pub event_id: String,
    pub kind: HookEvent,
    /// What it is about, such as `phone.17`: of one thing, what happened first is told first.
    pub object: String,
    /// What people call that.
    pub subject: String,
    /// The body, letter by letter.
    pub payload: String,
    pub state: DeliveryState,
    /// Since it was written, or somebody has had it sent again.
    pub tries: i16,
    /// When it is sent; none if it is not, or while something earlier about the same thing is on its way.
    pub next_at: Option<UtcTime>,
    /// Of HTTP, of the last try; none if nobody answered.
    pub status: Option<i16>,
    /// None if the last try was none, or there was none yet.
    pub failure: Option<HookFailure>,
    /// The beginning of what was answered.
    pub answer: String,
    /// How long the last try took.
    pub millis: i32,
    pub created_at: UtcTime,
    pub tried_at: Option<UtcTime>,
    pub delivered_at: Option<UtcTime>,
}

impl ActiveModelBehavior for ActiveModel {}
