import { z } from "zod"
import { type Db, sql } from "#ground/store"

const DocumentRow = z.object({ found: z.int() })

/** Without loading the room, which has readers of documents; without documents no search has hits. */
export async function checkForDocuments(db: Db<"knowledge">): Promise<boolean> {
  return (await db.get(DocumentRow, sql`SELECT 1 AS found FROM kb_documents LIMIT 1`)) !== undefined
}
