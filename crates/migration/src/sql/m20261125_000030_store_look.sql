-- What agents find at storage nodes: whether it is the node, and how full it is.

-- What its markers say: random, so that no place of another console's node is taken for it.
ALTER TABLE store_node ADD COLUMN mark VARCHAR(32) NOT NULL DEFAULT '';
-- How many partitions have their marker, from the first one on.
ALTER TABLE store_node ADD COLUMN made SMALLINT NOT NULL DEFAULT 0;
ALTER TABLE store_node ADD COLUMN free_bytes BIGINT;
ALTER TABLE store_node ADD COLUMN measured_at BIGINT;
ALTER TABLE store_node ADD COLUMN days_to_full INTEGER;

-- Which agents reach it, and what each of them found when it was last asked.
CREATE TABLE store_node_agent (
    node_id BIGINT NOT NULL REFERENCES store_node (id),
    agent_id BIGINT NOT NULL REFERENCES room_agent (id),
    checked_at BIGINT,
    millis BIGINT NOT NULL DEFAULT 0,
    -- Empty where the agent reached it.
    code VARCHAR(64) NOT NULL DEFAULT '',
    step SMALLINT,
    partition SMALLINT,
    detail VARCHAR(256) NOT NULL DEFAULT '',
    PRIMARY KEY (node_id, agent_id)
) {without_rowid};
CREATE INDEX store_node_agent_agent ON store_node_agent (agent_id);

-- How full it was, hour by hour.
CREATE TABLE store_usage (
    node_id BIGINT NOT NULL REFERENCES store_node (id),
    at BIGINT NOT NULL,
    used_bytes BIGINT NOT NULL,
    PRIMARY KEY (node_id, at)
) {without_rowid};
