-- No query has what this index is of.
DROP INDEX saga_open;
