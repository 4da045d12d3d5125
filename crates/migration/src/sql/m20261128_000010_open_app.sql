-- The second door: applications that call the Open API, their keys, and what they called.
--
-- At most two keys of an application live at a time: each has one of two slots, and an index refuses a second in the same.
-- Their secrets are sealed, in the table of secrets.

CREATE TABLE open_app (
    id {id},
    name VARCHAR(48) NOT NULL,
    -- 1 the company, 2 an agent, 3 a partner.
    owner SMALLINT NOT NULL CHECK (owner BETWEEN 1 AND 3),
    owner_name VARCHAR(64) NOT NULL,
    -- Names, with commas between them.
    scopes VARCHAR(256) NOT NULL,
    -- Networks, with spaces between them; empty where any address may call.
    ips TEXT NOT NULL,
    per_second INTEGER NOT NULL CHECK (per_second BETWEEN 1 AND 5000),
    -- Thousands; none where a day has no limit.
    per_day INTEGER CHECK (per_day BETWEEN 1 AND 99999),
    is_enabled BOOLEAN NOT NULL,
    remark VARCHAR(256) NOT NULL,
    calls BIGINT NOT NULL DEFAULT 0,
    -- The day of the last call, in days since the beginning of our era, and the calls of that day.
    day INTEGER NOT NULL DEFAULT 0,
    day_calls BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX open_app_name ON open_app (name);

CREATE TABLE open_key (
    id {id},
    app_id BIGINT NOT NULL REFERENCES open_app (id) ON DELETE CASCADE,
    -- What callers name it by. It is no secret.
    code VARCHAR(32) NOT NULL,
    slot SMALLINT NOT NULL CHECK (slot IN (1, 2)),
    created_at BIGINT NOT NULL,
    created_by VARCHAR(64) NOT NULL,
    -- To the minute.
    last_used_at BIGINT,
    revoked_at BIGINT,
    revoked_by VARCHAR(64) NOT NULL
);
CREATE UNIQUE INDEX open_key_code ON open_key (code);
CREATE UNIQUE INDEX open_key_slot ON open_key (app_id, slot) WHERE revoked_at IS NULL;
CREATE INDEX open_key_app ON open_key (app_id, id);

-- What was called. It outlives the application, and names no row that has to be there.
CREATE TABLE open_call (
    id {id},
    app_id BIGINT NOT NULL,
    key_code VARCHAR(32) NOT NULL,
    method VARCHAR(8) NOT NULL,
    -- As the document has it, with `{id}`.
    path VARCHAR(128) NOT NULL,
    -- Of HTTP.
    status SMALLINT NOT NULL,
    -- Why it was refused; empty where it was not.
    code VARCHAR(32) NOT NULL,
    millis INTEGER NOT NULL,
    ip VARCHAR(64) NOT NULL,
    at BIGINT NOT NULL
);
CREATE INDEX open_call_app ON open_call (app_id, id);
CREATE INDEX open_call_at ON open_call (at, id);

-- Whose it is: the application that brought a customer or a phone; none where the company itself did.
ALTER TABLE client_user ADD COLUMN app_id BIGINT REFERENCES open_app (id);
CREATE INDEX client_user_app ON client_user (app_id, id) WHERE app_id IS NOT NULL;
ALTER TABLE phone ADD COLUMN app_id BIGINT REFERENCES open_app (id);
CREATE INDEX phone_app ON phone (app_id, id) WHERE app_id IS NOT NULL;
