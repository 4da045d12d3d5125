//! Operations: one action of an operator on a selection of cards, executed card by card by the room agents, or directly
//! on the records ([`record_acts`]). Other domains hand over other targets ([`targets`]).
//!
//! A task's way: [`expand`] expands it from the selection, [`pick`] finds a place for it, [`claim`] hands it to an
//! agent, the agent executes it (`crates/agent`), [`results`] records its result. [`rounds`] is the scheduler, [`gone`]
//! ends what a missing agent leaves behind. `docs/operations.md` has the whole picture.

mod act;
mod api;
mod approval;
mod asked;
mod begun;
mod card_file;
mod card_tasks;
mod cards;
mod chosen;
mod claim;
mod control;
mod create;
mod expand;
mod export;
mod files;
mod finish;
mod gone;
mod input;
mod list;
mod look;
mod pick;
mod place;
mod places;
mod prune;
mod record_acts;
mod results;
mod resume;
mod retry;
mod rights;
mod rounds;
mod store;
pub mod targets;
mod trouble;
mod view;
mod wakes;

use std::future::ready;

use axum::extract::DefaultBodyLimit;
use futures::FutureExt as _;
use kernel::text::text;
use utoipa_axum::router::UtoipaMethodRouterExt as _;
use utoipa_axum::routes;

pub use act::package_name;
pub use api::detail;
pub use approval::begin_alone;
pub use begun::{Ended, end_begun};
pub use card_file::{FileRefusal, store_file};
use card_tasks::CardTasks;
pub use claim::claim;
pub use create::{NewOperation, OperationPreview, begin, preflight};
use export::OperationTasks;
pub use files::file_for;
pub use input::OperationOptions;
use list::OperationList;
pub use pick::GIVEN;
pub use prune::PruneOperations;
pub use results::{effect_of, record_results};
pub use resume::{Returned, cancelled, resume};
pub use rounds::round;
pub use store::tell;
pub use view::{OperationDetail, OperationView};
pub use wakes::{Operations, Wakes};

use base::app::Own;
use base::domain::{Domain, Loop, Table, passes};
use base::http::upload::body_limit;
use base::http::{DomainRouter, Need};
use base::{attention, log, resumable};
use utoipa::ToSchema as _;

use crate::card::look::{FILES, SCREEN};
use crate::screens::perm;

/// What calls need as well where a customer's phone is on a card.
const LOOKS: &[Need] = &[SCREEN, FILES];

