-- What a phone had on a card that is gone, and of which there is no whole copy. Two operators say so, each by his own name,
-- and only then is a phone that was used as new.

CREATE TABLE loss (
    placement_id BIGINT PRIMARY KEY REFERENCES placement (id),
    phone_id BIGINT NOT NULL REFERENCES phone (id),
    created_by VARCHAR(64) NOT NULL CHECK (created_by <> ''),
    approved_by VARCHAR(64) NOT NULL CHECK (approved_by <> ''),
    reason VARCHAR(256) NOT NULL,
    at BIGINT NOT NULL,
    CHECK (created_by <> approved_by)
) {without_rowid};
CREATE INDEX loss_phone ON loss (phone_id);

-- Phones whose cards are lost, and cards that were lost and whose phones have gone on elsewhere.
CREATE INDEX saga_lost ON saga (kind, id) WHERE kind IN (3, 9) AND state IN (2, 6);
-- Phones of which something waits for a person.
CREATE INDEX saga_held ON saga (phone_id) WHERE state = 6;

-- on sqlite
CREATE TRIGGER loss_no_update BEFORE UPDATE ON loss BEGIN SELECT RAISE(ABORT, 'a loss is recorded once'); END;
CREATE TRIGGER loss_no_delete BEFORE DELETE ON loss BEGIN SELECT RAISE(ABORT, 'a loss is recorded once'); END;
CREATE TRIGGER loss_no_replace BEFORE INSERT ON loss WHEN EXISTS (SELECT 1 FROM loss WHERE placement_id = NEW.placement_id) BEGIN SELECT RAISE(ABORT, 'a loss is recorded once'); END;
DROP TRIGGER phone_once_used;
CREATE TRIGGER phone_once_used BEFORE UPDATE OF is_blank ON phone WHEN NEW.is_blank AND NOT OLD.is_blank AND NOT EXISTS (SELECT 1 FROM loss WHERE phone_id = OLD.id AND placement_id = OLD.holds_id) BEGIN SELECT RAISE(ABORT, 'a phone that was used is blank again only if two operators have recorded its loss'); END;

-- on postgres
CREATE FUNCTION loss_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'a loss is recorded once'; END $$;
CREATE TRIGGER loss_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON loss FOR EACH STATEMENT EXECUTE FUNCTION loss_refuse();
CREATE OR REPLACE FUNCTION phone_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.is_blank AND NOT OLD.is_blank AND NOT EXISTS (SELECT 1 FROM loss WHERE phone_id = OLD.id AND placement_id = OLD.holds_id) THEN RAISE EXCEPTION 'a phone that was used is blank again only if two operators have recorded its loss'; END IF; IF (NEW.life = 6 AND OLD.life NOT IN (5, 6)) OR (OLD.life = 6 AND NEW.life <> 6) THEN RAISE EXCEPTION 'only a released phone is erased, and then for good'; END IF; RETURN NEW; END $$;
