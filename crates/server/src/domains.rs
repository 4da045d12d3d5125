//! The domains, and nothing else.

use std::sync::LazyLock;

use base::access::catalog::Catalogue;
use base::domain::{self, Domain};
use base::http::DomainRouter;
use kernel::text::text;

/// The operations of the command line.
const COMMANDS: Domain = Domain {
    acts: &[
        ("admin_create", text("命令行：新建管理员", "Command line: create administrator")),
        ("admin_reset_password", text("命令行：重置密码", "Command line: reset password")),
        ("master_key_rotate", text("命令行：更换主密钥", "Command line: replace master key")),
        (
            "catalogue_rebuild",
            text("命令行：由存储节点重建备份目录", "Command line: rebuild the books of a storage node"),
        ),
        ("secrets_forget", text("命令行：清除无法解密的密钥", "Command line: forget lost secrets")),
    ],
    ..Domain::new("commands", DomainRouter::new)
};

static ALL: LazyLock<Vec<Domain>> = LazyLock::new(|| {
    let first = [base::DOMAIN, COMMANDS];
    // Applications come before the customers and phones that they bring: a backup brings parents back first.
    [
        &first[..],
        accounts::DOMAINS,
        open::DOMAINS,
        customers::DOMAINS,
        fleet::DOMAINS,
        phones::DOMAINS,
        platform::DOMAINS,
    ]
    .concat()
});

/// Their screens.
#[must_use]
pub fn catalogue() -> Catalogue {
    domain::catalogue(&ALL)
}

/// Every domain of the console.
#[must_use]
pub fn all() -> &'static [Domain] {
    &ALL
}
