-- Storage nodes: where the copies of phones lie.

CREATE TABLE store_node (
    id {id},
    name VARCHAR(48) NOT NULL,
    city VARCHAR(40) NOT NULL,
    driver SMALLINT NOT NULL,
    host VARCHAR(253) NOT NULL,
    port INTEGER CHECK (port BETWEEN 1 AND 65535),
    account VARCHAR(128) NOT NULL,
    -- Sealed; empty where none is set.
    secret TEXT NOT NULL,
    place VARCHAR(256) NOT NULL,
    is_tls BOOLEAN NOT NULL,
    -- SHA-256 of the certificate that is trusted; empty where none is pinned.
    pin VARCHAR(64) NOT NULL,
    latitude_e6 INTEGER,
    longitude_e6 INTEGER,
    capacity_bytes BIGINT NOT NULL CHECK (capacity_bytes > 0),
    used_bytes BIGINT NOT NULL DEFAULT 0,
    partitions SMALLINT NOT NULL CHECK (partitions BETWEEN 1 AND 100),
    has_snapshots BOOLEAN NOT NULL,
    strategy SMALLINT NOT NULL,
    cycle_days SMALLINT NOT NULL CHECK (cycle_days BETWEEN 1 AND 30),
    download_mbit SMALLINT CHECK (download_mbit BETWEEN 1 AND 1000),
    upload_mbit SMALLINT CHECK (upload_mbit BETWEEN 1 AND 1000),
    state SMALLINT NOT NULL,
    checked_at BIGINT,
    trouble VARCHAR(256) NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    CHECK ((latitude_e6 IS NULL) = (longitude_e6 IS NULL))
);
CREATE UNIQUE INDEX store_node_name ON store_node (name);
