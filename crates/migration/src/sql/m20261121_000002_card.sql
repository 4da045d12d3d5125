-- Cards, their models, what happened to them, and where they stood.

-- A retired card keeps its number and its serial; its address is free for another (lifecycle 5).
-- A model's number is part of the cells of kept counters, so there are 2047 at most.
CREATE TABLE card_model (
    id {id} CHECK (id BETWEEN 1 AND 2047),
    manufacturer VARCHAR(64) NOT NULL,
    model VARCHAR(64) NOT NULL,
    board VARCHAR(32) NOT NULL
);
CREATE UNIQUE INDEX card_model_model ON card_model (manufacturer, model, board);

CREATE TABLE card (
    id {id},
    serial VARCHAR(64),
    room_id BIGINT NOT NULL REFERENCES room (id),
    frame_id BIGINT REFERENCES frame (id),
    host_id BIGINT REFERENCES host (id),
    position INTEGER,
    intranet_ip BIGINT NOT NULL,
    adb_port INTEGER NOT NULL CHECK (adb_port BETWEEN 1 AND 65535),
    extranet_ip BIGINT,
    extranet_port INTEGER CHECK (extranet_port BETWEEN 1 AND 65535),
    model_id BIGINT NOT NULL REFERENCES card_model (id),
    size VARCHAR(32) NOT NULL,
    remark VARCHAR(256) NOT NULL,
    lifecycle SMALLINT NOT NULL,
    fault_reason VARCHAR(256) NOT NULL,
    power SMALLINT NOT NULL,
    wanted_power SMALLINT NOT NULL,
    reached SMALLINT NOT NULL,
    tcp_open SMALLINT NOT NULL,
    adb_answers SMALLINT NOT NULL,
    booted SMALLINT NOT NULL,
    booted_ok_at BIGINT,
    occupancy SMALLINT NOT NULL,
    is_upgrading BOOLEAN NOT NULL,
    maintenance SMALLINT NOT NULL,
    maintenance_scope SMALLINT NOT NULL,
    maintenance_reason VARCHAR(256) NOT NULL,
    maintenance_by VARCHAR(64) NOT NULL,
    maintenance_until BIGINT,
    is_assignable BOOLEAN NOT NULL,
    is_overcommit BOOLEAN NOT NULL,
    run_status SMALLINT NOT NULL,
    run_since BIGINT NOT NULL,
    network_status SMALLINT NOT NULL,
    network_since BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    CHECK ((host_id IS NULL) = (position IS NULL)),
    CHECK ((host_id IS NULL) = (frame_id IS NULL)),
    CHECK ((extranet_ip IS NULL) = (extranet_port IS NULL))
);
CREATE UNIQUE INDEX card_serial ON card (serial) WHERE serial IS NOT NULL;
CREATE UNIQUE INDEX card_position ON card (host_id, position) WHERE host_id IS NOT NULL;
CREATE UNIQUE INDEX card_intranet_ip ON card (room_id, intranet_ip, adb_port) WHERE lifecycle <> 5;
CREATE UNIQUE INDEX card_extranet_ip ON card (extranet_ip, extranet_port) WHERE extranet_ip IS NOT NULL AND lifecycle <> 5;
CREATE INDEX card_ip ON card (intranet_ip, id);
CREATE INDEX card_room ON card (room_id, id);
CREATE INDEX card_room_run ON card (room_id, run_status, id);
CREATE INDEX card_frame ON card (frame_id, id);
CREATE INDEX card_run ON card (run_status, id);
CREATE INDEX card_since ON card (run_status, run_since, id);
CREATE INDEX card_network ON card (network_status, id);
CREATE INDEX card_model_id ON card (model_id, id);

CREATE TABLE card_event (
    id {id},
    card_id BIGINT NOT NULL REFERENCES card (id),
    at BIGINT NOT NULL,
    axis SMALLINT NOT NULL,
    from_code SMALLINT NOT NULL,
    to_code SMALLINT NOT NULL,
    reason VARCHAR(256) NOT NULL,
    source SMALLINT NOT NULL,
    by_name VARCHAR(64) NOT NULL
);
CREATE INDEX card_event_card ON card_event (card_id, id);

CREATE TABLE position_history (
    id {id},
    card_id BIGINT NOT NULL REFERENCES card (id),
    host_id BIGINT NOT NULL,
    position INTEGER NOT NULL,
    since BIGINT NOT NULL,
    until BIGINT,
    reason VARCHAR(256) NOT NULL,
    by_name VARCHAR(64) NOT NULL
);
CREATE INDEX position_history_card ON position_history (card_id, id);
CREATE INDEX position_history_host ON position_history (host_id, position, id);

-- on sqlite
CREATE VIRTUAL TABLE card_search USING fts5(text, tokenize = 'trigram', content = '', contentless_delete = 1, detail = full);

-- on postgres
CREATE TABLE card_search (id BIGINT PRIMARY KEY, text TEXT NOT NULL);
CREATE INDEX card_search_text ON card_search USING gin (text gin_trgm_ops);
