-- What the list of copies is filtered by.

-- The node of its repository, which never moves.
ALTER TABLE backup ADD COLUMN node_id BIGINT NOT NULL DEFAULT 0;
UPDATE backup SET node_id = (SELECT repo.node_id FROM repo WHERE repo.id = backup.repo_id);
CREATE INDEX backup_node ON backup (node_id, id);
CREATE INDEX backup_image ON backup (image, id);
-- Most of them are neither.
CREATE INDEX backup_live ON backup (id) WHERE is_live;
CREATE INDEX backup_unread ON backup (id) WHERE verified_at IS NULL;

-- Their counters: by node, state, kind, whether they were read back, and whether their phone went on meanwhile.
INSERT INTO kept_count (list, block, cell, n)
SELECT 22, -1, node_id * 128 + state * 16 + kind * 4 + CASE WHEN verified_at IS NULL THEN 0 ELSE 2 END + CASE WHEN is_live THEN 1 ELSE 0 END, COUNT(*)
FROM backup GROUP BY 3;
INSERT INTO kept_count (list, block, cell, n)
SELECT 22, id / 4096, node_id * 128 + state * 16 + kind * 4 + CASE WHEN verified_at IS NULL THEN 0 ELSE 2 END + CASE WHEN is_live THEN 1 ELSE 0 END, COUNT(*)
FROM backup GROUP BY 2, 3;
