-- Address plans and BMC mappings. Ranges of one room never overlap: the database itself refuses it.

-- `span` is how many cards a plan holds; each side has one address or port, or as many as cards.
CREATE TABLE address_plan (
    id {id},
    room_id BIGINT NOT NULL REFERENCES room (id),
    name VARCHAR(64) NOT NULL,
    span INTEGER NOT NULL CHECK (span BETWEEN 1 AND 65536),
    start_ip BIGINT NOT NULL,
    end_ip BIGINT NOT NULL,
    start_port INTEGER NOT NULL,
    end_port INTEGER NOT NULL,
    extranet_start_ip BIGINT NOT NULL,
    extranet_end_ip BIGINT NOT NULL,
    extranet_start_port INTEGER NOT NULL,
    extranet_end_port INTEGER NOT NULL,
    remark VARCHAR(256) NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    CHECK (end_ip - start_ip + 1 IN (1, span)),
    CHECK (end_port - start_port + 1 IN (1, span)),
    CHECK (end_ip - start_ip + 1 = span OR end_port - start_port + 1 = span),
    CHECK (extranet_end_ip - extranet_start_ip + 1 IN (1, span)),
    CHECK (extranet_end_port - extranet_start_port + 1 IN (1, span)),
    CHECK (extranet_end_ip - extranet_start_ip + 1 = span OR extranet_end_port - extranet_start_port + 1 = span)
);
CREATE UNIQUE INDEX address_plan_name ON address_plan (room_id, name);

