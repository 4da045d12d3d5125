-- Background tasks and the schedules that start them (see the crate `queue`).

-- States: 1 queued, 2 running, 3 succeeded, 4 failed, 5 cancelled.
-- 
-- `task_due` serves the claim, the two indices on `lane` keep it from walking: without them a claim takes seconds
-- once a backlog is there. `task_lane_running` also is the rule itself: one running task a lane.
CREATE TABLE task (
    id VARCHAR(36) PRIMARY KEY,
    kind VARCHAR(64) NOT NULL,
    title VARCHAR(512) NOT NULL,
    payload TEXT NOT NULL,
    state SMALLINT NOT NULL,
    pool SMALLINT NOT NULL,
    priority SMALLINT NOT NULL,
    lane VARCHAR(96),
    attempt INTEGER NOT NULL,
    tries INTEGER NOT NULL,
    max_attempts INTEGER NOT NULL,
    run_after BIGINT NOT NULL,
    lease_until BIGINT,
    cancel_requested BOOLEAN NOT NULL,
    done BIGINT NOT NULL,
    total BIGINT,
    message TEXT,
    checkpoint TEXT,
    result_key VARCHAR(128),
    result_name VARCHAR(256),
    result_size BIGINT,
    schedule VARCHAR(64),
    fire_time BIGINT,
    created_by BIGINT,
    created_by_name VARCHAR(64) NOT NULL,
    created_at BIGINT NOT NULL,
    started_at BIGINT,
    finished_at BIGINT
) {without_rowid};
CREATE INDEX task_due ON task (pool, priority DESC, run_after, id) WHERE state = 1;
CREATE INDEX task_lane_queued ON task (lane, priority DESC, id) WHERE state = 1 AND lane IS NOT NULL;
CREATE UNIQUE INDEX task_lane_running ON task (lane) WHERE state = 2 AND lane IS NOT NULL;
CREATE INDEX task_leased ON task (lease_until) WHERE state = 2;
CREATE INDEX task_finished ON task (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX task_state ON task (state, id);
CREATE INDEX task_kind ON task (kind, id);
CREATE INDEX task_created_by ON task (created_by, id);
CREATE UNIQUE INDEX task_fire ON task (schedule, fire_time) WHERE schedule IS NOT NULL;

CREATE TABLE task_schedule (
    name VARCHAR(64) PRIMARY KEY,
    kind VARCHAR(64) NOT NULL,
    title VARCHAR(512) NOT NULL,
    payload TEXT NOT NULL,
    pool SMALLINT NOT NULL,
    lane VARCHAR(96),
    max_attempts INTEGER NOT NULL,
    cron VARCHAR(128) NOT NULL,
    last_fire BIGINT NOT NULL
) {without_rowid};
