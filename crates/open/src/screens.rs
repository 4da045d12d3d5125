//! The screen of the Open API, and what may be done there.

use base::access::catalog::PLATFORM;

base::screens! {
    screen "openApps" ("第三方平台", "Third-party platform management") in PLATFORM at 20, path "thirdParty", icon "safety" {
        OPEN_APP_LIST = "openApp:list" ("查看列表", "View the list");
        OPEN_APP_GET = "openApp:get" ("查看详情", "View details");
        OPEN_APP_CREATE = "openApp:create" ("新增", "Create");
        OPEN_APP_UPDATE = "openApp:update" ("编辑", "Edit");
        OPEN_APP_DELETE = "openApp:delete" ("删除", "Delete");
        OPEN_APP_NEW_KEY = "openApp:newKey" ("新密钥", "New key");
        OPEN_APP_DROP_KEY = "openApp:dropKey" ("吊销密钥", "Revoke a key");
        OPEN_APP_EXPORT = "openApp:export" ("导出", "Export");
        OPEN_DOOR_GET = "openDoor:get" ("查看开放接口设置", "View the settings of the Open API");
        OPEN_DOOR_UPDATE = "openDoor:update" ("修改开放接口设置", "Change the settings of the Open API");
        OPEN_CALL_LIST = "openCall:list" ("查看调用日志", "View the log of calls");
        OPEN_CALL_EXPORT = "openCall:export" ("导出调用日志", "Export the log of calls");
        OPEN_HOOK_UPDATE = "openHook:update" ("修改推送", "Change a webhook");
        OPEN_HOOK_NEW_SECRET = "openHook:newSecret" ("更换推送密钥", "New webhook secret");
        OPEN_HOOK_TEST = "openHook:test" ("发送测试推送", "Send a test event");
        OPEN_DELIVERY_LIST = "openDelivery:list" ("查看推送记录", "View deliveries");
        OPEN_DELIVERY_EXPORT = "openDelivery:export" ("导出推送记录", "Export deliveries");
        OPEN_DELIVERY_REPLAY = "openDelivery:replay" ("重新推送", "Send events again");
    }
}
