-- Room agents, the tokens that let one join, what they found, and the history of metrics.

-- Minutes are written in their own order, so that a minute of a large fleet is one stretch of pages.
CREATE TABLE room_agent (
    id {id},
    room_id BIGINT NOT NULL REFERENCES room (id),
    name VARCHAR(64) NOT NULL,
    credential_hash VARCHAR(64) NOT NULL,
    version VARCHAR(32) NOT NULL,
    address VARCHAR(64) NOT NULL,
    enrolled_at BIGINT NOT NULL,
    connected_at BIGINT,
    disconnected_at BIGINT,
    revoked_at BIGINT,
    revoked_by VARCHAR(64) NOT NULL
);
CREATE UNIQUE INDEX room_agent_credential_hash ON room_agent (credential_hash);
CREATE INDEX room_agent_room ON room_agent (room_id, id);

CREATE TABLE join_token (
    id {id},
    room_id BIGINT NOT NULL REFERENCES room (id),
    token_hash VARCHAR(64) NOT NULL,
    created_by VARCHAR(64) NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT,
    used_by BIGINT REFERENCES room_agent (id),
    revoked_at BIGINT
);
CREATE UNIQUE INDEX join_token_token_hash ON join_token (token_hash);
CREATE INDEX join_token_room ON join_token (room_id, id);

CREATE TABLE finding (
    id {id},
    room_id BIGINT NOT NULL REFERENCES room (id),
    kind SMALLINT NOT NULL,
    card_id BIGINT REFERENCES card (id),
    serial VARCHAR(64) NOT NULL,
    intranet_ip BIGINT NOT NULL,
    adb_port INTEGER NOT NULL,
    manufacturer VARCHAR(64) NOT NULL,
    model VARCHAR(64) NOT NULL,
    board VARCHAR(32) NOT NULL,
    found_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    ignored_at BIGINT,
    ignored_by VARCHAR(64) NOT NULL
);
CREATE UNIQUE INDEX finding_kind ON finding (room_id, kind, serial, intranet_ip, adb_port);
CREATE INDEX finding_card ON finding (card_id);

CREATE TABLE card_minute (
    minute BIGINT NOT NULL,
    host_key BIGINT NOT NULL,
    data {blob} NOT NULL,
    PRIMARY KEY (minute, host_key)
) {without_rowid};

CREATE TABLE place_minute (
    kind SMALLINT NOT NULL,
    minute BIGINT NOT NULL,
    place_id BIGINT NOT NULL,
    data {blob} NOT NULL,
    PRIMARY KEY (kind, minute, place_id)
) {without_rowid};
