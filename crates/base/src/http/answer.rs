//! The error catalogue: every failure is turned into an answer and logged here, once.

use std::sync::Arc;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use db::Trouble;
use http::{HeaderValue, StatusCode, header};
use kernel::rules::{FieldError, FieldMessage, byte_size};
use kernel::text::{Message, Text, text};

use super::disks::Refuses;
use super::envelope::Failure;
use super::meta::Meta;
use crate::fault::{Fault, SessionFault};

const INVALID: Text = text("提交的内容有误，请按提示修改", "Some of the input is invalid; correct the marked fields");
const TAKEN: Text = text("名称已被占用，请换一个", "This name is already in use; choose another");
const SIGNED_IN_ELSEWHERE: Text = text("设备已在别处登录", "Login information has expired");
const EXPIRED: Text = text("登录信息已过期，请重新登录", "Login information has expired, please log in again");
const NO_SESSION: Text = text("请先登录", "Please log in first");
const CLOSED: Text = text("账号已被禁用或没有权限组", "The account was disabled or has no permission group");
const CHANGE_PASSWORD: Text = text("请先修改密码", "Please change your password first");
const DENIED: Text = text("没有权限：{code}", "You do not have the permission {code}");
const TOO_MANY: Text = text("操作太频繁，请 {seconds} 秒后再试", "Too many requests; try again in {seconds} seconds");
const FILES_AHEAD: Text = text(
    "正在检查其他文件，您前面还有 {ahead} 个，请 {seconds} 秒后再上传",
    "Other files are being checked, {ahead} of them before yours; upload it again in {seconds} seconds",
);
const FILE_TOO_LONG: Text = text(
    "服务器繁忙，未能及时检查完该文件，请 {seconds} 秒后再上传",
    "The server is busy and could not check the file in time; upload it again in {seconds} seconds",
);
const TOO_LARGE: Text = text("提交的内容太大", "The request is too large");
const FILE_TOO_LARGE: Text =
    text("文件不能超过 {max}，请重新选择", "The file must not be larger than {max}; choose another");
const OF_FILE: Text = text("文件“{name}”：{why}", "File \"{name}\": {why}");
const TOO_SLOW: Text = text("提交的内容传输太慢，请检查网络", "The request was sent too slowly; check the network");
const NO_ROUTE: Text = text("接口不存在", "API endpoint not found");
const UNAVAILABLE: Text = text("服务暂时不可用，请稍后再试", "The service is temporarily unavailable; try again later");
const DISK_FULL: Text = text(
    "服务器磁盘已满，本次操作没有保存，请清理空间后重试",
    "The server's disk is full, so nothing was saved; free some space and try again",
);
const DISK_FAILS: Text = text(
    "服务器磁盘读写出错，本次操作没有保存，请联系管理员",
    "The server's disk reports errors, so nothing was saved; contact the administrator",
);
const DATABASE_LOST: Text =
    text("暂时连不上数据库，请稍后再试", "The database cannot be reached right now; try again later");
const IN_DOUBT: Text = text(
    "保存时与数据库的连接中断，无法确定是否已保存；请先查看结果，再决定是否重试",
    "The database connection was lost while saving; check whether it was saved before you try again",
);
const READ_ONLY: Text = text(
    "数据库目前只读，本次操作没有保存，请稍后再试",
    "The database is currently read-only, so nothing was saved; try again later",
);
const BUSY: Text = text(
    "数据库正被其他程序占用，本次操作没有保存，请稍后再试",
    "The database is occupied by another program, so nothing was saved; try again in a moment",
);
const UNDONE: Text = text(
    "数据库撤销了本次操作（空间或内存不足，或磁盘出错），没有保存，请稍后再试",
    "The database took this change back, for want of space or memory or because of its disk, so nothing was saved; try \
     again in a moment",
);
const INTERNAL: Text = text("服务器内部错误，请求编号 {id}", "Internal server error, request {id}");

/// A fault on its way out; the answer middleware, which knows the language, turns it into a body.
#[derive(Clone, Debug)]
pub struct Pending(pub Arc<Fault>);

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let mut response = StatusCode::INTERNAL_SERVER_ERROR.into_response();
        response.extensions_mut().insert(Pending(Arc::new(self)));
        response
    }
}

