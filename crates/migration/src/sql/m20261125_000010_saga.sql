-- What is done to a phone, step by step, on cards and in storage. A saga's row is the truth: whoever dies in between,
-- what comes next follows from it.

CREATE TABLE saga (
    id {id},
    -- 1 put on, 3 clear a card, 8 restart.
    kind SMALLINT NOT NULL CHECK (kind BETWEEN 1 AND 9),
    phone_id BIGINT NOT NULL REFERENCES phone (id),
    -- Nothing else may be done to the phone meanwhile.
    locks_phone BOOLEAN NOT NULL,
    placement_id BIGINT REFERENCES placement (id),
    room_id BIGINT NOT NULL REFERENCES room (id),
    board VARCHAR(32) NOT NULL,
    -- The operation whose task it is.
    operation_id BIGINT REFERENCES operation (id) ON DELETE SET NULL,
    created_by VARCHAR(64) NOT NULL,
    enqueued_at BIGINT NOT NULL,
    -- Whose turn it is: the smallest first.
    rank_at BIGINT NOT NULL,
    -- The step that is being done, or comes next.
    step SMALLINT NOT NULL,
    -- 1 waiting, 2 running, 3 going back, 4 done, 5 failed, 6 held, 7 cancelled.
    state SMALLINT NOT NULL CHECK (state BETWEEN 1 AND 7),
    -- Cards on which it did not go.
    cards SMALLINT NOT NULL,
    code VARCHAR(64) NOT NULL,
    ended_at BIGINT,
    CHECK ((state IN (4, 5, 7)) = (ended_at IS NOT NULL))
);
CREATE UNIQUE INDEX saga_phone ON saga (phone_id) WHERE locks_phone AND state IN (1, 2, 3, 6);
CREATE INDEX saga_queue ON saga (room_id, board, rank_at, id) WHERE state = 1;
CREATE INDEX saga_open ON saga (state, id) WHERE state IN (1, 2, 3, 6);
CREATE INDEX saga_of ON saga (phone_id, id);
CREATE INDEX saga_operation ON saga (operation_id, phone_id) WHERE operation_id IS NOT NULL;

-- Each try of each step that an agent does.
CREATE TABLE saga_step (
    id {id},
    saga_id BIGINT NOT NULL REFERENCES saga (id),
    name SMALLINT NOT NULL,
    attempt INTEGER NOT NULL,
    card_id BIGINT NOT NULL REFERENCES card (id),
    room_id BIGINT NOT NULL REFERENCES room (id),
    agent_id BIGINT REFERENCES room_agent (id),
    -- 1 waiting, 2 with an agent, 3 done, 4 failed, 5 never done.
    state SMALLINT NOT NULL CHECK (state BETWEEN 1 AND 5),
    -- 1 never began, 2 proved, 3 unknown.
    effect SMALLINT,
    code VARCHAR(64) NOT NULL,
    reason VARCHAR(256) NOT NULL,
    -- Of the steady clock: not handed out before; given up when its agent is gone for so long.
    not_before BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    began_at BIGINT,
    ended_at BIGINT
);
CREATE UNIQUE INDEX saga_step_try ON saga_step (saga_id, name, attempt);
CREATE INDEX saga_step_waits ON saga_step (room_id, id) WHERE state = 1;
CREATE INDEX saga_step_runs ON saga_step (agent_id, id) WHERE state = 2;
CREATE INDEX saga_step_card ON saga_step (card_id, id);

-- A step that ends, or goes back to waiting, leaves its card, whichever of the many ways it ends by.

-- on sqlite
CREATE TRIGGER saga_step_leaves AFTER UPDATE OF state ON saga_step WHEN OLD.state = 2 AND NEW.state <> 2 BEGIN DELETE FROM card_busy WHERE book = 2 AND task_id = OLD.id; END;

-- on postgres
CREATE FUNCTION saga_step_leaves() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM card_busy WHERE book = 2 AND task_id = OLD.id; RETURN NULL; END $$;
CREATE TRIGGER saga_step_leaves AFTER UPDATE OF state ON saga_step FOR EACH ROW WHEN (OLD.state = 2 AND NEW.state <> 2) EXECUTE FUNCTION saga_step_leaves();