CREATE TABLE bmc (
    id {id},
    room_id BIGINT NOT NULL REFERENCES room (id),
    host_id BIGINT REFERENCES host (id),
    address BIGINT NOT NULL,
    port INTEGER NOT NULL CHECK (port BETWEEN 1 AND 65535),
    username VARCHAR(64) NOT NULL,
    certificate VARCHAR(64) NOT NULL,
    remark VARCHAR(256) NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX bmc_address ON bmc (room_id, address, port);
CREATE INDEX bmc_host ON bmc (host_id);

CREATE TABLE bmc_range (
    id {id},
    bmc_id BIGINT NOT NULL REFERENCES bmc (id) ON DELETE CASCADE,
    room_id BIGINT NOT NULL REFERENCES room (id),
    start_slot INTEGER NOT NULL CHECK (start_slot >= 0),
    end_slot INTEGER NOT NULL,
    start_ip BIGINT NOT NULL,
    end_ip BIGINT NOT NULL,
    CHECK (end_slot >= start_slot),
    CHECK (end_slot - start_slot = end_ip - start_ip)
);
CREATE INDEX bmc_range_bmc ON bmc_range (bmc_id, start_slot);
CREATE INDEX bmc_range_room ON bmc_range (room_id, start_ip);

-- on sqlite
-- No other row may be in the way.
CREATE TRIGGER address_plan_intranet_insert BEFORE INSERT ON address_plan WHEN EXISTS (SELECT 1 FROM address_plan o WHERE o.room_id = NEW.room_id AND o.start_ip <= NEW.end_ip AND o.end_ip >= NEW.start_ip AND o.start_port <= NEW.end_port AND o.end_port >= NEW.start_port) BEGIN SELECT RAISE(ABORT, 'ranges overlap'); END;
CREATE TRIGGER address_plan_intranet_update BEFORE UPDATE ON address_plan WHEN EXISTS (SELECT 1 FROM address_plan o WHERE o.room_id = NEW.room_id AND o.start_ip <= NEW.end_ip AND o.end_ip >= NEW.start_ip AND o.start_port <= NEW.end_port AND o.end_port >= NEW.start_port AND o.id <> OLD.id) BEGIN SELECT RAISE(ABORT, 'ranges overlap'); END;
CREATE TRIGGER address_plan_extranet_insert BEFORE INSERT ON address_plan WHEN EXISTS (SELECT 1 FROM address_plan o WHERE o.extranet_start_ip <= NEW.extranet_end_ip AND o.extranet_end_ip >= NEW.extranet_start_ip AND o.extranet_start_port <= NEW.extranet_end_port AND o.extranet_end_port >= NEW.extranet_start_port) BEGIN SELECT RAISE(ABORT, 'ranges overlap'); END;
CREATE TRIGGER address_plan_extranet_update BEFORE UPDATE ON address_plan WHEN EXISTS (SELECT 1 FROM address_plan o WHERE o.extranet_start_ip <= NEW.extranet_end_ip AND o.extranet_end_ip >= NEW.extranet_start_ip AND o.extranet_start_port <= NEW.extranet_end_port AND o.extranet_end_port >= NEW.extranet_start_port AND o.id <> OLD.id) BEGIN SELECT RAISE(ABORT, 'ranges overlap'); END;
CREATE TRIGGER bmc_range_slot_insert BEFORE INSERT ON bmc_range WHEN EXISTS (SELECT 1 FROM bmc_range o WHERE o.bmc_id = NEW.bmc_id AND o.start_slot <= NEW.end_slot AND o.end_slot >= NEW.start_slot) BEGIN SELECT RAISE(ABORT, 'ranges overlap'); END;
CREATE TRIGGER bmc_range_slot_update BEFORE UPDATE ON bmc_range WHEN EXISTS (SELECT 1 FROM bmc_range o WHERE o.bmc_id = NEW.bmc_id AND o.start_slot <= NEW.end_slot AND o.end_slot >= NEW.start_slot AND o.id <> OLD.id) BEGIN SELECT RAISE(ABORT, 'ranges overlap'); END;
CREATE TRIGGER bmc_range_card_insert BEFORE INSERT ON bmc_range WHEN EXISTS (SELECT 1 FROM bmc_range o WHERE o.room_id = NEW.room_id AND o.start_ip <= NEW.end_ip AND o.end_ip >= NEW.start_ip) BEGIN SELECT RAISE(ABORT, 'ranges overlap'); END;
CREATE TRIGGER bmc_range_card_update BEFORE UPDATE ON bmc_range WHEN EXISTS (SELECT 1 FROM bmc_range o WHERE o.room_id = NEW.room_id AND o.start_ip <= NEW.end_ip AND o.end_ip >= NEW.start_ip AND o.id <> OLD.id) BEGIN SELECT RAISE(ABORT, 'ranges overlap'); END;

-- on postgres
-- The same.
CREATE FUNCTION address_plan_intranet() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF EXISTS (SELECT 1 FROM address_plan o WHERE o.room_id = NEW.room_id AND o.start_ip <= NEW.end_ip AND o.end_ip >= NEW.start_ip AND o.start_port <= NEW.end_port AND o.end_port >= NEW.start_port AND o.id <> NEW.id) THEN RAISE EXCEPTION 'ranges overlap'; END IF; RETURN NEW; END $$;
CREATE TRIGGER address_plan_intranet BEFORE INSERT OR UPDATE ON address_plan FOR EACH ROW EXECUTE FUNCTION address_plan_intranet();
CREATE FUNCTION address_plan_extranet() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF EXISTS (SELECT 1 FROM address_plan o WHERE o.extranet_start_ip <= NEW.extranet_end_ip AND o.extranet_end_ip >= NEW.extranet_start_ip AND o.extranet_start_port <= NEW.extranet_end_port AND o.extranet_end_port >= NEW.extranet_start_port AND o.id <> NEW.id) THEN RAISE EXCEPTION 'ranges overlap'; END IF; RETURN NEW; END $$;
CREATE TRIGGER address_plan_extranet BEFORE INSERT OR UPDATE ON address_plan FOR EACH ROW EXECUTE FUNCTION address_plan_extranet();
CREATE FUNCTION bmc_range_slot() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF EXISTS (SELECT 1 FROM bmc_range o WHERE o.bmc_id = NEW.bmc_id AND o.start_slot <= NEW.end_slot AND o.end_slot >= NEW.start_slot AND o.id <> NEW.id) THEN RAISE EXCEPTION 'ranges overlap'; END IF; RETURN NEW; END $$;
CREATE TRIGGER bmc_range_slot BEFORE INSERT OR UPDATE ON bmc_range FOR EACH ROW EXECUTE FUNCTION bmc_range_slot();
CREATE FUNCTION bmc_range_card() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF EXISTS (SELECT 1 FROM bmc_range o WHERE o.room_id = NEW.room_id AND o.start_ip <= NEW.end_ip AND o.end_ip >= NEW.start_ip AND o.id <> NEW.id) THEN RAISE EXCEPTION 'ranges overlap'; END IF; RETURN NEW; END $$;
CREATE TRIGGER bmc_range_card BEFORE INSERT OR UPDATE ON bmc_range FOR EACH ROW EXECUTE FUNCTION bmc_range_card();
