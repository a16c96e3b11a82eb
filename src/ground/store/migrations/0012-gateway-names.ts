import { sql } from "../sql.ts"
import type { Migration } from "./migration.ts"

export const gatewayNames: Migration = {
  number: 12,
  name: "gateway-names",
  statements: () => [
    sql`ALTER TABLE gateway_carries RENAME TO gateway_sessions`,
    sql`ALTER TABLE gateway_requests RENAME COLUMN carry TO proxied_session`,
    sql`ALTER TABLE gateway_texts RENAME COLUMN carry TO proxied_session`,
  ],
}
