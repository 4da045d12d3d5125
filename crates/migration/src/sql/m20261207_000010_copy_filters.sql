-- Copies by board, those that phones live by, and the images of both are counted without a look at all of them.

-- Kept counters by word (see db::kept).
CREATE TABLE kept_word (
    list SMALLINT NOT NULL,
    word VARCHAR(64) NOT NULL,
    cell INTEGER NOT NULL,
    n BIGINT NOT NULL,
    PRIMARY KEY (list, word, cell)
) {without_rowid};

-- Their counters
-- The images of phones, by life, and of copies.
INSERT INTO kept_word (list, word, cell, n) SELECT 24, image, life, COUNT(*) FROM phone WHERE image <> '' GROUP BY image, life;
INSERT INTO kept_word (list, word, cell, n) SELECT 25, image, 0, COUNT(*) FROM backup WHERE image <> '' GROUP BY image;
-- Phones by life, source, whether they were never used, and whether they live by a copy.
DELETE FROM kept_count WHERE list = 23;
INSERT INTO kept_count (list, block, cell, n)
    SELECT 23, block, cell, COUNT(*) FROM (SELECT -1 AS block, life * 16 + source * 2 + CASE WHEN is_blank THEN 1 ELSE 0 END + CASE WHEN kept_id IS NULL THEN 0 ELSE 128 END AS cell FROM phone) AS t GROUP BY 2, 3;
INSERT INTO kept_count (list, block, cell, n)
    SELECT 23, block, cell, COUNT(*) FROM (SELECT -2 - id / 65536 AS block, life * 16 + source * 2 + CASE WHEN is_blank THEN 1 ELSE 0 END + CASE WHEN kept_id IS NULL THEN 0 ELSE 128 END AS cell FROM phone) AS t GROUP BY 2, 3;
INSERT INTO kept_count (list, block, cell, n)
    SELECT 23, block, cell, COUNT(*) FROM (SELECT id / 4096 AS block, life * 16 + source * 2 + CASE WHEN is_blank THEN 1 ELSE 0 END + CASE WHEN kept_id IS NULL THEN 0 ELSE 128 END AS cell FROM phone) AS t GROUP BY 2, 3;

-- Copies by board, node, state, kind, whether they were read back, and whether their phone went on.
DELETE FROM kept_count WHERE list = 22;
INSERT INTO kept_count (list, block, cell, n)
    SELECT 22, block, cell, COUNT(*) FROM (SELECT -1 AS block, CASE board WHEN 'RK_3399' THEN 2 WHEN 'MTK_G90' THEN 3 WHEN 'STARPRO' THEN 4 ELSE 0 END * 134217728
        + node_id % 1048576 * 128 + state * 16 + kind * 4 + CASE WHEN verified_at IS NULL THEN 0 ELSE 2 END + CASE WHEN is_live THEN 1 ELSE 0 END AS cell FROM backup) AS t GROUP BY 2, 3;
INSERT INTO kept_count (list, block, cell, n)
    SELECT 22, block, cell, COUNT(*) FROM (SELECT -2 - id / 65536 AS block, CASE board WHEN 'RK_3399' THEN 2 WHEN 'MTK_G90' THEN 3 WHEN 'STARPRO' THEN 4 ELSE 0 END * 134217728
        + node_id % 1048576 * 128 + state * 16 + kind * 4 + CASE WHEN verified_at IS NULL THEN 0 ELSE 2 END + CASE WHEN is_live THEN 1 ELSE 0 END AS cell FROM backup) AS t GROUP BY 2, 3;
INSERT INTO kept_count (list, block, cell, n)
    SELECT 22, block, cell, COUNT(*) FROM (SELECT id / 4096 AS block, CASE board WHEN 'RK_3399' THEN 2 WHEN 'MTK_G90' THEN 3 WHEN 'STARPRO' THEN 4 ELSE 0 END * 134217728
        + node_id % 1048576 * 128 + state * 16 + kind * 4 + CASE WHEN verified_at IS NULL THEN 0 ELSE 2 END + CASE WHEN is_live THEN 1 ELSE 0 END AS cell FROM backup) AS t GROUP BY 2, 3;
