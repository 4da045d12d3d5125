-- What the manifest of a package says of it.

ALTER TABLE operation_file ADD COLUMN package_name TEXT NOT NULL DEFAULT '';
ALTER TABLE operation_file ADD COLUMN package_version TEXT NOT NULL DEFAULT '';
