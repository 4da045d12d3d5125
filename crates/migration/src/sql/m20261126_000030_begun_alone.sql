-- What one operator lets begin alone is not always a task of an operation: reading a copy of a phone back counts as well.

CREATE TABLE operation_begun_now (
    -- 1 a task of an operation, 2 a saga of a phone.
    book SMALLINT NOT NULL CHECK (book BETWEEN 1 AND 2),
    task_id BIGINT NOT NULL,
    operator_id BIGINT NOT NULL,
    room_id BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (book, task_id, operator_id)
) {without_rowid};
INSERT INTO operation_begun_now (book, task_id, operator_id, room_id, at)
    SELECT 1, task_id, operator_id, room_id, at FROM operation_begun;
DROP TABLE operation_begun;
ALTER TABLE operation_begun_now RENAME TO operation_begun;
CREATE INDEX operation_begun_lately ON operation_begun (operator_id, at, room_id);
