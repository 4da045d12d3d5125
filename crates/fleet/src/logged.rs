//! What the fields of the fleet's objects are called in the operation log, where no list shows them.

use base::log::{Shape, shape};
use kernel::text::text;
use utoipa::ToSchema as _;

use crate::address::bmc::BmcView;
use crate::address::plan::AddressPlanView;
use crate::agent::{JoinTokenView, RoomAgentView};
use crate::card::view::CardView;
use crate::finding::FindingView;
use crate::image::ImageView;
use crate::image::exclusion::ExclusionView;
use crate::image::pair::ImagePairView;
use crate::image::trial::BoardTrialView;
use crate::place::frame::FrameView;
use crate::place::host::HostView;
use crate::place::room::RoomView;

/// The kinds that the fleet logs.
pub const SHAPES: &[Shape] = &[
    shape("room", RoomView::name)
        .fields(&[
            ("latitude", text("纬度", "Latitude")),
            ("longitude", text("经度", "Longitude")),
            ("managementNets", text("管理网段", "Management networks")),
        ])
        // The row as it is stored has the place in millionths; the view has it too.
        .silent(&["counts", "latitudeE6", "longitudeE6"]),
    shape("frame", FrameView::name).fields(&[("blades", text("刀片数", "Blades"))]).silent(&["counts"]),
    shape("host", HostView::name).silent(&["counts"]),
    CARD,
    shape("addressPlan", AddressPlanView::name)
        .fields(&[("extranet", text("外网", "Extranet")), ("intranet", text("内网", "Intranet"))]),
    shape("bmc", BmcView::name)
        .fields(&[("bmcPort", text("BMC 端口", "BMC port")), ("password", text("密码", "Password"))]),
    shape("roomAgent", RoomAgentView::name),
    shape("joinToken", JoinTokenView::name).fields(&[("usedBy", text("使用者", "Used by"))]),
    shape("finding", FindingView::name),
    shape("image", ImageView::name).silent(&["cards"]),
    shape("imageExclusion", ExclusionView::name)
        .fields(&[
            ("approvedAt", text("审批时间", "Approved at")),
            ("approvedBy", text("审批人", "Approved by")),
            ("createdBy", text("提出人", "Named by")),
            ("imageId", text("镜像 ID", "Image ID")),
            ("isApproved", text("已审批", "Approved")),
            ("isOwn", text("本人提出", "Named by oneself")),
            ("path", text("路径", "Path")),
            ("reason", text("原因", "Reason")),
        ])
        // Who asks decides it.
        .silent(&["isOwn"]),
    shape("imagePair", ImagePairView::name).fields(&[
        ("createdBy", text("声明人", "Declared by")),
        ("from", text("备份的镜像", "Image of the copies")),
        ("reason", text("原因", "Reason")),
        ("to", text("卡的镜像", "Image of the cards")),
    ]),
    shape("boardTrial", BoardTrialView::name).fields(&[
        ("imageId", text("镜像 ID", "Image ID")),
        ("outcome", text("结果", "Outcome")),
        ("question", text("试验项", "Question")),
        ("reason", text("原因", "Reason")),
        ("triedAt", text("试验时间", "Tried at")),
        ("triedBy", text("试验人", "Tried by")),
    ]),
];

const CARD: Shape = shape("card", CardView::name)
    .fields(&[
        ("adbAnswers", text("ADB 有响应", "ADB answers")),
        ("assignable", text("可分配", "Assignable")),
        ("booted", text("系统已启动", "Booted")),
        ("bootedOkAt", text("最近启动完成", "Last booted")),
        ("frameId", text("机架 ID", "Frame ID")),
        ("hostId", text("主机 ID", "Host ID")),
        ("imageId", text("镜像 ID", "Image ID")),
        ("isUpgrading", text("升级中", "Upgrading")),
        ("maintenanceBy", text("维护人", "Maintained by")),
        ("maintenanceReason", text("维护原因", "Maintenance reason")),
        ("maintenanceScope", text("维护范围", "Maintenance scope")),
        ("maintenanceUntil", text("维护至", "Maintenance until")),
        ("mark", text("标记内容", "Mark")),
        ("modelId", text("型号 ID", "Model ID")),
        ("newCards", text("新增板卡", "New cards")),
        ("overcommit", text("可超分", "Overcommit")),
        ("reached", text("网络可达", "Reachable")),
        ("retired", text("已报废", "Retired")),
        ("roomId", text("机房 ID", "Room ID")),
        ("taken", text("已占用", "Taken")),
        ("tcpOpen", text("ADB 端口开放", "ADB port open")),
        ("until", text("维护至", "Until")),
        ("wantedPower", text("目标电源", "Wanted power")),
    ])
    .choices(&[
        ("adbAnswers", "Fact"),
        ("booted", "Fact"),
        ("reached", "Fact"),
        ("tcpOpen", "Fact"),
        ("wantedPower", "Power"),
    ])
    .plain(&["id", "lifecycle", "maintenance", "isAssignable", "isOvercommit"])
    .silent(&["live"]);
