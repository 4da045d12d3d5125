-- What works on a card just now: a task of an operation, or a step of what is done to a phone. Whoever begins writes it
-- down, and the key refuses a second one, whichever of the two books it comes from.

CREATE TABLE card_busy (
    card_id BIGINT PRIMARY KEY REFERENCES card (id),
    -- 1 a task of an operation, 2 a step of a phone's.
    book SMALLINT NOT NULL CHECK (book BETWEEN 1 AND 2),
    task_id BIGINT NOT NULL
) {without_rowid};
CREATE UNIQUE INDEX card_busy_task ON card_busy (book, task_id);

INSERT INTO card_busy (card_id, book, task_id)
    SELECT target_id, 1, MIN(id) FROM operation_task WHERE state = 2 AND target = 1 GROUP BY target_id;

-- A task that ends, or goes back to waiting, leaves its card, whichever of the many ways it ends by.

-- on sqlite
CREATE TRIGGER operation_task_leaves AFTER UPDATE OF state ON operation_task WHEN OLD.state = 2 AND NEW.state <> 2 BEGIN DELETE FROM card_busy WHERE book = 1 AND task_id = OLD.id; END;
CREATE TRIGGER operation_task_gone AFTER DELETE ON operation_task WHEN OLD.state = 2 BEGIN DELETE FROM card_busy WHERE book = 1 AND task_id = OLD.id; END;

-- on postgres
CREATE FUNCTION operation_task_leaves() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM card_busy WHERE book = 1 AND task_id = OLD.id; RETURN NULL; END $$;
CREATE TRIGGER operation_task_leaves AFTER UPDATE OF state ON operation_task FOR EACH ROW WHEN (OLD.state = 2 AND NEW.state <> 2) EXECUTE FUNCTION operation_task_leaves();
CREATE TRIGGER operation_task_gone AFTER DELETE ON operation_task FOR EACH ROW WHEN (OLD.state = 2) EXECUTE FUNCTION operation_task_leaves();
