//! Why a task did not succeed, was left out, or a BMC did not answer, in words of people.

use kernel::lang::Lang;
use kernel::text::{Text, text};

const WORDS: &[(&str, Text)] = &[
    ("retired", text("已报废", "The card is retired")),
    ("offline", text("设备离线，未执行", "The card is offline: left out")),
    ("busy", text("有用户正在使用，未强制执行", "A user is on the card, and it was not forced")),
    ("already_so", text("已经如此，无需更改", "It is so already")),
    ("place_maintained", text("所在机房、机架或主机正在维护", "Its room, frame or host is being worked on")),
    ("no_position", text("目标机架没有空位", "The frame has no free position")),
    ("place_refused", text("目标位置或地址不接受此卡", "The place or the address does not take the card")),
    ("no_bmc", text("没有 BMC 映射，无法控制电源", "No BMC powers the card: there is no mapping")),
    ("adb_refused", text("ADB 拒绝连接", "ADB does not listen")),
    ("adb_unreachable", text("网络不可达", "The network does not lead to the card")),
    ("adb_timeout", text("设备无响应（超时）", "The card did not answer in time")),
    ("adb_auth_refused", text("设备不信任机房的 ADB 密钥", "The card does not accept the room's ADB key")),
    ("adb_auth_needed", text("设备需要 ADB 密钥", "The card asks for an ADB key")),
    ("adb_unsupported", text("设备不支持此操作", "The card can not do this")),
    ("adb_protocol", text("设备的应答不符合 ADB 协议", "The card does not follow the protocol")),
    ("adb_closed", text("与设备的连接中断", "The connection to the card was lost")),
    ("adb_service_refused", text("设备拒绝了该服务", "The card refused the service")),
    ("device_fail", text("设备执行失败", "The card tried and failed")),
    ("no_such_file", text("设备上没有该路径", "Nothing is at this path on the card")),
    ("no_space", text("设备存储空间不足", "No space is left on the card")),
    ("install_failed", text("安装失败", "The package was not installed")),
    ("exit_code", text("命令返回了非零退出码", "The command ended with another exit code than 0")),
    ("too_large", text("输出或文件过大", "The output or the file is too large")),
    ("bad_argument", text("参数无法下发到设备", "This can not be sent to a card")),
    ("local_file", text("机房代理的文件读写失败", "A file on the agent's machine could not be used")),
    ("upload_failed", text("文件回传失败", "The file did not reach the console")),
    ("interrupted", text("执行过程中机房代理重启，不会重复执行", "The agent restarted meanwhile; it is not run twice")),
    (
        "wrong_card",
        text("该位置的设备与账上不符，未执行", "Another card stands there than the books say: nothing was done"),
    ),
    ("bmc_unreachable", text("BMC 不可达", "The BMC can not be reached")),
    ("bmc_timeout", text("BMC 无响应", "The BMC did not answer in time")),
    ("bmc_certificate_changed", text("BMC 证书已变化", "The BMC shows another certificate")),
    ("bmc_auth_refused", text("BMC 账号或密码错误", "The BMC does not accept the password")),
    ("bmc_no_session", text("BMC 会话已满", "The BMC has no session left")),
    ("bmc_unsupported", text("BMC 不支持此操作", "The BMC can not do this")),
    ("bmc_failed", text("BMC 返回错误", "The BMC reports a failure")),
    ("bmc_protocol", text("BMC 的应答不符合 Redfish", "The BMC does not speak Redfish")),
    ("power_unknown", text("BMC 不清楚当前电源状态，未发送命令", "The BMC does not know the power: no order was sent")),
    ("power_stuck", text("命令已发送但电源状态未变化", "The order was sent and the power did not change")),
    ("agent_gone", text("机房代理一直未连接", "The room's agent stayed away")),
    ("expired", text("操作已过期", "The operation's time ran out")),
    ("failed_limit", text("失败比例达到上限，已自动暂停", "Too many failed: paused by itself")),
];

/// The code itself, if it is one of these.
#[must_use]
pub fn known(code: &str) -> Option<&'static str> {
    find(code).map(|(known, _)| *known)
}

/// The words of a code in all languages, if it is one of these.
#[must_use]
pub fn text_of(code: &str) -> Option<Text> {
    find(code).map(|(_, words)| *words)
}

fn find(code: &str) -> Option<&'static (&'static str, Text)> {
    WORDS.iter().find(|(known, _)| *known == code)
}

/// The words of a code; the code itself where it is not known.
#[must_use]
pub fn words(code: &str, lang: Lang) -> String {
    text_of(code).map_or(code, |words| words.get(lang)).to_owned()
}

#[cfg(test)]
mod tests {
    #[test]
    fn each_code_is_there_once() {
        let mut codes: Vec<&str> = super::WORDS.iter().map(|(code, _)| *code).collect();
        codes.sort_unstable();
        let all = codes.len();
        codes.dedup();
        assert_eq!(codes.len(), all);
        assert_eq!(super::words("no_space", kernel::lang::Lang::En), "No space is left on the card");
        assert_eq!(super::words("?", kernel::lang::Lang::En), "?");
    }
}
