-- What the lines of orders asked of phones, and what they were answered: each once, whoever asks again. Neither is ever
-- changed: what was sold was delivered, refused or withdrawn, and stays so.

CREATE TABLE phone_order (
    line_id BIGINT PRIMARY KEY,
    wanted TEXT NOT NULL,
    answer SMALLINT NOT NULL CHECK (answer BETWEEN 1 AND 3),
    why VARCHAR(64) NOT NULL,
    answered_at BIGINT NOT NULL
) {without_rowid};

-- The phones that were made, renewed or enlarged for a line.
CREATE TABLE phone_order_item (
    line_id BIGINT NOT NULL REFERENCES phone_order (line_id),
    phone_id BIGINT NOT NULL REFERENCES phone (id),
    PRIMARY KEY (line_id, phone_id)
) {without_rowid};
CREATE INDEX phone_order_item_of_phone ON phone_order_item (phone_id, line_id);

-- on sqlite
CREATE TRIGGER phone_order_no_update BEFORE UPDATE ON phone_order BEGIN SELECT RAISE(ABORT, 'a line of an order is answered once'); END;
CREATE TRIGGER phone_order_no_delete BEFORE DELETE ON phone_order BEGIN SELECT RAISE(ABORT, 'a line of an order is answered once'); END;
CREATE TRIGGER phone_order_no_replace BEFORE INSERT ON phone_order WHEN EXISTS (SELECT 1 FROM phone_order WHERE line_id = NEW.line_id) BEGIN SELECT RAISE(ABORT, 'a line of an order is answered once'); END;
CREATE TRIGGER phone_order_item_no_update BEFORE UPDATE ON phone_order_item BEGIN SELECT RAISE(ABORT, 'a line of an order is answered once'); END;
CREATE TRIGGER phone_order_item_no_delete BEFORE DELETE ON phone_order_item BEGIN SELECT RAISE(ABORT, 'a line of an order is answered once'); END;
CREATE TRIGGER phone_order_item_no_replace BEFORE INSERT ON phone_order_item WHEN EXISTS (SELECT 1 FROM phone_order_item WHERE line_id = NEW.line_id AND phone_id = NEW.phone_id) BEGIN SELECT RAISE(ABORT, 'a line of an order is answered once'); END;

-- on postgres
CREATE FUNCTION phone_order_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'a line of an order is answered once'; END $$;
CREATE TRIGGER phone_order_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON phone_order FOR EACH STATEMENT EXECUTE FUNCTION phone_order_refuse();
CREATE TRIGGER phone_order_item_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON phone_order_item FOR EACH STATEMENT EXECUTE FUNCTION phone_order_refuse();
