-- Cards that are not retired are counted by themselves.

-- List 2 holds all cards; bits 7 to 9 of its cells are the lifecycle, 5 is a retired card.
INSERT INTO kept_count (list, block, cell, n)
    SELECT 5, block, 0, CAST(SUM(n) AS BIGINT) FROM kept_count WHERE list = 2 AND ((cell >> 7) & 7) <> 5 GROUP BY block;
