-- Webhooks: what applications of the Open API are told by themselves, and what became of it.

-- Where an application is told, and of what. What receivers verify with is sealed, in the table of secrets.
CREATE TABLE webhook (
    app_id BIGINT PRIMARY KEY REFERENCES open_app (id) ON DELETE CASCADE,
    url VARCHAR(512) NOT NULL,
    -- A bit for each event that is told: that of its number.
    events BIGINT NOT NULL,
    -- What receivers name the secret by; empty where there is none.
    key_code VARCHAR(32) NOT NULL,
    is_enabled BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    CHECK (NOT is_enabled OR (url <> '' AND key_code <> ''))
) {without_rowid};

-- One event on its way to one application: written with what happened (`base::outbox`). It outlives the application, and names
-- no row that has to be there.
CREATE TABLE webhook_delivery (
    id {id},
    app_id BIGINT NOT NULL,
    -- The same whenever it is sent: receivers know by it what they have had.
    event_id VARCHAR(32) NOT NULL,
    kind SMALLINT NOT NULL,
    -- What it is about: of one thing, what happened first is told first.
    object VARCHAR(32) NOT NULL,
    -- What people call that.
    subject VARCHAR(64) NOT NULL,
    -- The body, letter by letter.
    payload TEXT NOT NULL,
    -- 1 pending, 2 delivered, 3 waits for a person.
    state SMALLINT NOT NULL CHECK (state BETWEEN 1 AND 3),
    tries SMALLINT NOT NULL,
    -- When it is sent, if it is pending; none while something earlier about the same thing is.
    next_at BIGINT,
    -- Of HTTP, of the last try; none where nobody answered.
    status SMALLINT,
    -- Why the last try was none; none where it was one.
    failure SMALLINT,
    -- The beginning of what was answered.
    answer VARCHAR(1024) NOT NULL,
    millis INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    tried_at BIGINT,
    delivered_at BIGINT,
    CHECK (state = 1 OR next_at IS NULL),
    CHECK ((state = 2) = (delivered_at IS NOT NULL))
);
CREATE INDEX webhook_delivery_due ON webhook_delivery (app_id, next_at, id) WHERE state = 1;
CREATE INDEX webhook_delivery_behind ON webhook_delivery (app_id, object, id) WHERE state = 1;
CREATE INDEX webhook_delivery_app ON webhook_delivery (app_id, id);
CREATE INDEX webhook_delivery_created ON webhook_delivery (created_at, id);

-- Of which expiry the user of a phone was told. One row a phone.
CREATE TABLE expiry_notice (
    phone_id BIGINT PRIMARY KEY REFERENCES phone (id),
    expires_at BIGINT NOT NULL,
    at BIGINT NOT NULL
) {without_rowid};
