-- Operators, groups, menus, sessions, and what guards the sign-in.

CREATE TABLE permission_group (
    id {id},
    name VARCHAR(64) NOT NULL,
    is_builtin BOOLEAN NOT NULL DEFAULT FALSE,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX permission_group_name ON permission_group (name);

CREATE TABLE menu (
    id {id},
    parent_id BIGINT REFERENCES menu (id),
    kind SMALLINT NOT NULL,
    code VARCHAR(128) NOT NULL,
    name VARCHAR(128) NOT NULL,
    path VARCHAR(256) NOT NULL,
    icon VARCHAR(64) NOT NULL,
    sort INTEGER NOT NULL,
    is_visible BOOLEAN NOT NULL DEFAULT TRUE,
    is_builtin BOOLEAN NOT NULL DEFAULT FALSE,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX menu_code ON menu (code);
CREATE INDEX menu_parent ON menu (parent_id, sort, id);

CREATE TABLE group_menu (
    group_id BIGINT NOT NULL REFERENCES permission_group (id) ON DELETE CASCADE,
    menu_id BIGINT NOT NULL REFERENCES menu (id) ON DELETE CASCADE,
    PRIMARY KEY (group_id, menu_id)
) {without_rowid};
CREATE INDEX group_menu_menu ON group_menu (menu_id);

CREATE TABLE operator (
    id {id},
    username VARCHAR(32) NOT NULL,
    password_hash VARCHAR(256) NOT NULL,
    password_set_at BIGINT NOT NULL,
    must_change SMALLINT NOT NULL DEFAULT 0,
    group_id BIGINT REFERENCES permission_group (id),
    account_type SMALLINT NOT NULL,
    email VARCHAR(64) NOT NULL,
    phone VARCHAR(16) NOT NULL,
    remark VARCHAR(256) NOT NULL,
    is_enabled BOOLEAN NOT NULL,
    totp_secret {blob},
    totp_enabled_at BIGINT,
    totp_last_step BIGINT NOT NULL DEFAULT 0,
    oidc_subject VARCHAR(256),
    last_sign_in_at BIGINT,
    last_sign_in_ip VARCHAR(64) NOT NULL DEFAULT '',
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX operator_username ON operator (username);
CREATE UNIQUE INDEX operator_oidc_subject ON operator (oidc_subject);
CREATE INDEX operator_group ON operator (group_id);

CREATE TABLE operator_old_password (
    id {id},
    operator_id BIGINT NOT NULL REFERENCES operator (id) ON DELETE CASCADE,
    password_hash VARCHAR(256) NOT NULL,
    replaced_at BIGINT NOT NULL
);
CREATE INDEX operator_old_password_operator ON operator_old_password (operator_id, id);

CREATE TABLE recovery_code (
    id {id},
    operator_id BIGINT NOT NULL REFERENCES operator (id) ON DELETE CASCADE,
    code_hash {blob} NOT NULL,
    used_at BIGINT
);
CREATE INDEX recovery_code_operator ON recovery_code (operator_id);

CREATE TABLE session (
    id {id},
    token_hash {blob} NOT NULL,
    -- Not a reference: sessions of a deleted operator stay, so that his next request hears why it is refused.
    operator_id BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    ip VARCHAR(64) NOT NULL,
    device VARCHAR(64) NOT NULL,
    method SMALLINT NOT NULL,
    ended_at BIGINT,
    end_reason SMALLINT
);
CREATE UNIQUE INDEX session_token_hash ON session (token_hash);
CREATE INDEX session_operator ON session (operator_id, ended_at, id);

CREATE TABLE sign_in_throttle (
    name VARCHAR(160) PRIMARY KEY,
    failures INTEGER NOT NULL,
    blocked_until BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
) {without_rowid};

CREATE TABLE operator_sign_in (
    id {id},
    operator_id BIGINT,
    username VARCHAR(64) NOT NULL,
    at BIGINT NOT NULL,
    outcome SMALLINT NOT NULL,
    method SMALLINT NOT NULL,
    ip VARCHAR(64) NOT NULL,
    claimed_ip VARCHAR(64) NOT NULL,
    device VARCHAR(64) NOT NULL
);
CREATE INDEX operator_sign_in_at ON operator_sign_in (at, id);
CREATE INDEX operator_sign_in_operator ON operator_sign_in (operator_id, id);

CREATE TABLE client_error (
    id {id},
    at BIGINT NOT NULL,
    operator_name VARCHAR(64) NOT NULL,
    message VARCHAR(1024) NOT NULL,
    component VARCHAR(256) NOT NULL,
    address VARCHAR(1024) NOT NULL,
    stack TEXT NOT NULL,
    browser VARCHAR(256) NOT NULL
);
