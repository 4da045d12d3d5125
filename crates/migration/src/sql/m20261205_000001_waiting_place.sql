-- The waiting tasks of an operation in their places are found by this index alone, which is why the operation stands in it as a
-- sum. An operation's tasks are written down in a second, so PostgreSQL may not have counted them yet and take
-- `operation_task_state` for as good: it would read all of them for each host then, for seconds instead of milliseconds.
DROP INDEX operation_task_waiting;
CREATE INDEX operation_task_waiting
    ON operation_task (room_id, (operation_id + 0), (COALESCE(frame_id, 0)), (COALESCE(host_id, 0)), id) WHERE state = 1;
