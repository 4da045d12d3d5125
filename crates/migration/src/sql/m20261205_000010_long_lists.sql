-- Lists of a million rows: deep pages, wide filters, and every order.

-- Runs of blocks (see db::kept): a deep page is looked for among these first. The lists left out have no blocks.
INSERT INTO kept_count (list, block, cell, n)
    SELECT list, -2 - block / 16, cell, CAST(SUM(n) AS BIGINT) FROM kept_count
    WHERE block >= 0 AND list NOT IN (3, 4) GROUP BY 1, 2, 3;

-- Phones by life, source and whether they were never used.
INSERT INTO kept_count (list, block, cell, n)
    SELECT 23, -1, life * 16 + source * 2 + CASE WHEN is_blank THEN 1 ELSE 0 END, COUNT(*) FROM phone GROUP BY 3;
INSERT INTO kept_count (list, block, cell, n)
    SELECT 23, -2 - id / 65536, life * 16 + source * 2 + CASE WHEN is_blank THEN 1 ELSE 0 END, COUNT(*) FROM phone GROUP BY 2, 3;
INSERT INTO kept_count (list, block, cell, n)
    SELECT 23, id / 4096, life * 16 + source * 2 + CASE WHEN is_blank THEN 1 ELSE 0 END, COUNT(*) FROM phone GROUP BY 2, 3;

CREATE INDEX phone_by_disk ON phone (disk_gb, id);
CREATE INDEX phone_by_use ON phone (used_bytes, id);
CREATE INDEX phone_last_backup ON phone (last_backup_at, id);

-- And copies.
CREATE INDEX backup_by_bytes ON backup (bytes, id);
CREATE INDEX backup_by_added ON backup (added_bytes, id);
CREATE INDEX backup_by_files ON backup (files, id);
CREATE INDEX backup_by_millis ON backup (millis, id);
CREATE INDEX backup_verified ON backup (verified_at, id);
-- A copy that refers to its parent is looked for at each new one while references wait for the end of a restore.
CREATE INDEX backup_parent ON backup (parent_id) WHERE parent_id IS NOT NULL;

-- on postgres
-- Those who have no value come last, whichever way: the index of the other way has them first.
CREATE INDEX phone_last_used_down ON phone (last_used_at DESC NULLS LAST, id DESC);
CREATE INDEX phone_last_backup_down ON phone (last_backup_at DESC NULLS LAST, id DESC);
CREATE INDEX backup_verified_down ON backup (verified_at DESC NULLS LAST, id DESC);
CREATE INDEX client_user_last_login_down ON client_user (last_login_at DESC NULLS LAST, id DESC);
CREATE INDEX card_by_serial_down ON card (serial DESC NULLS LAST, id DESC);
