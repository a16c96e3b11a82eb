import { type Sql, sql } from "../sql.ts"
import type { ColumnTypes, Migration } from "./migration.ts"

export const gateway: Migration = {
  number: 11,
  name: "gateway",
  statements: (types) => [...proxiedSessionTables(types), ...requestTables(types)],
}

function proxiedSessionTables({ integer, text, strict }: ColumnTypes): readonly Sql[] {
  return [
    sql`CREATE TABLE gateway_carries (
      id ${text} NOT NULL PRIMARY KEY,
      root ${text} NOT NULL,
      run ${text},
      host ${text},
      directory ${text} NOT NULL,
      started_at ${integer} NOT NULL,
      ended_at ${integer},
      latched_off ${text},
      last_seq ${integer} NOT NULL,
      owner ${text} NOT NULL,
      body ${text} NOT NULL
    )${strict}`,
    sql`CREATE INDEX gateway_carries_by_run ON gateway_carries (root, run, started_at)`,
    sql`CREATE INDEX gateway_carries_by_time ON gateway_carries (root, started_at)`,
    // Sessions that must not be folded any more; a latch outlives the records.
    sql`CREATE TABLE gateway_latches (
      root ${text} NOT NULL,
      session ${text} NOT NULL,
      at ${integer} NOT NULL,
      reason ${text} NOT NULL,
      PRIMARY KEY (root, session)
    )${strict}`,
  ]
}

function requestTables({ integer, real, text, blob, strict }: ColumnTypes): readonly Sql[] {
  return [
    // The first `kept` items are those of request `before_seq`; `items` has the rest. Requests of
    // one such chain share `base_seq`, the request with the complete list.
    sql`CREATE TABLE gateway_requests (
      carry ${text} NOT NULL,
      seq ${integer} NOT NULL,
      root ${text} NOT NULL,
      at ${integer} NOT NULL,
      conversation ${text} NOT NULL,
      standing ${integer} NOT NULL,
      outcome ${text} NOT NULL,
      base_seq ${integer} NOT NULL,
      before_seq ${integer},
      kept ${integer} NOT NULL,
      input ${integer},
      output ${integer},
      cache_read ${integer},
      cache_write ${integer},
      cost_usd ${real},
      saved_tokens ${integer} NOT NULL,
      saved_bytes ${integer} NOT NULL,
      body ${blob} NOT NULL,
      items ${blob} NOT NULL,
      PRIMARY KEY (carry, seq)
    )${strict}`,
    sql`CREATE INDEX gateway_requests_by_time ON gateway_requests (root, at)`,
    sql`CREATE INDEX gateway_requests_by_conversation ON gateway_requests (root, conversation, at)`,
    sql`CREATE INDEX gateway_requests_by_base ON gateway_requests (root, carry, base_seq, at)`,
    // Only if the user turned it on; secrets are redacted.
    sql`CREATE TABLE gateway_texts (
      carry ${text} NOT NULL,
      sha256 ${text} NOT NULL,
      root ${text} NOT NULL,
      body ${blob} NOT NULL,
      PRIMARY KEY (carry, sha256)
    )${strict}`,
  ]
}
