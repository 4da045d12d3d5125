-- Limits that an operation has for itself.

ALTER TABLE operation ADD COLUMN per_host INTEGER;
ALTER TABLE operation ADD COLUMN per_frame INTEGER;
ALTER TABLE operation ADD COLUMN per_room INTEGER;
