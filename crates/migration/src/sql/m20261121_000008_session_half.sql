-- The second half of a session.

ALTER TABLE session ADD COLUMN half_hash {blob};
ALTER TABLE session ADD COLUMN is_bound BOOLEAN NOT NULL DEFAULT FALSE;
