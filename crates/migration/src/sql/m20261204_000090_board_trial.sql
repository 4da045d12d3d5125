-- What only a board can show: which questions somebody has tried on a card of an image, and what came of it. A question without
-- a row was never tried.

CREATE TABLE board_trial (
    id {id},
    image_id BIGINT NOT NULL REFERENCES image_known (id),
    question SMALLINT NOT NULL CHECK (question BETWEEN 1 AND 8),
    -- 1 untried (again), 2 it goes, 3 it does not.
    outcome SMALLINT NOT NULL CHECK (outcome BETWEEN 1 AND 3),
    -- What was seen, or why it counts as untried again.
    reason VARCHAR(256) NOT NULL CHECK (reason <> ''),
    tried_at BIGINT NOT NULL,
    tried_by VARCHAR(64) NOT NULL CHECK (tried_by <> '')
);
CREATE UNIQUE INDEX board_trial_question ON board_trial (image_id, question);
