-- Encrypted passwords that were accepted once.

CREATE TABLE spent_ciphertext (
    digest {blob} NOT NULL PRIMARY KEY,
    at BIGINT NOT NULL
) {without_rowid};
