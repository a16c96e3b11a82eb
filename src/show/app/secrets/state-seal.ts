import { createHmac, timingSafeEqual } from "node:crypto"
import path from "node:path"
import { ensureDirectory, readTextBounded, statFile, writeFileAtomic } from "#ground/base"
import { StateForeign } from "../errors.ts"
import type { OperationDeps } from "../operations.ts"
import { readSalt } from "./salt.ts"

const SEAL_LIMIT_BYTES = 1_000
const SEAL_FORM = /^([0-9a-f]{32}) ([0-9a-f]{64})$/

type Deps = Pick<OperationDeps, "places" | "random" | "log">

/**
 * Without git the state lies in the folder itself, where a download could bring it along: runs that
 * wait to be started among it. So it carries a seal that only this person's own secret can make.
 */
export async function refuseForeignState(deps: Deps): Promise<void> {
  const { repository, home, database } = deps.places()
  if (repository.gitCommonDirectory !== undefined) return
  const file = path.join(repository.stateDirectory, "seal")
  const salt = await readSalt(home, deps)
  if (await isSealed(file, salt)) return
  const store = await statFile(database)
  if (store.kind !== "missing") throw StateForeign({ directory: repository.stateDirectory })
  const id = Buffer.from(deps.random.bytes(16)).toString("hex")
  await ensureDirectory(repository.stateDirectory)
  await writeFileAtomic(file, `${id} ${macOf(id, salt)}\n`)
}

async function isSealed(file: string, salt: string): Promise<boolean> {
  const read = await readTextBounded(file, { maxBytes: SEAL_LIMIT_BYTES })
  const [, id = "", mac = ""] = SEAL_FORM.exec(read.kind === "read" ? read.text.trim() : "") ?? []
  return mac !== "" && timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(id, salt)))
}

function macOf(id: string, salt: string): string {
  return createHmac("sha256", salt).update(`state ${id}`).digest("hex")
}
