-- The operations of an operator: how much somebody began lately.

CREATE INDEX operation_created_by ON operation (created_by_id, id);
