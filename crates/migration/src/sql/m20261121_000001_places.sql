-- Rooms, frames and hosts: where cards stand.

-- A room's number is part of the cells of kept counters, so there are 1023 at most.
CREATE TABLE room (
    id {id} CHECK (id BETWEEN 1 AND 1023),
    name VARCHAR(64) NOT NULL,
    city VARCHAR(64) NOT NULL,
    latitude_e6 INTEGER CHECK (latitude_e6 BETWEEN -90000000 AND 90000000),
    longitude_e6 INTEGER CHECK (longitude_e6 BETWEEN -180000000 AND 180000000),
    remark VARCHAR(256) NOT NULL,
    maintenance SMALLINT NOT NULL,
    maintenance_reason VARCHAR(256) NOT NULL,
    maintenance_by VARCHAR(64) NOT NULL,
    maintenance_until BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX room_name ON room (name);

CREATE TABLE room_line (
    id {id},
    room_id BIGINT NOT NULL REFERENCES room (id) ON DELETE CASCADE,
    carrier SMALLINT NOT NULL,
    name VARCHAR(64) NOT NULL,
    mbit INTEGER NOT NULL CHECK (mbit BETWEEN 1 AND 1000000),
    contact VARCHAR(64) NOT NULL
);
CREATE UNIQUE INDEX room_line_name ON room_line (room_id, name);

CREATE TABLE frame (
    id {id},
    room_id BIGINT NOT NULL REFERENCES room (id),
    name VARCHAR(64) NOT NULL,
    location VARCHAR(64) NOT NULL,
    slots INTEGER NOT NULL CHECK (slots BETWEEN 1 AND 100),
    remark VARCHAR(256) NOT NULL,
    maintenance SMALLINT NOT NULL,
    maintenance_reason VARCHAR(256) NOT NULL,
    maintenance_by VARCHAR(64) NOT NULL,
    maintenance_until BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX frame_name ON frame (room_id, name);

CREATE TABLE host (
    id {id},
    room_id BIGINT NOT NULL REFERENCES room (id),
    frame_id BIGINT NOT NULL REFERENCES frame (id),
    slot INTEGER NOT NULL CHECK (slot BETWEEN 1 AND 100),
    name VARCHAR(64) NOT NULL,
    blade_address BIGINT,
    positions INTEGER NOT NULL CHECK (positions BETWEEN 1 AND 256),
    remark VARCHAR(256) NOT NULL,
    maintenance SMALLINT NOT NULL,
    maintenance_reason VARCHAR(256) NOT NULL,
    maintenance_by VARCHAR(64) NOT NULL,
    maintenance_until BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX host_slot ON host (frame_id, slot);
CREATE UNIQUE INDEX host_blade_address ON host (room_id, blade_address) WHERE blade_address IS NOT NULL;
CREATE INDEX host_room ON host (room_id, id);
