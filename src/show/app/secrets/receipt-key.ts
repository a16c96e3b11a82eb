import { hash } from "node:crypto"
import type { OperationDeps } from "../operations.ts"
import { readSalt } from "./salt.ts"

/**
 * By which the gateway knows the receipts of our own tools. Made of what is this person's own and
 * stays, so that a session that is resumed next week is folded as it was.
 */
export async function receiptKey(
  deps: Pick<OperationDeps, "places" | "random" | "log">,
): Promise<string> {
  return hash("sha256", `fold-receipts:${await readSalt(deps.places().home, deps)}`)
}
