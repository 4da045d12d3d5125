//! Phones, cards and copies as plain rows, for tests of what the schema itself refuses and of backups.

use db::Db;
use sea_orm_migration::sea_orm::{ConnectionTrait as _, DbErr};

/// Runs statements in one transaction; `;` separates them.
///
/// # Errors
/// When the database refuses one.
pub async fn run(db: &Db, statements: &str) -> Result<(), DbErr> {
    let tx = db.begin_write().await?;
    for statement in statements.split(';').map(str::trim).filter(|one| !one.is_empty()) {
        tx.execute_unprepared(statement).await?;
    }
    tx.commit().await
}

/// A room with cards 1 to 3, a customer unless there is one, a node, and phones 1 and 2 that were never used.
///
/// # Panics
/// When the database refuses.
pub async fn furnish(db: &Db) {
    let mut text = String::from(
        "INSERT INTO room (id, name, city, remark, management_nets, maintenance, maintenance_reason, maintenance_by, created_at, updated_at)
           VALUES (1, 'R', '', '', '', 1, '', '', 0, 0);
         INSERT INTO card_model (id, manufacturer, model, board) VALUES (1, 'M', 'M', 'RK_3399');
         INSERT INTO client_user (id, name, phone, email, ident_code, login_method, device_name, register_ip, client_type,
             client_version, status, remark, registered_at, updated_at)
           SELECT 1, 'U', '', '', 'A', 1, '', '', 1, '', 1, '', 0, 0 WHERE NOT EXISTS (SELECT 1 FROM client_user);
         INSERT INTO store_node (id, name, city, driver, host, account, secret, place, is_tls, pin, capacity_bytes, partitions,
             has_snapshots, strategy, cycle_days, state, trouble, created_at, updated_at)
           VALUES (1, 'N', '', 1, '', '', '', '/n', FALSE, '', 1, 1, FALSE, 1, 1, 1, '', 0, 0);",
    );
    for card in 1..=3 {
        text += &format!(
            "INSERT INTO card (id, room_id, intranet_ip, adb_port, model_id, size, remark, lifecycle, fault_reason, power,
                 wanted_power, reached, tcp_open, adb_answers, booted, occupancy, is_upgrading, maintenance, maintenance_scope,
                 maintenance_reason, maintenance_by, is_assignable, is_overcommit, run_status, run_since, network_status,
                 network_since, created_at, updated_at)
               VALUES ({card}, 1, {card}, 5555, 1, '', '', 3, '', 1, 1, 1, 1, 1, 1, 1, FALSE, 1, 1, '', '', TRUE, TRUE, 1, 0, 1, 0, 0, 0);"
        );
    }
    for phone in 1..=2 {
        text += &format!(
            "INSERT INTO phone (id, code, name, user_id, plan, room_id, life, use_type, is_blank, endpoint_rev, disk_gb,
                 used_bytes, expires_at, image, source, frozen_reason, remark, created_at, updated_at)
               VALUES ({phone}, 'CP-{phone}', '', 1, 2, 1, 2, 2, TRUE, 0, 32, 0, 9, '', 5, '', '', 0, 0);
             INSERT INTO repo (id, phone_id, node_id, folder, created_at) VALUES ({phone}, {phone}, 1, 'p{phone}', 0);"
        );
    }
    run(db, &text).await.unwrap();
}

/// Puts phone 1 on card 1, as the saga binds it.
pub const ON: &str =
    "INSERT INTO placement (id, phone_id, card_id, role, is_quarantined, began_at) VALUES (1, 1, 1, 1, FALSE, 0);
     UPDATE placement SET role = 2 WHERE id = 1;
     UPDATE phone SET use_type = 1, is_blank = FALSE, holds_id = 1, endpoint_rev = endpoint_rev + 1 WHERE id = 1";

/// A copy of a phone.
#[must_use]
pub fn copy(id: i64, phone: i64, kind: i16, state: i16) -> String {
    format!(
        "INSERT INTO backup (id, phone_id, repo_id, snapshot, kind, card_id, image, board, state, damage, is_live, files, bytes,
             added_bytes, manifest, code, restores, millis, began_at)
           VALUES ({id}, {phone}, {phone}, 's{id}', {kind}, 1, '', '', {state}, '', FALSE, 0, 0, 0, '', '', 0, 0, 0);"
    )
}

/// Takes phone 1 off card 1 with copy 1: the seal.
pub const OFF: &str = "UPDATE phone SET use_type = 2, holds_id = NULL, kept_id = 1 WHERE id = 1;
     UPDATE placement SET role = 3 WHERE id = 1";
