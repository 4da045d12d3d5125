//! What acts and kinds of objects are called.

use kernel::lang::Lang;
use kernel::text::{Text, text};
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::catalog;
use crate::http::Need;
use crate::http::guard::Acts;

/// Acts that say more than "the button of their permission", and those that need none.
const ACTS: &[(&str, Text)] = &[
    ("admin_create", text("命令行：新建管理员", "Command line: an administrator was made")),
    ("admin_reset_password", text("命令行：重置密码", "Command line: a password was reset")),
    ("card_import_run", text("导入设备：写入", "Import of cards: written")),
    ("card_shell_end", text("结束设备终端", "A shell on a card ended")),
    ("client_user_import_run", text("导入客户端用户：写入", "Import of client users: written")),
    ("group_copy", text("复制权限组", "Copy a permission group")),
    ("master_key_rotate", text("命令行：更换主密钥", "Command line: the master key was replaced")),
    ("menu_set_visible", text("显示或隐藏菜单", "Show or hide a menu entry")),
    ("openid_assign", text("设置用户的第三方账号", "Link an operator's third-party account")),
    ("openid_callback", text("第三方登录", "Sign in with a third party")),
    ("openid_link", text("绑定第三方账号", "Link a third-party account")),
    ("openid_link_start", text("开始绑定第三方账号", "Begin to link a third-party account")),
    ("openid_unlink", text("解绑第三方账号", "Unlink a third-party account")),
    ("operator_disable", text("禁用用户", "Disable an operator")),
    ("operator_enable", text("启用用户", "Enable an operator")),
    ("operator_session_end", text("结束用户的会话", "End an operator's session")),
    ("operation_books_run", text("批量操作：写入账目", "Operation: the books written")),
    ("operation_cancel", text("取消批量操作", "Call an operation off")),
    ("operation_fetch", text("批量截图或拉取日志", "Fetch screens or logs")),
    ("operation_file_upload", text("上传待下发文件", "Send a file for cards")),
    ("operation_flags", text("批量设置可分配与超分", "Set flags of cards")),
    ("operation_go_on", text("继续批量操作", "Let an operation go on")),
    ("operation_install", text("批量安装应用", "Install on cards")),
    ("operation_maintain", text("批量排空、维护或恢复", "Drain, maintain or return cards")),
    ("operation_move", text("批量移动设备", "Move cards")),
    ("operation_pause", text("暂停批量操作", "Pause an operation")),
    ("operation_property", text("批量设置系统属性", "Set a property on cards")),
    ("operation_push", text("批量推送文件", "Push a file to cards")),
    ("operation_retry", text("重试批量操作", "Try an operation again")),
    ("operation_shell", text("批量执行脚本", "Run a script on cards")),
    ("operation_speed", text("批量网络限速", "Limit the network of cards")),
    ("operation_uninstall", text("批量卸载应用", "Uninstall from cards")),
    ("own_password_update", text("修改自己的密码", "Change one's own password")),
    ("own_profile_update", text("修改自己的资料", "Change one's own profile")),
    ("own_session_end", text("结束自己的会话", "End one's own session")),
    ("recovery_codes_renew", text("更换恢复码", "Renew recovery codes")),
    ("room_agent_enrol", text("机房代理接入", "A room agent joined")),
    ("second_factor_confirm", text("启用两步验证", "Turn on two-step verification")),
    ("second_factor_disable", text("关闭两步验证", "Turn off two-step verification")),
    ("second_factor_enrol", text("设置两步验证", "Set up two-step verification")),
    ("secrets_forget", text("命令行：清除无法解密的密钥", "Command line: lost secrets were forgotten")),
    ("session_create", text("登录", "Log in")),
    ("session_end", text("退出登录", "Log out")),
];

/// Kinds of objects, as `Audit::of` names them.
const KINDS: &[(&str, Text)] = &[
    ("clientError", text("浏览器错误", "Browser error")),
    ("clientUser", text("客户端用户", "Client user")),
    ("room", text("机房", "Room")),
    ("frame", text("机架", "Frame")),
    ("host", text("主机", "Host")),
    ("card", text("设备", "Card")),
    ("addressPlan", text("地址规划", "Address plan")),
    ("bmc", text("BMC 映射", "BMC mapping")),
    ("roomAgent", text("机房代理", "Room agent")),
    ("joinToken", text("接入令牌", "Join token")),
    ("finding", text("设备差异", "Finding")),
    ("export", text("导出", "Export")),
    ("import", text("导入", "Import")),
    ("group", text("权限组", "Permission group")),
    ("logoutRequest", text("注销申请", "Closing request")),
    ("menu", text("菜单", "Menu entry")),
    ("operation", text("批量操作", "Operation")),
    ("operationFile", text("下发文件", "File for cards")),
    ("operationLog", text("操作日志", "Operation log")),
    ("operator", text("用户", "Operator")),
    ("permission", text("权限", "Permission")),
    ("secret", text("密钥", "Secrets")),
    ("session", text("会话", "Session")),
    ("setting", text("设置", "Settings")),
    ("task", text("任务", "Task")),
];

/// A word of the log and what it means, to filter by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Word {
    /// As the log keeps it.
    pub code: String,
    /// In the caller's language.
    pub name: String,
}

/// What `action` is called: a name of its own, else its permission's screen and button. A word that no
/// act has (any longer) stands for itself.
#[must_use]
pub fn action(acts: &Acts, action: &str, lang: Lang) -> String {
    if let Some((_, name)) = ACTS.iter().find(|(known, _)| *known == action) {
        return name.get(lang).to_owned();
    }
    let meaning = match acts.need(action) {
        Some(Need::Code(code)) => catalog::meaning_of(code),
        Some(Need::Nothing | Need::Session | Need::AnySession) | None => None,
    };
    meaning.map_or_else(|| action.to_owned(), |(screen, button)| format!("{} · {}", screen.get(lang), button.get(lang)))
}

/// What `kind` is called; one that is not known stands for itself.
#[must_use]
pub fn kind(kind: &str, lang: Lang) -> String {
    KINDS.iter().find(|(known, _)| *known == kind).map_or(kind, |(_, name)| name.get(lang)).to_owned()
}

/// Every act, by its name.
#[must_use]
pub fn all_actions(acts: &Acts, lang: Lang) -> Vec<Word> {
    by_name(acts.all().map(|code| Word { code: code.to_owned(), name: action(acts, code, lang) }).collect())
}

/// Every kind of object, by its name.
#[must_use]
pub fn all_kinds(lang: Lang) -> Vec<Word> {
    by_name(
        KINDS.iter().map(|(code, name)| Word { code: (*code).to_owned(), name: name.get(lang).to_owned() }).collect(),
    )
}

fn by_name(mut words: Vec<Word>) -> Vec<Word> {
    words.sort_by(|a, b| a.name.cmp(&b.name));
    words
}
