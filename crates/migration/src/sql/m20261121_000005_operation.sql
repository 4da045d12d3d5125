-- Operations on cards, and the task of each card in them.

CREATE TABLE operation_file (
    id {id},
    object_key TEXT NOT NULL,
    file_name TEXT NOT NULL,
    size BIGINT NOT NULL,
    sha256 TEXT NOT NULL,
    is_package BOOLEAN NOT NULL,
    created_by TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX operation_file_created ON operation_file (created_at);
CREATE TABLE operation (
    id {id},
    kind SMALLINT NOT NULL,
    act TEXT NOT NULL,
    file_id BIGINT REFERENCES operation_file (id),
    selection TEXT NOT NULL,
    frozen_after BIGINT NOT NULL,
    state SMALLINT NOT NULL,
    why TEXT NOT NULL,
    reason TEXT NOT NULL,
    is_forced BOOLEAN NOT NULL,
    seconds INTEGER NOT NULL,
    stop_at_percent SMALLINT NOT NULL,
    not_before BIGINT,
    expires_at BIGINT NOT NULL,
    created_by_id BIGINT NOT NULL,
    created_by TEXT NOT NULL,
    approved_by TEXT NOT NULL,
    total BIGINT NOT NULL,
    users_hit BIGINT NOT NULL,
    pending BIGINT NOT NULL,
    running BIGINT NOT NULL,
    succeeded BIGINT NOT NULL,
    failed BIGINT NOT NULL,
    skipped BIGINT NOT NULL,
    incompatible BIGINT NOT NULL,
    cancelled BIGINT NOT NULL,
    expired BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    started_at BIGINT,
    finished_at BIGINT
);
CREATE INDEX operation_state ON operation (state, id);
CREATE INDEX operation_file_used ON operation (file_id);
CREATE INDEX operation_finished ON operation (finished_at);
CREATE TABLE operation_task (
    id {id},
    operation_id BIGINT NOT NULL REFERENCES operation (id) ON DELETE CASCADE,
    card_id BIGINT NOT NULL,
    room_id BIGINT NOT NULL,
    frame_id BIGINT,
    host_id BIGINT,
    address TEXT NOT NULL,
    state SMALLINT NOT NULL,
    attempt INTEGER NOT NULL,
    agent_id BIGINT,
    code TEXT NOT NULL,
    reason TEXT NOT NULL,
    output TEXT NOT NULL,
    is_cut BOOLEAN NOT NULL,
    exit_code SMALLINT,
    file_key TEXT NOT NULL,
    started_at BIGINT,
    ended_at BIGINT,
    millis BIGINT NOT NULL
);
CREATE UNIQUE INDEX operation_task_card ON operation_task (operation_id, card_id);
CREATE INDEX operation_task_of_card ON operation_task (card_id, id);
CREATE INDEX operation_task_state ON operation_task (operation_id, state, id);
CREATE INDEX operation_task_room ON operation_task (room_id, state, id);
