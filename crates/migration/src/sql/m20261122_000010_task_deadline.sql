-- A task that is under way has a time at which it ends when its agent is away; what waits and what is under way in a room
-- have indexes of their own, in the order in which they are looked for.

-- Places are taken operation by operation, frame by frame, host by host; 0 stands for none, since the engines disagree
-- on where nothing comes in an order. Tasks under way get what they get from now on: their own time and two minutes.
ALTER TABLE operation_task ADD COLUMN deadline BIGINT;
UPDATE operation_task SET deadline = started_at + 120000
    + 1000 * (SELECT seconds FROM operation WHERE operation.id = operation_task.operation_id) WHERE state = 2;
DROP INDEX operation_task_room;
CREATE INDEX operation_task_waiting
    ON operation_task (room_id, operation_id, (COALESCE(frame_id, 0)), (COALESCE(host_id, 0)), id) WHERE state = 1;
CREATE INDEX operation_task_running ON operation_task (room_id, agent_id, deadline) WHERE state = 2;
