-- Client users, their records, and their requests to close an account.

CREATE TABLE client_user (
    id {id},
    name VARCHAR(64) NOT NULL,
    phone VARCHAR(16) NOT NULL,
    email VARCHAR(64) NOT NULL,
    ident_code VARCHAR(32) NOT NULL,
    login_method SMALLINT NOT NULL,
    device_name VARCHAR(64) NOT NULL,
    register_ip VARCHAR(64) NOT NULL,
    client_type SMALLINT NOT NULL,
    client_version VARCHAR(32) NOT NULL,
    status SMALLINT NOT NULL,
    star_coins BIGINT NOT NULL DEFAULT 0,
    phone_count INTEGER NOT NULL DEFAULT 0,
    remark VARCHAR(256) NOT NULL,
    registered_at BIGINT NOT NULL,
    last_login_at BIGINT,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX client_user_ident_code ON client_user (ident_code);
CREATE UNIQUE INDEX client_user_phone ON client_user (phone) WHERE phone <> '';
CREATE INDEX client_user_status ON client_user (status, login_method, id);
CREATE INDEX client_user_method ON client_user (login_method, id);
CREATE INDEX client_user_registered ON client_user (registered_at, id);
CREATE INDEX client_user_name ON client_user (name, id);
CREATE INDEX client_user_last_login ON client_user (last_login_at, id);

CREATE TABLE client_user_record (
    id {id},
    user_id BIGINT NOT NULL REFERENCES client_user (id),
    kind SMALLINT NOT NULL,
    at BIGINT NOT NULL,
    ip VARCHAR(64) NOT NULL,
    device_name VARCHAR(64) NOT NULL,
    client_type SMALLINT NOT NULL,
    client_version VARCHAR(32) NOT NULL,
    login_method SMALLINT NOT NULL
);
CREATE INDEX client_user_record_user ON client_user_record (user_id, id);
CREATE INDEX client_user_record_at ON client_user_record (at, id);
CREATE INDEX client_user_record_kind ON client_user_record (kind, at, id);

CREATE TABLE logout_request (
    id {id},
    user_id BIGINT NOT NULL REFERENCES client_user (id),
    requested_at BIGINT NOT NULL,
    status SMALLINT NOT NULL,
    handled_at BIGINT,
    handled_by VARCHAR(64) NOT NULL DEFAULT '',
    re_registered BOOLEAN NOT NULL DEFAULT FALSE,
    re_registered_at BIGINT
);
CREATE INDEX logout_request_status ON logout_request (status, id);
CREATE INDEX logout_request_user ON logout_request (user_id, id);
CREATE UNIQUE INDEX logout_request_open ON logout_request (user_id) WHERE status = 1;

CREATE TABLE import_file (
    id VARCHAR(36) PRIMARY KEY,
    kind VARCHAR(32) NOT NULL,
    file_name VARCHAR(256) NOT NULL,
    object_key VARCHAR(128) NOT NULL,
    total_rows INTEGER NOT NULL,
    bad_rows INTEGER NOT NULL,
    created_by BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    started_at BIGINT
) {without_rowid};

-- on sqlite
-- The row's id is the document's; `contentless_delete` lets a changed row be indexed anew.
CREATE VIRTUAL TABLE client_user_search USING fts5(text, tokenize = 'trigram', content = '', contentless_delete = 1, detail = full);

-- on postgres
-- `pg_trgm` is a trusted extension since PostgreSQL 13: the owner of the database may create it.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE TABLE client_user_search (id BIGINT PRIMARY KEY, text TEXT NOT NULL);
CREATE INDEX client_user_search_text ON client_user_search USING gin (text gin_trgm_ops);
