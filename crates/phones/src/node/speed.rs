//! How fast the agents of a room may transfer where the room has no limit of its own.

use base::http::DomainRouter;
use base::settings::calls::Calls;
use base::settings::{Field, SettingsDoc, field};
use kernel::text::{Text, text};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::screens::perm;

const MBIT: Text = text("Mbit/s", "Mbit/s");

/// How fast the agents of each room may read from and write to storage nodes, together, where the room has no limit of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct TransferSpeed {
    /// Off is line rate.
    pub is_limited: bool,
    /// Mbit/s at which they may read.
    pub download_mbit: i64,
    /// The same for what they write.
    pub upload_mbit: i64,
}

impl Default for TransferSpeed {
    fn default() -> Self {
        Self { is_limited: false, download_mbit: 1000, upload_mbit: 1000 }
    }
}

impl SettingsDoc for TransferSpeed {
    const NAME: &'static str = "transferSpeed";

    fn fields() -> Vec<Field<Self>> {
        vec![
            field("isLimited", text("限速", "Limited")).of_its_type(),
            field("downloadMbit", text("下载限速", "Download limit"))
                .unit(MBIT)
                .within(1..=1000, |all| all.download_mbit),
            field("uploadMbit", text("上传限速", "Upload limit")).unit(MBIT).within(1..=1000, |all| all.upload_mbit),
        ]
    }
}

/// The access table of the settings.
pub fn router() -> DomainRouter {
    let calls = Calls {
        path: "/api/storage/v1/settings/speed",
        tag: "storage",
        name: "transfer_speed",
        what: "how fast the agents of a room may transfer where the room has no limit of its own",
        get: perm::STORAGE_GET,
        update: perm::STORAGE_UPDATE,
        saved: |_| (),
    };
    calls.routes::<TransferSpeed>().step_up()
}
