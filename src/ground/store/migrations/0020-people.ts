import { sql } from "../sql.ts"
import type { Migration } from "./migration.ts"

export const people: Migration = {
  number: 20,
  name: "people",
  *statements({ integer, text, strict }, dialect) {
    yield sql`CREATE TABLE people (
      id ${text} NOT NULL PRIMARY KEY,
      name ${text} NOT NULL UNIQUE,
      role ${text} NOT NULL,
      created_at ${integer} NOT NULL,
      created_by ${text} NOT NULL,
      revoked_at ${integer}
    )${strict}`
    // Links, sessions of browsers, and tokens. Only the hash of the secret is stored.
    yield sql`CREATE TABLE person_keys (
      id ${text} NOT NULL PRIMARY KEY,
      person_id ${text} NOT NULL,
      kind ${text} NOT NULL,
      hash ${text} NOT NULL UNIQUE,
      label ${text} NOT NULL,
      scope ${text} NOT NULL,
      created_at ${integer} NOT NULL,
      expires_at ${integer},
      used_at ${integer},
      ended_at ${integer}
    )${strict}`
    yield sql`CREATE INDEX person_keys_by_person ON person_keys (person_id, kind)`
    yield sql`CREATE TABLE audit_log (
      seq ${integer} NOT NULL PRIMARY KEY,
      at ${integer} NOT NULL,
      person_id ${text},
      person ${text} NOT NULL,
      role ${text} NOT NULL,
      via ${text} NOT NULL,
      operation ${text} NOT NULL,
      ids ${text} NOT NULL,
      outcome ${text} NOT NULL,
      code ${text},
      hash ${text} NOT NULL
    )${strict}`
    yield sql`CREATE INDEX audit_log_by_person ON audit_log (person_id, seq)`
    // The end of the chain, so that removed last entries are noticed.
    yield sql`CREATE TABLE audit_head (
      id ${integer} NOT NULL PRIMARY KEY,
      seq ${integer} NOT NULL,
      hash ${text} NOT NULL
    )${strict}`
    yield sql`INSERT INTO audit_head (id, seq, hash) VALUES (1, 0, '')`
    yield* dialect === "sqlite" ? refuseChangesOnSqlite : refuseChangesOnPostgres
    yield sql`ALTER TABLE runs ADD COLUMN started_by ${text}`
    yield sql`ALTER TABLE run_commands ADD COLUMN sent_by ${text}`
    yield sql`CREATE INDEX runs_by_person ON runs (started_by, created_at)`
  },
}

const refuseChangesOnSqlite = [
  sql`CREATE TRIGGER audit_log_no_update BEFORE UPDATE ON audit_log
    BEGIN SELECT RAISE(ABORT, 'audit_log is append-only'); END`,
  sql`CREATE TRIGGER audit_log_no_delete BEFORE DELETE ON audit_log
    BEGIN SELECT RAISE(ABORT, 'audit_log is append-only'); END`,
]

const refuseChangesOnPostgres = [
  sql`CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN RAISE EXCEPTION ''audit_log is append-only''; END'`,
  // For each row: a restore deletes the rows of an empty table.
  sql`CREATE TRIGGER audit_log_no_change BEFORE UPDATE OR DELETE ON audit_log
    FOR EACH ROW EXECUTE FUNCTION refuse_audit_change()`,
  sql`CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()`,
]
