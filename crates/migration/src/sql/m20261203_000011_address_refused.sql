-- An address that the console may not connect to is told as that (4), and no longer as one that does not answer. SQLite
-- changes no check of a column that is there.
ALTER TABLE service_address ADD COLUMN became SMALLINT NOT NULL DEFAULT 1 CHECK (became BETWEEN 1 AND 4);
UPDATE service_address SET became = reached;
ALTER TABLE service_address DROP COLUMN reached;
ALTER TABLE service_address RENAME COLUMN became TO reached;
