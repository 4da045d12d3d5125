-- Calls of the Open API that change something: each is done once, however often it is sent.

-- The nonces of such calls, until a call of the same time would be refused as too old.
CREATE TABLE open_nonce (
    key_id BIGINT NOT NULL,
    nonce VARCHAR(64) NOT NULL,
    ends_at BIGINT NOT NULL,
    PRIMARY KEY (key_id, nonce)
) {without_rowid};
CREATE INDEX open_nonce_ends ON open_nonce (ends_at);

-- What was answered, by the application's own key: written with what was done.
CREATE TABLE open_act (
    -- It outlives the application: what it was answered goes by its age, in steps.
    app_id BIGINT NOT NULL,
    act_key VARCHAR(64) NOT NULL,
    -- SHA-256 over method, path, query and body, in hexadecimal.
    asked VARCHAR(64) NOT NULL,
    -- Of HTTP.
    status SMALLINT NOT NULL,
    -- Why it was refused; empty where it was not.
    code VARCHAR(32) NOT NULL,
    -- The body of the answer.
    answer TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (app_id, act_key)
);
CREATE INDEX open_act_at ON open_act (at);

-- Why somebody closes the account; empty where nobody said.
ALTER TABLE logout_request ADD COLUMN reason VARCHAR(256) NOT NULL DEFAULT '';

-- Whoever closed an account may come back with the same number: only open accounts have it for themselves. The closed ones
-- are found by it all the same.
DROP INDEX client_user_phone;
CREATE UNIQUE INDEX client_user_phone ON client_user (phone) WHERE phone <> '' AND status <> 3;
CREATE INDEX client_user_number ON client_user (phone) WHERE phone <> '';
