-- The results of an operation, the last first.

CREATE INDEX operation_task_ended ON operation_task (operation_id, ended_at, id) WHERE ended_at IS NOT NULL;
