-- Uploads that go on after a broken line: whose they are, and of what. How far one is, the length of its file says: a
-- file in the data folder, under the upload's id. `answer` is what was made of it, for whoever asks a second time.

CREATE TABLE upload (
    id VARCHAR(36) PRIMARY KEY,
    kind VARCHAR(32) NOT NULL,
    file_name VARCHAR(256) NOT NULL,
    size BIGINT NOT NULL,
    modified_at BIGINT NOT NULL,
    created_by BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    answer TEXT
) {without_rowid};
