-- Cloud phones, where they are, and the copies of them.
--
-- What must never happen, the database refuses by itself, whatever a program does:
--   two phones on one card, one phone on two cards: the two partial indexes of `placement`;
--   a phone that is off without a verified full copy: a CHECK of `phone`, and `phone_kept`;
--   the loss of the copy a phone lives by: `phone_kept` refers to it in a state that is a constant of the row, so that
--   it can be neither deleted nor set to another state;
--   "on" without a card, or a card without "on": a CHECK of `phone`, and `phone_holds`.
-- None of them is deferred, but while a backup is restored (`db::sql::defer_references`): a transaction that breaks one fails at its own statement and not at the commit that it
-- shares with others (`db::lane`). Whoever moves a phone from card to card therefore takes it off in between, within
-- the transaction.

CREATE TABLE phone (
    id {id},
    code VARCHAR(16) NOT NULL,
    name VARCHAR(48) NOT NULL,
    user_id BIGINT NOT NULL REFERENCES client_user (id),
    plan SMALLINT NOT NULL,
    room_id BIGINT NOT NULL REFERENCES room (id),
    life SMALLINT NOT NULL CHECK (life BETWEEN 1 AND 6),
    use_type SMALLINT NOT NULL CHECK (use_type IN (1, 2)),
    -- It was never on a card, so that there is nothing to lose.
    is_blank BOOLEAN NOT NULL,
    kept_id BIGINT,
    kept_state SMALLINT NOT NULL DEFAULT 4 CHECK (kept_state = 4),
    kept_kind SMALLINT NOT NULL DEFAULT 1 CHECK (kept_kind = 1),
    holds_id BIGINT,
    holds_role SMALLINT NOT NULL DEFAULT 2 CHECK (holds_role = 2),
    -- Tickets of another revision are dead.
    endpoint_rev BIGINT NOT NULL,
    disk_gb INTEGER NOT NULL CHECK (disk_gb BETWEEN 1 AND 9999),
    used_bytes BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    image VARCHAR(64) NOT NULL,
    source SMALLINT NOT NULL,
    frozen_reason VARCHAR(256) NOT NULL,
    -- Until when a released phone can be had back.
    stays_until BIGINT,
    last_used_at BIGINT,
    last_backup_at BIGINT,
    remark VARCHAR(256) NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    CHECK (use_type = 1 OR is_blank OR life = 6 OR kept_id IS NOT NULL),
    CHECK ((use_type = 1) = (holds_id IS NOT NULL)),
    CHECK ((life = 5) = (stays_until IS NOT NULL))
-- on sqlite
    , CONSTRAINT phone_kept FOREIGN KEY (kept_id, id, kept_state, kept_kind) REFERENCES backup (id, phone_id, state, kind)
    , CONSTRAINT phone_holds FOREIGN KEY (holds_id, id, holds_role) REFERENCES placement (id, phone_id, role)
);
-- on postgres
);

-- on sqlite
CREATE TRIGGER phone_once_used BEFORE UPDATE OF is_blank ON phone WHEN NEW.is_blank AND NOT OLD.is_blank BEGIN SELECT RAISE(ABORT, 'a phone that was used is not blank again'); END;
CREATE TRIGGER phone_erased BEFORE UPDATE OF life ON phone WHEN (NEW.life = 6 AND OLD.life NOT IN (5, 6)) OR (OLD.life = 6 AND NEW.life <> 6) BEGIN SELECT RAISE(ABORT, 'only a released phone is erased, and then for good'); END;

-- on postgres
CREATE FUNCTION phone_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.is_blank AND NOT OLD.is_blank THEN RAISE EXCEPTION 'a phone that was used is not blank again'; END IF; IF (NEW.life = 6 AND OLD.life NOT IN (5, 6)) OR (OLD.life = 6 AND NEW.life <> 6) THEN RAISE EXCEPTION 'only a released phone is erased, and then for good'; END IF; RETURN NEW; END $$;
CREATE TRIGGER phone_refuse BEFORE UPDATE ON phone FOR EACH ROW EXECUTE FUNCTION phone_refuse();

-- on sqlite
CREATE VIRTUAL TABLE phone_search USING fts5(text, tokenize = 'trigram', content = '', contentless_delete = 1, detail = full);

