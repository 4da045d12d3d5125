//! Why a task did not succeed or was skipped, or why a BMC did not answer, in words for people.

use kernel::lang::Lang;
use kernel::text::{Text, text};
use wire::Reason;

/// The words of a reason in all languages.
#[must_use]
pub const fn text_of(reason: Reason) -> Text {
    match reason {
        Reason::Retired => text("已报废", "The card is retired"),
        Reason::Offline => text("设备离线，未执行", "The card is offline; skipped"),
        Reason::Busy => text("有客户端用户正在使用，未强制执行", "The card is in use and the operation was not forced"),
        Reason::AlreadySo => text("已经如此，无需更改", "Already in this state"),
        Reason::PlaceMaintained => text("所在机房、机架或主机正在维护", "Its room, frame or host is in maintenance"),
        Reason::NoPosition => text("目标机架没有空位", "The target frame has no free position"),
        Reason::PlaceRefused => {
            text("目标位置或地址不接受此卡", "The target position or address cannot take this card")
        }
        Reason::HoldsPhone => text("卡上有云手机，请先下机", "A cloud phone is on the card; take it off first"),
        Reason::StrayPhone => {
            text("卡上有另一台云手机的数据，已隔离", "Another phone's data is on the card; set aside")
        }
        Reason::NoStray => text("卡上没有外来云手机", "No stray phone is on the card"),
        Reason::PhoneOnMachine => text("云手机正在上机，请先下机", "The phone is on the machine; take it off first"),
        Reason::PhoneCreating => text("云手机正在创建", "The phone is still being created"),
        Reason::PhoneActive => text("云手机状态正常，无需此操作", "The phone is active; this is not needed"),
        Reason::PhoneFrozen => text("云手机已冻结，请先解冻", "The phone is frozen; thaw it first"),
        Reason::PhoneExpired => text("云手机已到期，请先续费", "The phone has expired; renew it first"),
        Reason::PhoneReleased => text("云手机已释放，请先恢复", "The phone is released; restore it first"),
        Reason::PhoneErased => text("云手机已清除，无法再使用", "The phone is erased and cannot be used again"),
        Reason::PhoneNotFrozen => text("云手机未冻结", "The phone is not frozen"),
        Reason::PhoneNotReleased => text("云手机未释放", "The phone is not released"),
        Reason::PhoneStayOver => text("可恢复的期限已过", "It can no longer be restored; its time is over"),
        Reason::PhoneNotDue => text("时间未到", "Its time has not come"),
        Reason::PhoneOfOther => text("云手机属于其他用户", "The phone is another user's"),
        Reason::PhoneUserGone => text("客户端用户已注销", "The user has closed the account"),
        Reason::PhoneRoomGone => text("机房已不存在", "The room no longer exists"),
        Reason::PhoneDiskOver => text(
            "云手机的数据已超出云盘，不能再安装应用；请清理数据并重新备份，或扩容云盘",
            "The phone holds more than its disk, and nothing is installed on it: remove data and back it up again, or enlarge the disk",
        ),
        Reason::PhoneDiskLargest => text("云盘不能超过 9999 GB", "A disk has at most 9999 GB"),
        Reason::PhoneSamePlan => text("云手机已是该套餐", "The phone has this plan already"),
        Reason::PhoneOtherBoard => text(
            "云手机的数据只能在原板卡上运行，该套餐使用另一种板卡",
            "What the phone holds runs on its own board only; the plan has another",
        ),
        Reason::PhoneGone => text("云手机已不存在", "The phone no longer exists"),
        Reason::UnknownAct => text("机房代理版本过旧，不支持此操作", "The room agent is too old for this; upgrade it"),
        Reason::NotOurs => text("卡上的归属标记是另一部云手机的", "The card is marked as another phone's"),
        Reason::MarkUnreadable => text(
            "无法读取卡上的归属标记（标记已损坏，或 ADB 没有 root 权限）",
            "The card's owner mark cannot be read: it is damaged, or its ADB is not root",
        ),
        Reason::NotRoot => text(
            "卡的 ADB 没有 root 权限，无法读取全部数据",
            "The card's ADB is not root: not everything on it can be read",
        ),
        Reason::Locked => text("云手机已锁屏，请先解锁", "The phone is locked. Unlock it first"),
        Reason::NotCovered => text("有未备份的数据，请查看备份范围", "Data is not covered: see what a copy holds"),
        Reason::TooManyFiles => text(
            "云手机的文件过多，无法备份，请先删除一部分",
            "The phone has too many files to be copied. Delete some of them first",
        ),
        Reason::ImageDiffers => text("卡上的系统镜像不符", "The card runs another system image"),
        Reason::NotReadable => {
            text("卡上有内容无法读取，未做任何更改", "Something on the card cannot be read. Nothing was changed")
        }
        Reason::DataChanged => text(
            "备份期间或备份后云手机的数据有变化，未做任何更改",
            "Something of the phone changed while it was copied, or since. Nothing was changed",
        ),
        Reason::AppsUnknown => text(
            "无法得知备份时安装了哪些应用，未做任何更改",
            "It is not known which apps were installed. Nothing was changed",
        ),
        Reason::NoProfile => text(
            "该系统镜像没有经过验证的干净画像，请在“云机系统管理”中采集并认定",
            "There is no tried profile of a clean card with this image: read one under Cloud machine system management",
        ),
        Reason::WipeUnproved => {
            text("无法证明数据已清除，卡已停用", "The wipe could not be proved. The card is out of service")
        }
        Reason::RestoreUnproved => text("恢复后的数据与备份不一致", "What was restored is not what the backup holds"),
        Reason::StoreUnreachable => text("存储不可达", "The store cannot be reached"),
        Reason::StoreFull => text("存储已满，请扩容或迁移", "The store is full; add space, or drain it"),
        Reason::StoreRefused => {
            text("存储拒绝访问：登录、证书或权限不被接受", "The store refuses access: login, certificate or permission")
        }
        Reason::StoreDamaged => text("读回的内容与写入的不同", "What was read back is not what was written"),
        Reason::WrongStore => text(
            "该位置不是登记的存储节点：标记文件缺失或属于另一个节点（磁盘可能未挂载）",
            "What is there is not the node in the books: its marker is missing, or another node's (is the disk mounted?)",
        ),
        Reason::NoStore => text(
            "该机房没有可用的存储节点，请在“存储管理”中新建",
            "No storage node takes copies of this room: create one under Storage management",
        ),
        Reason::CopyDamaged => {
            text("副本校验失败，卡上数据未动", "The copy failed verification. The card is untouched")
        }
        Reason::RepoDamaged => {
            text("备份库异常，保留的副本未动", "The repository is damaged. The kept copy is as it was")
        }
        Reason::RepoLocked => text(
            "有人正在用 restic 独占该备份库（如 prune、check），结束后再试；被强行终止的 restic 遗留的锁可用 restic unlock 清除",
            "Somebody has this repository for himself with restic (prune, check): try again when that is over. `restic unlock` removes what a killed restic has left",
        ),
        Reason::CopyOfOther => text(
            "该备份属于其他用户，只能恢复到同一用户的云手机",
            "The backup is another user's: only his phones take it",
        ),
        Reason::CopyUnfit => text(
            "该备份未完成、已损坏或已不存在，请选择其他备份",
            "The backup was not completed, is damaged or is gone: choose another one",
        ),
        Reason::OlderCopy => text(
            "保留的备份已损坏，可改用较早的完好备份",
            "The kept backup is damaged. The phone can come with an older one that is whole",
        ),
        Reason::CopyNotOffered => text(
            "可用的备份已不是确认的那一份，请刷新后查看备份时间再确认",
            "That is not the backup with which the phone would come now: reload, see of which time that is, and decide again",
        ),
        Reason::CardLost => text("卡已失联，可用备份恢复", "Card lost. The phone can go on from its copy"),
        Reason::CardLostNoCopy => text("卡已失联，没有完好的备份", "Card lost; there is no whole copy"),
        Reason::CardGone => text(
            "清除时连续 10 分钟无响应，卡已停用",
            "It was to be wiped and did not answer for ten minutes. The card is out of service",
        ),
        Reason::CardAway => text(
            "旧卡尚未恢复连接；恢复后会先停止其系统",
            "The old card is not back yet; what runs on it is stopped when it is",
        ),
        Reason::CardWasLost => text(
            "卡失联后云手机已在别处继续，卡上此后写入的数据不在任何备份中；继续处理会先另行备份，再清除",
            "The card was lost and its phone has gone on elsewhere: what was written on it since is in no copy. Going on copies it first, and wipes it then",
        ),
        Reason::LossIsBack => text(
            "卡恢复了连接：已放弃的数据仍在卡上，且没有任何备份；继续处理会先另行备份，再清除",
            "The card is back, and the data that was given up is still on it, and nowhere else. Going on copies it first, and wipes it then",
        ),
        Reason::NothingLeft => text(
            "云手机没有待处理的隔离数据",
            "Nothing that the phone has left on a card in quarantine waits for a decision",
        ),
        Reason::ImageGone => text(
            "该机房的对应板卡都不运行该备份所用或与其兼容的镜像，未做任何更改",
            "No card of its board in the room runs the image of the backup, or one that takes its phones. Nothing was changed",
        ),
        Reason::NewerOnCard => text(
            "云手机留在上一张卡上的数据没有完好的备份，请先上机",
            "What the phone has left on its last card is in no whole backup: put it on first",
        ),
        Reason::NothingHeld => text("没有可继续处理的事项", "Nothing of the phone waits that could go on"),
        Reason::NeedsRight => text("缺少该处理所需的权限", "You lack the permission for what would be done"),
        Reason::CopyUnread => {
            text("有备份尚未校验，请先校验", "There is a copy that nobody has read back yet: verify it first")
        }
        Reason::CardNotLost => text("云手机的卡没有失联", "The phone's card is not lost"),
        Reason::CardNotOff => text(
            "卡未确认断电，恢复后会与云手机重复运行；请先断电，或填写原因并担保",
            "The card is not known to be off: if it comes back, the phone runs twice. Power it off, or answer for it with a reason",
        ),
        Reason::CopyThere => text("有完好的备份，请用备份恢复", "There is a whole copy: let the phone go on from that"),
        Reason::RoomThere => text(
            "云手机所在机房的代理在线，或刚断开不久，可在原机房继续",
            "An agent of the phone's room is there, or was a moment ago: it goes on in that room",
        ),
        Reason::NoWholeCopy => text("没有完好的备份", "There is no whole copy"),
        Reason::CopyOutOfReach => text(
            "目标机房读不到该云手机的备份：没有已连接的代理，或代理连接不到存储节点",
            "The other room cannot read the phone's copy: no agent is connected there, or none reaches the storage node",
        ),
        Reason::Preempted => text("已让位给其他操作，稍后继续", "Gave way to something else; goes on later"),
        Reason::NeedsSecond => text("须由另一位操作员批准", "Another operator has to approve it"),
        Reason::Shrunk => {
            text("数据比上次备份少一半以上，请确认", "Less than half of the last copy's data. Please confirm")
        }
        Reason::CameBack => text("用户已返回，下机取消", "The user came back; take-off cancelled"),
        Reason::Guaranteed => text("专属卡，不按规则下机", "The phone has its card for itself; no rule takes it off"),
        Reason::UserWarned => text(
            "正在提醒使用者，五分钟后结束其使用并下机；提前离开则立即下机",
            "Whoever uses it is warned for five minutes; it is taken off then, or as soon as he leaves",
        ),
        Reason::AppsRan => text(
            "卡在备份后重启过，应用已运行，备份后写入的数据不在任何备份中；会先另行备份，再清除",
            "The card has restarted since the last copy and its apps have run: what they wrote is in no copy. It is copied first, and wiped then",
        ),
        Reason::AppsChanged => text(
            "备份期间有应用被安装、更新或卸载，请稍后再次备份",
            "Apps were installed, updated or removed meanwhile. Back up again later",
        ),
        Reason::PackageDamaged => text(
            "应用安装包已损坏；装有该应用的云手机下次备份时会重新保存",
            "The package of an app is damaged. The next backup of a phone that has the app saves it anew",
        ),
        Reason::PackagesMissing => {
            text("应用安装包没有全部保存，请再次备份", "Not all packages of apps were saved. Back up again")
        }
        Reason::StoreNotEmpty => text(
            "该位置已有其他内容；新节点需要一个空文件夹",
            "Something lies there already; a new node needs an empty folder",
        ),
        Reason::NoSnapshots => text(
            "没有找到该节点文件系统的快照（.snapshot、.zfs/snapshot 或 .snap），请在存储上开启，或关闭节点的“快照”",
            "No snapshot of the node's file system was found (.snapshot, .zfs/snapshot or .snap): switch them on there, or switch Snapshots of the node off",
        ),
        Reason::StorePlaceRefused => text(
            "机房代理不允许在该位置存放；可用 --store-root 启动代理以放行",
            "The room agent lets no node lie there; start it with --store-root to allow it",
        ),
        Reason::Unhealthy => text("系统未能正常启动", "The system does not come up"),
        Reason::PhoneOffMachine => text("云手机未上机", "The phone is off the machine"),
        Reason::PhoneNotBlank => text(
            "云手机已使用过，需要从备份恢复才能上机",
            "The phone has been used; what it left in storage has to come back with it",
        ),
        Reason::PhoneUnderWay => {
            text("云手机正在处理中，请稍后再试", "Something is being done to the phone already; try again later")
        }
        Reason::NoCard => text("该机房没有空闲的对应板卡，排队等待", "No free card of its board in the room; it waits"),
        Reason::NoDedicatedCard => text(
            "该机房的对应板卡没有空闲的专属卡，排队等待",
            "No free dedicated card of its board in the room; it waits",
        ),
        Reason::NoCardOfImage => text(
            "该机房空闲的对应板卡都不运行备份所用或与其兼容的镜像，排队等待",
            "No free card of its board in the room runs the image of its backup, or one that takes its phones; it waits",
        ),
        Reason::AgentTooOld => text("机房代理版本过旧，请升级", "The room's agent is too old; upgrade it"),
        Reason::RoomAway => text("机房代理失联，等待恢复", "The room's agent is away; waiting"),
        Reason::NoBmc => text("没有 BMC 映射，无法控制电源", "No BMC mapping, so the power cannot be controlled"),
        Reason::AdbRefused => text("ADB 拒绝连接", "ADB connection refused"),
        Reason::AdbUnreachable => text("网络不可达", "Network unreachable"),
        Reason::AddressRefused => text(
            "不连接该地址（本机、链路本地或组播，或不在机房的管理网段内）",
            "This address is not connected to: it is loopback, link-local or multicast, or outside the room's management networks",
        ),
        Reason::AdbTimeout => text("设备无响应（超时）", "The card did not respond (timeout)"),
        Reason::AdbAuthRefused => text("设备不信任机房的 ADB 密钥", "The card does not trust the room's ADB key"),
        Reason::AdbAuthNeeded => text("设备需要 ADB 密钥", "The card requires an ADB key"),
        Reason::AdbUnsupported => text("设备不支持此操作", "The card does not support this"),
        Reason::AdbProtocol => {
            text("设备的应答不符合 ADB 协议", "The card's response does not follow the ADB protocol")
        }
        Reason::AdbClosed => text("与设备的连接中断", "The connection to the card was lost"),
        Reason::AdbServiceRefused => text("设备拒绝了该服务", "The card refused the service"),
        Reason::DeviceFail => text("设备执行失败", "Execution failed on the card"),
        Reason::NoSuchFile => text("设备上没有该路径", "No such path on the card"),
        Reason::NoSpace => text("设备存储空间不足", "Not enough storage on the card"),
        Reason::InstallFailed => text("安装失败", "Installation failed"),
        Reason::ExitCode => text("命令返回了非零退出码", "The command returned a non-zero exit code"),
        Reason::TooLarge => text("输出或文件过大", "The output or the file is too large"),
        Reason::BadArgument => text("参数无法下发到设备", "The parameters cannot be sent to a card"),
        Reason::LocalFile => text("机房代理的文件读写失败", "File error on the room agent"),
        Reason::UploadFailed => text("文件回传失败", "The file could not be sent back to the console"),
        Reason::Interrupted => text("执行被中断，不会自动重复执行", "Interrupted; not retried automatically"),
        Reason::NotInstalled => text("安装被中断，确认未安装", "Installation interrupted; confirmed not installed"),
        Reason::AgentJournal => {
            text("机房代理的日志无法写入，未执行", "The room agent cannot write its journal; nothing was done")
        }
        Reason::AgentBroke => text(
            "机房代理执行时出错，请检查设备后重试；详情见代理日志",
            "The room agent broke down over this: check the card, then retry. Its log says more",
        ),
        Reason::WrongCard => text(
            "该位置的设备与登记不符，未执行",
            "The card at this position is not the recorded one; nothing was done",
        ),
        Reason::BmcUnreachable => text("BMC 不可达", "The BMC is unreachable"),
        Reason::BmcTimeout => text("BMC 无响应", "The BMC did not respond (timeout)"),
        Reason::BmcCertificateChanged => text("BMC 证书已变化", "The BMC's certificate has changed"),
        Reason::BmcAuthRefused => text("BMC 账号或密码错误", "Wrong BMC username or password"),
        Reason::BmcForbidden => text("BMC 账号权限不足", "The BMC account lacks the required privilege"),
        Reason::BmcSessionRefused => {
            text("BMC 不承认自己刚建立的会话", "The BMC does not honour the session it just created")
        }
        Reason::BmcNoScheme => text(
            "BMC 既没有会话服务，也不接受 HTTP Basic",
            "The BMC has no session service and does not accept HTTP Basic either",
        ),
        Reason::BmcNoSession => text("BMC 会话已满", "No BMC session available"),
        Reason::BmcUnsupported => text("BMC 不支持此操作", "The BMC does not support this"),
        Reason::BmcFailed => text("BMC 返回错误", "The BMC returned an error"),
        Reason::BmcProtocol => text("BMC 的应答不符合 Redfish", "The BMC's response does not follow Redfish"),
        Reason::PowerUnknown => {
            text("BMC 不清楚当前电源状态，未发送命令", "The BMC does not know the power state; no command was sent")
        }
        Reason::PowerStuck => {
            text("命令已发送但电源状态未变化", "The command was sent, but the power state did not change")
        }
        Reason::AgentGone => text("机房代理失联或已吊销", "The room agent is gone or revoked"),
        Reason::AgentSilent => {
            text("机房代理在线，但一直未报告结果", "The room agent is connected but never reported the result")
        }
        Reason::Expired => text("操作已过期", "The operation has expired"),
        Reason::FailedLimit => text("失败比例达到上限，已自动暂停", "Too many failures; paused automatically"),
    }
}

/// The words of a code; the code itself if this version does not know it.
#[must_use]
pub fn words(code: &str, lang: Lang) -> String {
    Reason::from_code(code).map_or(code, |reason| text_of(reason).get(lang)).to_owned()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_code_that_is_not_known_stands_for_itself() {
        assert_eq!(super::words("no_space", kernel::lang::Lang::En), "Not enough storage on the card");
        assert_eq!(super::words("?", kernel::lang::Lang::En), "?");
    }
}
