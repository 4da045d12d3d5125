//! Rows for tests that need no database: an ordinary phone, and an ordinary saga of it. A test changes what it is about.

use entity::phone::{Life, Model as Phone, PhonePool, PhoneSource, Plan, UseType};
use entity::saga::{Model as Saga, SagaKind, SagaState};
use entity::saga_step::StepName;
use entity::{ClientUserId, OperationId, PhoneId, RoomId, SagaId};
use kernel::time::UtcTime;

/// A phone in this state that was used before, without a copy, and that has expired at the beginning of time.
pub(crate) const fn phone(life: Life, use_type: UseType) -> Phone {
    let at = UtcTime(0);
    Phone {
        id: PhoneId(1),
        code: String::new(),
        name: String::new(),
        user_id: ClientUserId(1),
        plan: Plan::Vip,
        room_id: RoomId(1),
        pool: PhonePool::Shared,
        life,
        use_type,
        is_blank: false,
        kept_id: None,
        holds_id: None,
        endpoint_rev: 1,
        disk_gb: 1,
        used_bytes: 0,
        expires_at: at,
        term: 0,
        image: String::new(),
        source: PhoneSource::Order,
        frozen_reason: String::new(),
        stays_until: None,
        last_used_at: None,
        last_backup_at: None,
        remark: String::new(),
        app_id: None,
        created_at: at,
        updated_at: at,
    }
}

/// What an operation does to it: a saga that locks the phone.
pub(crate) const fn saga(kind: SagaKind, state: SagaState, step: StepName) -> Saga {
    Saga {
        id: SagaId(1),
        kind,
        phone_id: PhoneId(1),
        locks_phone: true,
        placement_id: None,
        room_id: RoomId(1),
        board: String::new(),
        pool: PhonePool::Shared,
        operation_id: Some(OperationId(1)),
        created_by: String::new(),
        enqueued_at: UtcTime(0),
        rank_at: UtcTime(0),
        step,
        state,
        cards: 0,
        code: String::new(),
        profile_id: None,
        proof: String::new(),
        still: String::new(),
        backup_id: None,
        is_wanted_back: false,
        back_for_id: None,
        cause: None,
        warns_user: false,
        holds: 0,
        retry_at: None,
        held_after: None,
        is_accepted: false,
        comes_with_id: None,
        ended_at: None,
    }
}
