-- What was found damaged later.

-- No further copy is made in such a repository: it would be made of what is damaged. The next one lies in another.
ALTER TABLE repo ADD COLUMN damaged_at BIGINT;
DROP INDEX repo_phone;
CREATE UNIQUE INDEX repo_phone ON repo (phone_id, node_id) WHERE damaged_at IS NULL;
CREATE INDEX repo_of_phone ON repo (phone_id, id);
CREATE INDEX backup_damaged ON backup (id) WHERE damage <> '';
