-- While a scope has no limit to what runs, claims take no slots: one that is given a limit again has to count what was claimed meanwhile.
CREATE FUNCTION __schema__.forget_slots() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM __schema__.claim_scope WHERE scope = OLD.id;
  DELETE FROM __schema__.claim_slot WHERE scope = OLD.id;
  RETURN NULL;
END
$$;

CREATE TRIGGER forget_slots_of_changed AFTER UPDATE ON __schema__.queue
FOR EACH ROW WHEN (OLD.running IS NOT NULL AND NEW.running IS NULL) EXECUTE FUNCTION __schema__.forget_slots();

CREATE TRIGGER forget_slots_of_deleted AFTER DELETE ON __schema__.queue
FOR EACH ROW WHEN (OLD.running IS NOT NULL) EXECUTE FUNCTION __schema__.forget_slots();

-- Which of those there are have been without their limit in between, nobody knows.
DELETE FROM __schema__.claim_slot;
DELETE FROM __schema__.claim_scope;