/// What this domain registers.
pub const DOMAIN: Domain = Domain {
    parts: |_| {
        let own = Own::default().with(Operations::default()).with(targets::Kind(&cards::CardTargets));
        ready(Ok(own)).boxed()
    },
    lists: &[
        base::list::entry::<OperationList>(),
        base::list::entry::<OperationTasks<true>>(),
        base::list::entry::<OperationTasks<false>>(),
        base::list::entry::<CardTasks>(),
    ],
    jobs: |jobs| jobs.every("operation.prune", "10 4 * * *", &PruneOperations {}),
    start: |app| gone::begin(app).boxed(),
    loops: &[Loop::Anywhere(|app| passes(app, "operations", rounds::LOOK, |app| rounds::round(app).boxed()).boxed())],
    events: &[wakes::TOPIC],
    attention: &[
        attention::Source { need: perm::OPERATION_APPROVE, look: |ctx| trouble::approvals(ctx).boxed() },
        attention::Source { need: perm::OPERATION_LIST, look: |ctx| trouble::failures(ctx).boxed() },
    ],
    acts: &[
        ("operation_books_run", text("批量操作：更新记录", "Operation: update records")),
        ("operation_cancel", text("取消批量操作", "Cancel an operation")),
        ("operation_fetch", text("批量截图或拉取日志", "Take screenshots or fetch logs")),
        ("operation_file_upload", text("上传待下发文件", "Upload a file for cards")),
        ("operation_flags", text("批量设置可分配与超分", "Set assignable and overcommit")),
        ("operation_go_on", text("继续批量操作", "Resume an operation")),
        ("operation_install", text("批量安装应用", "Install an app on cards")),
        ("operation_maintain", text("批量排空、维护或恢复", "Drain, maintain or return cards to service")),
        ("operation_move", text("批量移动设备", "Move cards")),
        ("operation_pause", text("暂停批量操作", "Pause an operation")),
        ("operation_property", text("批量设置系统属性", "Set a system property on cards")),
        ("operation_push", text("批量推送文件", "Push a file to cards")),
        ("operation_reboot", text("批量重启设备", "Reboot cards")),
        ("operation_retry", text("重试批量操作", "Retry an operation")),
        ("operation_shell", text("批量执行脚本", "Run a script on cards")),
        ("operation_speed", text("批量网络限速", "Limit network speed of cards")),
        ("operation_uninstall", text("批量卸载应用", "Uninstall an app from cards")),
        ("operation_upload_begin", text("开始上传待下发文件", "Begin to upload a file for cards")),
        ("operation_upload_finish", text("上传待下发文件", "Upload a file for cards")),
        ("operation_upload_give_up", text("放弃上传待下发文件", "Give up the upload of a file for cards")),
    ],
    turns: &[
        log::turn("operation_power", "kind", "2", text("批量上电", "Power cards on")),
        log::turn("operation_power", "kind", "3", text("批量断电", "Power cards off")),
        log::turn("operation_power", "kind", "4", text("批量断电重启", "Power-cycle cards")),
        log::turn("operation_fetch", "kind", "7", text("批量拉取日志", "Fetch logs from cards")),
        log::turn("operation_fetch", "kind", "8", text("批量截图", "Take screenshots of cards")),
        log::turn("operation_fetch", "kind", "20", text("批量拉取文件", "Fetch a file from cards")),
        log::turn("operation_maintain", "kind", "15", text("批量排空", "Drain cards")),
        log::turn("operation_maintain", "kind", "16", text("批量进入维护", "Start maintenance of cards")),
        log::turn("operation_maintain", "kind", "17", text("批量恢复使用", "Return cards to service")),
        // What the operation has become says what was done: a retry that is asked for or withdrawn has run nothing.
        log::turn("operation_retry", "state", "2", text("申请重试批量操作", "Ask to retry an operation")),
        log::turn("operation_cancel", "state", "7", text("撤回重试申请", "Withdraw the request of a retry")),
        log::turn("operation_cancel", "state", "9", text("撤回重试申请", "Withdraw the request of a retry")),
        log::turn("operation_approve", "state", "7", text("拒绝重试批量操作", "Reject the retry of an operation")),
        log::turn("operation_approve", "state", "8", text("拒绝批量操作", "Reject an operation")),
        log::turn("operation_approve", "state", "9", text("拒绝重试批量操作", "Reject the retry of an operation")),
    ],
    shapes: &[
        log::shape("operation", view::OperationView::name)
            .fields(&[
                ("expiresAt", text("过期时间", "Expires at")),
                ("forced", text("强制执行", "Forced")),
                ("need", text("所需权限", "Permission needed")),
                ("notBefore", text("开始不早于", "Not before")),
                ("perFrame", text("每机架并发", "At once per frame")),
                ("perHost", text("每主机并发", "At once per host")),
                ("perRoom", text("每机房并发", "At once per room")),
                ("retryAsked", text("申请重试", "Retry asked for")),
                ("seconds", text("时限（秒）", "Time limit (s)")),
                ("stopAtPercent", text("失败达百分之几停止", "Stops at failed percent")),
            ])
            .silent(&["need", "waiting"]),
        log::shape("operationFile", files::OperationFileView::name).fields(&[
            ("createdBy", text("上传人", "Uploaded by")),
            ("isPackage", text("是安装包", "Is a package")),
            ("packageName", text("包名", "Package")),
            ("packageVersion", text("版本", "Version")),
            ("sha256", text("SHA-256", "SHA-256")),
            ("size", text("字节数", "Bytes")),
        ]),
    ],
    kinds: &[("operation", text("批量操作", "Operation")), ("operationFile", text("下发文件", "File for cards"))],
    tables: &[
        Table::kept("operation_file", "id").with_file("object_key"),
        Table::kept("operation", "id"),
        Table::kept("operation_task", "id").with_file("file_key"),
        Table::kept("card_busy", "card_id"),
        Table::kept("operation_begun", "book, task_id, operator_id"),
    ],
    ..Domain::new("operation", router)
};

/// The access table of this domain.
fn router() -> DomainRouter {
    let upload = routes!(files::operation_file_upload).layer(DefaultBodyLimit::max(body_limit(files::FILE_LIMIT)));
    DomainRouter::new()
        .view(perm::OPERATION_LIST, routes!(list::operation_list))
        .act(perm::OPERATION_EXPORT, routes!(list::operation_list_export))
        .view(perm::OPERATION_LIST, routes!(api::operation_get))
        .view(perm::OPERATION_LIST, routes!(export::operation_tasks))
        .act(perm::OPERATION_EXPORT, routes!(export::operation_export))
        .view(perm::OPERATION_LIST, routes!(places::operation_places))
        .view(perm::OPERATION_LIST, routes!(places::operation_results))
        .view(perm::OPERATION_LIST, routes!(card_tasks::operation_card_tasks))
        .act(perm::OPERATION_EXPORT, routes!(card_tasks::operation_card_tasks_export))
        .view(perm::DEVICE_FILES, routes!(api::operation_task_file))
        .also(LOOKS)
        .view(perm::DEVICE_LIST, routes!(create::operation_preview))
        .act(Need::OneOf(&rights::CASES), routes!(create::operation_create))
        .also(LOOKS)
        .act(perm::DEVICE_INSTALL, upload)
        .merge(resumable::routes::<files::InPieces>())
        .act(perm::DEVICE_INSTALL, routes!(files::operation_upload_finish))
        .act(perm::OPERATION_CONTROL, routes!(control::operation_pause))
        .act(perm::OPERATION_CONTROL, routes!(control::operation_go_on))
        .also(LOOKS)
        .act(perm::OPERATION_CONTROL, routes!(control::operation_cancel))
        .act(perm::OPERATION_CONTROL, routes!(retry::operation_retry))
        .also(LOOKS)
        .act(perm::OPERATION_APPROVE, routes!(control::operation_approve))
}
