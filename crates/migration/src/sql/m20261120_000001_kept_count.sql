-- Kept counters (see db::kept).

CREATE TABLE kept_count (
    list SMALLINT NOT NULL,
    block BIGINT NOT NULL,
    cell INTEGER NOT NULL,
    n BIGINT NOT NULL,
    PRIMARY KEY (list, block, cell)
) {without_rowid};
