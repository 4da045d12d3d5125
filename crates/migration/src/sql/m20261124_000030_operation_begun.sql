-- Who let which tasks begin alone, and when: what one operator may do without a second one is counted by it. Whoever
-- resumes an operation or retries its tasks is the one who lets them begin from then on.

ALTER TABLE operation ADD COLUMN resumed_by_id BIGINT;
ALTER TABLE operation_task ADD COLUMN retried_by_id BIGINT;
CREATE TABLE operation_begun (
    task_id BIGINT NOT NULL REFERENCES operation_task (id) ON DELETE CASCADE,
    operator_id BIGINT NOT NULL,
    room_id BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (task_id, operator_id)
) {without_rowid};
CREATE INDEX operation_begun_lately ON operation_begun (operator_id, at, room_id);
DROP INDEX operation_created_by;
