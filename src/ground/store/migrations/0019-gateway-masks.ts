import { sql } from "../sql.ts"
import type { Migration } from "./migration.ts"

export const gatewayMasks: Migration = {
  number: 19,
  name: "gateway-masks",
  statements: ({ integer, text, strict }) => [
    // One row for each masked result, and one for each removed thinking block (`kind` thinking).
    sql`CREATE TABLE gateway_masks (
      root ${text} NOT NULL,
      session ${text} NOT NULL,
      agent ${text} NOT NULL,
      call ${text} NOT NULL,
      at ${integer} NOT NULL,
      kind ${text} NOT NULL,
      reread ${integer},
      body ${text} NOT NULL,
      PRIMARY KEY (root, session, agent, call)
    )${strict}`,
    // A fork of a conversation inherits the masks of the calls that it starts with.
    sql`CREATE INDEX gateway_masks_by_call ON gateway_masks (root, call)`,
    sql`CREATE INDEX gateway_masks_by_time ON gateway_masks (root, at)`,
    // Folds that a person asked for; applied at the next prompt of the session.
    sql`CREATE TABLE gateway_fold_orders (
      root ${text} NOT NULL,
      id ${text} NOT NULL,
      session ${text} NOT NULL,
      at ${integer} NOT NULL,
      body ${text} NOT NULL,
      PRIMARY KEY (root, id)
    )${strict}`,
    sql`CREATE INDEX gateway_fold_orders_by_session ON gateway_fold_orders (root, session, at)`,
  ],
}
