-- A copy with far less than the one before it, which is kept for a while.

ALTER TABLE backup ADD COLUMN is_shrunk BOOLEAN NOT NULL DEFAULT FALSE;
-- Nothing removes it before then.
ALTER TABLE backup ADD COLUMN safe_until BIGINT;
-- A person has seen that the phone has far less than its copy, and it leaves its card all the same.
ALTER TABLE saga ADD COLUMN is_accepted BOOLEAN NOT NULL DEFAULT FALSE;