/// HTTP status, body status and sentence of a fault: the table of CONTRACT.md.
fn classify(fault: &Fault, meta: &Meta) -> (StatusCode, i32, Message) {
    match fault {
        Fault::Invalid(_) => (StatusCode::BAD_REQUEST, 4000, INVALID.into()),
        Fault::NotFound(message) => (StatusCode::NOT_FOUND, 4004, message.clone()),
        Fault::Conflict(message) => (StatusCode::CONFLICT, 4009, message.clone()),
        Fault::Taken(_) => (StatusCode::CONFLICT, 4009, TAKEN.into()),
        Fault::Status { status, message, .. } => (StatusCode::OK, *status, message.clone()),
        Fault::Session(SessionFault::Missing) => (StatusCode::UNAUTHORIZED, 6014, NO_SESSION.into()),
        Fault::Session(SessionFault::Displaced) => (StatusCode::OK, 6013, SIGNED_IN_ELSEWHERE.into()),
        Fault::Session(SessionFault::Expired) => (StatusCode::OK, 6014, EXPIRED.into()),
        Fault::Session(SessionFault::Closed) => (StatusCode::FORBIDDEN, 6403, CLOSED.into()),
        Fault::Session(SessionFault::MustChangePassword) => (StatusCode::OK, 4010, CHANGE_PASSWORD.into()),
        Fault::Denied(code) => (StatusCode::OK, 4003, DENIED.with("code", code)),
        Fault::TooMany { retry_after_s } => {
            (StatusCode::TOO_MANY_REQUESTS, 4029, TOO_MANY.with("seconds", retry_after_s))
        }
        Fault::Busy { ahead, retry_after_s } => {
            let words = if *ahead == 0 { FILE_TOO_LONG } else { FILES_AHEAD };
            (StatusCode::TOO_MANY_REQUESTS, 4029, words.with("ahead", ahead).with("seconds", retry_after_s))
        }
        Fault::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, 4013, TOO_LARGE.into()),
        Fault::FileTooLarge { max } => {
            (StatusCode::PAYLOAD_TOO_LARGE, 4013, FILE_TOO_LARGE.with("max", byte_size(*max)))
        }
        Fault::OfFile { fault, .. } => classify(fault, meta),
        Fault::TooSlow => (StatusCode::REQUEST_TIMEOUT, 4008, TOO_SLOW.into()),
        Fault::WrongType(message) => (StatusCode::UNSUPPORTED_MEDIA_TYPE, 4015, message.clone()),
        Fault::NoRoute => (StatusCode::NOT_FOUND, 4004, NO_ROUTE.into()),
        Fault::Unavailable(error) => {
            (StatusCode::SERVICE_UNAVAILABLE, 5003, unavailable(error).unwrap_or(UNAVAILABLE).into())
        }
        Fault::Internal(error) => match unavailable(error) {
            Some(words) => (StatusCode::SERVICE_UNAVAILABLE, 5003, words.into()),
            None => (StatusCode::INTERNAL_SERVER_ERROR, 5000, INTERNAL.with("id", &meta.request_id)),
        },
    }
}

/// The message if the machine or the database is in trouble, however deep the cause is in the error.
fn unavailable(error: &anyhow::Error) -> Option<Text> {
    if let Some(folder) = error.downcast_ref::<Refuses>() {
        return Some(folder.words());
    }
    let trouble = Trouble::in_chain(error.as_ref())?;
    Some(match trouble {
        Trouble::DiskFull => DISK_FULL,
        Trouble::DiskFails => DISK_FAILS,
        Trouble::Lost => DATABASE_LOST,
        Trouble::InDoubt => IN_DOUBT,
        Trouble::ReadOnly => READ_ONLY,
        Trouble::Busy => BUSY,
        Trouble::Undone => UNDONE,
    })
}

/// The body status of `fault`; the operation log stores it.
#[must_use]
pub fn body_status(fault: &Fault, meta: &Meta) -> i32 {
    classify(fault, meta).1
}

/// Writes the answer to `fault` in the caller's language and logs what we have to fix.
#[must_use]
pub fn render(fault: &Fault, meta: &Meta) -> Response {
    let (http, status, message) = classify(fault, meta);
    if let Fault::Internal(error) | Fault::Unavailable(error) = fault {
        tracing::error!(request.id = %meta.request_id, error = format!("{error:#}"), "request failed");
    }
    let lang = meta.lang;
    let (name, fault) = if let Fault::OfFile { name, fault } = fault { (Some(name), &**fault) } else { (None, fault) };
    let mut errors: Vec<FieldMessage> = errors(fault).iter().map(|error| error.render(lang)).collect();
    let mut message = message.get(lang);
    if let Some(name) = name {
        let of_file = |why: &str| OF_FILE.with("name", name).with("why", why).get(lang);
        message = of_file(&message);
        for error in errors.iter_mut().filter(|error| error.field == "file") {
            error.message = of_file(&error.message);
        }
    }
    let body = failure(status, message, errors);
    let mut response =
        (http, [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response();
    if let Fault::TooMany { retry_after_s } | Fault::Busy { retry_after_s, .. } = fault {
        response.headers_mut().insert(header::RETRY_AFTER, (*retry_after_s).into());
    }
    response
}

/// The fields that a fault names.
fn errors(fault: &Fault) -> &[FieldError] {
    match fault {
        Fault::Invalid(errors) | Fault::Status { errors, .. } => errors,
        Fault::Taken(error) => std::slice::from_ref(error),
        Fault::OfFile { fault, .. } => errors(fault),
        Fault::NotFound(_)
        | Fault::Conflict(_)
        | Fault::Session(_)
        | Fault::Denied(_)
        | Fault::TooMany { .. }
        | Fault::Busy { .. }
        | Fault::TooLarge
        | Fault::FileTooLarge { .. }
        | Fault::TooSlow
        | Fault::WrongType(_)
        | Fault::NoRoute
        | Fault::Unavailable(_)
        | Fault::Internal(_) => &[],
    }
}

fn failure(status: i32, msg: String, errors: Vec<FieldMessage>) -> Body {
    let failure = Failure { status, msg, data: (), success: false, errors };
    Body::from(serde_json::to_vec(&failure).unwrap_or_default())
}
