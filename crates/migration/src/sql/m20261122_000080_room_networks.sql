-- Where the controllers of a room may be.

ALTER TABLE room ADD COLUMN management_nets VARCHAR(400) NOT NULL DEFAULT '';
