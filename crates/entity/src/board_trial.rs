//! What only a board can show, and what came of it where somebody has tried it.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::{BoardTrialId, ImageId};

kernel::coded_enum! {
    /// What only a card of the board and image itself can show.
    pub enum BoardQuestion {
        /// Whether ADB's shell is still root's once the card has restarted.
        Root = 1 ("重启后保留 root 权限", "Root after a restart"),
        /// Whether ADB and the card's address stay while Android is down.
        Stopped = 2 ("停止系统框架后 ADB 与网络可用", "ADB and network while Android is stopped"),
        /// Whether its own `find`, `stat`, `tar` and `timeout` do what is asked of them.
        Tools = 3 ("自带命令可用 (find、stat、tar、timeout)", "Its own find, stat, tar and timeout"),
        /// Whether labels and quotas are right once a copy has come.
        Labels = 4 ("恢复后文件标签与配额正确", "Labels and quotas after a restore"),
        /// What survives a wipe after the clean profile.
        Wiped = 5 ("清除后保留地址与 ADB 密钥", "Address and ADB key survive a wipe"),
        /// How fast ADB, installing and starting are.
        Speed = 6 ("ADB 传输、安装与启动的速度", "Speed of ADB, installing and starting"),
        /// Whether a hook of the image gives the phone's own serial, MAC and IMEI to its apps.
        Identity = 7 ("镜像为云手机设置设备标识", "The image sets the phone's identity"),
        /// Whether the card tells that somebody uses it.
        Probes = 8 ("从编码器与输入判断使用中", "Encoder and input tell that it is used"),
    }
}

kernel::coded_enum! {
    /// What came of a question.
    pub enum TrialOutcome {
        /// Nobody has tried it, or it has to be tried again.
        Untried = 1 ("未试验", "Untried"),
        /// It goes.
        Works = 2 ("可用", "Works"),
        /// It does not.
        Fails = 3 ("不可用", "Does not work"),
    }
}

/// A question that somebody has tried on a card of an image.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[serde(rename_all = "camelCase")]
#[sea_orm(table_name = "board_trial")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: BoardTrialId,
    /// Unique with the question.
    pub image_id: ImageId,
    pub question: BoardQuestion,
    pub outcome: TrialOutcome,
    /// What was seen, or why it counts as untried again.
    pub reason: String,
    pub tried_at: UtcTime,
    pub tried_by: String,
}

impl ActiveModelBehavior for ActiveModel {}
