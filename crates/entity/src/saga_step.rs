//! A try of a step of a saga.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::operation_task::TaskEffect;
use crate::{CardId, RoomAgentId, RoomId, SagaId, SagaStepId};

kernel::coded_enum! {
    /// The steps of sagas.
    pub enum StepName {
        /// A card is chosen.
        Reserve = 2 ("预留卡", "Reserve a card"),
        /// The card is looked at.
        Check = 3 ("检查卡", "Check the card"),
        /// The card is marked as the phone's.
        Claim = 4 ("标记卡", "Mark the card"),
        /// Packages of apps are installed, while the phone goes on.
        Install = 5 ("安装应用", "Install apps"),
        /// The data of a copy comes on the card.
        Restore = 6 ("恢复数据", "Restore data"),
        /// The card restarts.
        Boot = 7 ("启动", "Boot"),
        /// It is seen to be well.
        Health = 8 ("健康检查", "Check health"),
        /// Phone and card belong together.
        Bind = 9 ("绑定", "Bind"),
        /// The packages of its apps are saved, where they are not yet.
        Packages = 12 ("保存应用安装包", "Save packages"),
        /// The phone is stopped.
        Stop = 13 ("停止系统", "Stop the phone"),
        /// It is copied.
        Copy = 14 ("复制数据", "Copy"),
        /// The copy is read back.
        Verify = 15 ("校验副本", "Read the copy back"),
        /// The phone goes on.
        Start = 16 ("恢复运行", "Start the phone"),
        /// The card is seen to be what was copied.
        Still = 17 ("确认无变化", "See that nothing changed"),
        /// The phone lives by its copy from here on.
        Seal = 18 ("封存", "Seal"),
        /// What the phone has left at a storage node is removed.
        Erase = 19 ("清除备份", "Erase the backups"),
        /// What the phone has left is wiped from the card.
        Wipe = 21 ("清除数据", "Wipe"),
        /// That nothing of it is left is proved.
        Prove = 22 ("证明已清除", "Prove the wipe"),
        /// The card is marked as clean.
        MarkClean = 23 ("标记为干净", "Mark as clean"),
        /// The phone's mark is taken off.
        Unclaim = 24 ("清除标记", "Take the mark off"),
        /// What runs on a card that was lost is stopped.
        Halt = 25 ("停止旧卡", "Stop the old card"),
        /// A person decides.
        Decide = 31 ("等待决定", "Wait for a decision"),
    }
}

kernel::coded_enum! {
    /// What has become of a try.
    pub enum StepState {
        /// No agent has it yet.
        Waiting = 1 ("等待", "Waiting"),
        /// An agent has it.
        Running = 2 ("执行中", "Running"),
        /// Done, and seen to be done.
        Done = 3 ("完成", "Done"),
        /// Not done, or nobody saw that it was.
        Failed = 4 ("失败", "Failed"),
        /// It did not begin, or its agent was gone for too long: another try follows.
        Dropped = 5 ("已放弃", "Given up"),
    }
}

/// A try of a step that an agent does. Written before it is sent; a repetition is another row.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[serde(rename_all = "camelCase")]
#[sea_orm(table_name = "saga_step")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: SagaStepId,
    pub saga_id: SagaId,
    pub name: StepName,
    /// From 1, for each step of a saga.
    pub attempt: i32,
    pub card_id: CardId,
    /// Of the card, when the try was written.
    pub room_id: RoomId,
    /// The agent that has it, or had it.
    pub agent_id: Option<RoomAgentId>,
    pub state: StepState,
    /// What it did to the card, if it failed.
    pub effect: Option<TaskEffect>,
    pub code: String,
    /// What the agent said, for people.
    pub reason: String,
    /// It is handed out at this moment of the steady clock at the earliest.
    pub not_before: UtcTime,
    pub created_at: UtcTime,
    pub began_at: Option<UtcTime>,
    pub ended_at: Option<UtcTime>,
    /// When it was first given keys; none if it never was.
    pub keys_at: Option<UtcTime>,
}

impl ActiveModelBehavior for ActiveModel {}