-- on postgres
CREATE TABLE phone_search (id BIGINT PRIMARY KEY, text TEXT NOT NULL);
CREATE INDEX phone_search_text ON phone_search USING gin (text gin_trgm_ops);

-- on both
CREATE UNIQUE INDEX phone_code ON phone (code);
CREATE INDEX phone_user ON phone (user_id, id);
CREATE INDEX phone_room ON phone (room_id, life, use_type, id);
CREATE INDEX phone_life ON phone (life, use_type, id);
CREATE INDEX phone_plan ON phone (plan, id);
CREATE INDEX phone_expires ON phone (expires_at, id);
CREATE INDEX phone_last_used ON phone (last_used_at, id);
CREATE INDEX phone_stays ON phone (stays_until) WHERE stays_until IS NOT NULL;

CREATE TABLE placement (
    id {id},
    phone_id BIGINT NOT NULL REFERENCES phone (id),
    card_id BIGINT NOT NULL REFERENCES card (id),
    role SMALLINT NOT NULL CHECK (role BETWEEN 0 AND 3),
    -- The card was lost while it held the phone: it is copied before it is wiped, if it comes back.
    is_quarantined BOOLEAN NOT NULL,
    began_at BIGINT NOT NULL,
    ended_at BIGINT,
    CHECK ((role = 0) = (ended_at IS NOT NULL))
);
CREATE UNIQUE INDEX placement_holder ON placement (id, phone_id, role);
CREATE UNIQUE INDEX placement_card ON placement (card_id) WHERE role > 0;
CREATE UNIQUE INDEX placement_phone ON placement (phone_id, role) WHERE role IN (1, 2);
CREATE INDEX placement_of ON placement (phone_id, id);
CREATE INDEX placement_on ON placement (card_id, id);

CREATE TABLE repo (
    id {id},
    phone_id BIGINT NOT NULL REFERENCES phone (id),
    node_id BIGINT NOT NULL REFERENCES store_node (id),
    folder VARCHAR(64) NOT NULL,
    -- The key of the repository, sealed.
    secret TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX repo_phone ON repo (phone_id, node_id);
CREATE UNIQUE INDEX repo_folder ON repo (node_id, folder);

CREATE TABLE backup (
    id {id},
    phone_id BIGINT NOT NULL REFERENCES phone (id),
    repo_id BIGINT NOT NULL REFERENCES repo (id),
    snapshot VARCHAR(64) NOT NULL,
    kind SMALLINT NOT NULL CHECK (kind BETWEEN 1 AND 3),
    parent_id BIGINT REFERENCES backup (id) ON DELETE SET NULL,
    card_id BIGINT NOT NULL REFERENCES card (id),
    image VARCHAR(64) NOT NULL,
    board VARCHAR(32) NOT NULL,
    state SMALLINT NOT NULL CHECK (state BETWEEN 1 AND 7),
    -- Found damaged, and how; a damaged copy beats none.
    damage VARCHAR(256) NOT NULL,
    -- Taken from a running phone: never a reason to wipe its card.
    is_live BOOLEAN NOT NULL,
    files BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    added_bytes BIGINT NOT NULL,
    manifest TEXT NOT NULL,
    code VARCHAR(64) NOT NULL,
    restores INTEGER NOT NULL,
    millis BIGINT NOT NULL,
    began_at BIGINT NOT NULL,
    verified_at BIGINT
);
CREATE UNIQUE INDEX backup_kept ON backup (id, phone_id, state, kind);
CREATE INDEX backup_phone ON backup (phone_id, id);
CREATE INDEX backup_state ON backup (state, id);
CREATE INDEX backup_repo ON backup (repo_id, id);
CREATE INDEX backup_card ON backup (card_id, id);

-- on postgres
ALTER TABLE phone ADD CONSTRAINT phone_kept FOREIGN KEY (kept_id, id, kept_state, kept_kind) REFERENCES backup (id, phone_id, state, kind) DEFERRABLE INITIALLY IMMEDIATE;
ALTER TABLE phone ADD CONSTRAINT phone_holds FOREIGN KEY (holds_id, id, holds_role) REFERENCES placement (id, phone_id, role) DEFERRABLE INITIALLY IMMEDIATE;
