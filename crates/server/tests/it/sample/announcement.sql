-- Announcement.

CREATE TABLE announcement (
    id {id},
    name VARCHAR(64) NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX announcement_name ON announcement (name);
