-- Operations have other targets than cards: a task names what kind of thing it is about, and which.

ALTER TABLE operation_task ADD COLUMN target SMALLINT NOT NULL DEFAULT 1;
ALTER TABLE operation_task RENAME COLUMN card_id TO target_id;
DROP INDEX operation_task_of_card;
CREATE INDEX operation_task_of_target ON operation_task (target, target_id, id);
