-- A take-off that cannot read its card is held while the phone goes on, and tried again by itself, ever less often.

-- How often it was held.
ALTER TABLE saga ADD COLUMN holds SMALLINT NOT NULL DEFAULT 0;
-- When it is tried again by itself; none if it waits for a person alone, or is not held.
ALTER TABLE saga ADD COLUMN retry_at BIGINT;
-- The last try of a step before it was held: tries up to that one say nothing of those that follow.
ALTER TABLE saga ADD COLUMN held_after BIGINT;

-- Which are due is asked twice a second.
CREATE INDEX saga_leave_held ON saga (retry_at) WHERE kind = 6 AND state = 6;
