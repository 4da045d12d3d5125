-- Phones go off their cards: they are copied for it, in the same queue as for a copy alone.

-- What stands for everything that was on the card when the phone was copied.
ALTER TABLE saga ADD COLUMN still VARCHAR(64) NOT NULL DEFAULT '';

DROP INDEX saga_copy_waits;
DROP INDEX saga_copy_runs;
CREATE INDEX saga_copy_waits ON saga (room_id, rank_at, id) WHERE kind IN (2, 6) AND state = 1;
CREATE INDEX saga_copy_runs ON saga (room_id, step) WHERE kind IN (2, 6) AND state IN (2, 3);
-- With which copy a phone has come on a card.
CREATE INDEX saga_stay ON saga (placement_id) WHERE placement_id IS NOT NULL;
