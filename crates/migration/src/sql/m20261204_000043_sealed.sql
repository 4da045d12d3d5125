-- With which master key is sealed what lies beside a repository, as far as the console has seen to it; none before that.
ALTER TABLE repo ADD COLUMN sealed_with INTEGER NOT NULL DEFAULT 0;
CREATE INDEX repo_sealed ON repo (node_id, sealed_with);
ALTER TABLE package_blob ADD COLUMN sealed_with INTEGER NOT NULL DEFAULT 0;
CREATE INDEX package_blob_sealed ON package_blob (node_id, sealed_with);
