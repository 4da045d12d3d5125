-- Customers connect to their phones: where gateways and services are, who waits for a phone or has it, and the ticket with
-- which a gateway lets them in.

CREATE TABLE service_address (
    id {id},
    -- Unique within its room.
    name VARCHAR(48) NOT NULL,
    -- None where it serves every room.
    room_id BIGINT REFERENCES room (id),
    -- 1 gateway, 2 signalling, 3 download, 4 API.
    kind SMALLINT NOT NULL CHECK (kind BETWEEN 1 AND 4),
    host VARCHAR(128) NOT NULL,
    port INTEGER NOT NULL CHECK (port BETWEEN 1 AND 65535),
    -- Of several, each is drawn as often as its weight says.
    weight INTEGER NOT NULL CHECK (weight BETWEEN 1 AND 100),
    is_enabled BOOLEAN NOT NULL,
    -- 1 nobody has tried, 2 it answered, 3 it did not: when somebody last tried to connect there.
    reached SMALLINT NOT NULL CHECK (reached BETWEEN 1 AND 3),
    checked_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX service_address_name ON service_address (room_id, name);
CREATE UNIQUE INDEX service_address_name_all ON service_address (name) WHERE room_id IS NULL;

-- At most one row a phone and application, however often it connects.
CREATE TABLE connect (
    id {id},
    app_id BIGINT NOT NULL REFERENCES open_app (id) ON DELETE CASCADE,
    phone_id BIGINT NOT NULL REFERENCES phone (id),
    -- What brings the phone to its card, or keeps it there; none where it was there.
    saga_id BIGINT REFERENCES saga (id) ON DELETE SET NULL,
    -- 1 waiting, 2 may connect, 3 connected, 4 over.
    state SMALLINT NOT NULL CHECK (state BETWEEN 1 AND 4),
    -- Why it is over; empty where whoever waited has left.
    code VARCHAR(64) NOT NULL,
    -- SHA-256 of the ticket, in hexadecimal; none once it was used.
    ticket_hash VARCHAR(64),
    until BIGINT,
    -- A ticket is good for this revision of the phone alone.
    endpoint_rev BIGINT NOT NULL,
    asked_at BIGINT NOT NULL,
    granted_at BIGINT,
    connected_at BIGINT,
    ended_at BIGINT,
    CHECK ((state = 4) = (ended_at IS NOT NULL)),
    CHECK (ticket_hash IS NULL OR (state IN (2, 3) AND until IS NOT NULL))
);
CREATE UNIQUE INDEX connect_of ON connect (phone_id, app_id);
CREATE UNIQUE INDEX connect_phone ON connect (phone_id) WHERE state IN (1, 2, 3);
CREATE UNIQUE INDEX connect_ticket ON connect (ticket_hash) WHERE ticket_hash IS NOT NULL;
-- Who waits, and whose ticket nobody has used, is looked for every second.
CREATE INDEX connect_waits ON connect (phone_id) WHERE state = 1;
CREATE INDEX connect_granted ON connect (until) WHERE state = 2;
CREATE INDEX connect_app ON connect (app_id);
CREATE INDEX connect_saga ON connect (saga_id) WHERE saga_id IS NOT NULL;

-- How long put-ons and take-offs of a pool have taken of late.
CREATE INDEX saga_moved ON saga (room_id, board, ended_at) WHERE kind IN (1, 6) AND state = 4;
-- How often somebody has connected to a phone of late.
CREATE INDEX saga_asked ON saga (phone_id, enqueued_at) WHERE kind = 1 AND operation_id IS NULL;
