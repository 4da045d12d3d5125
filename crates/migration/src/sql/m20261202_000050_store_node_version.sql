-- Two who change the same storage node: the second one is told.
ALTER TABLE store_node ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
