-- Phones of closed accounts are released by a round: it finds them without reading all accounts.
CREATE INDEX client_user_closed ON client_user (id) WHERE status = 3 AND phone_count > 0;
