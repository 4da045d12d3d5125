-- What operators are told about their own accounts.

CREATE TABLE operator_notice (
    id {id},
    operator_id BIGINT NOT NULL REFERENCES operator (id) ON DELETE CASCADE,
    at BIGINT NOT NULL,
    kind SMALLINT NOT NULL,
    by_name VARCHAR(64) NOT NULL,
    ip VARCHAR(64) NOT NULL,
    detail VARCHAR(64) NOT NULL,
    read_at BIGINT
);
CREATE INDEX operator_notice_operator ON operator_notice (operator_id, id);
CREATE INDEX operator_notice_at ON operator_notice (at);
