-- Whoever wants a phone that is being taken off gets it back where it is, until it lives by its copy.

ALTER TABLE saga ADD COLUMN is_wanted_back BOOLEAN NOT NULL DEFAULT FALSE;
-- The operation that asked for it.
ALTER TABLE saga ADD COLUMN back_for_id BIGINT REFERENCES operation (id) ON DELETE SET NULL;
