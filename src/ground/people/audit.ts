import { createHash } from "node:crypto"
import type { AuditEntry, AuditLog, CallingPerson, Role } from "#ground/contract"
import type { Db, Tx } from "#ground/store"
import {
  type AuditFilter,
  AuditHead,
  AuditRow,
  insertAudit,
  Now,
  selectAudit,
  selectAuditAfter,
  selectAuditHead,
  selectNow,
  updateAuditHead,
} from "./queries.ts"

/** The machine's own user, who has the token file and needs no row. */
export const MACHINE_OWNER = "owner"

export type AuditRecord = {
  /** Absent for the machine's own user. */
  readonly person: CallingPerson | undefined
  readonly via: string
  readonly operation: string
  readonly ids: readonly string[]
  readonly outcome: AuditEntry["outcome"]
  readonly code?: string | undefined
}

/**
 * Appends one entry in the caller's transaction. Write transactions run one after the other
 * (STORE-4), so the hash before it cannot change.
 */
export async function appendAudit(tx: Tx<"people">, record: AuditRecord): Promise<void> {
  const head = await tx.get(AuditHead, selectAuditHead())
  const { now } = (await tx.get(Now, selectNow(tx.dialect))) ?? { now: 0 }
  const { person } = record
  const role: Role = person?.role ?? "owner"
  const content = {
    seq: (head?.seq ?? 0) + 1,
    at: now,
    personId: person?.id ?? null,
    person: person?.name ?? MACHINE_OWNER,
    role,
    via: record.via,
    operation: record.operation,
    ids: [...record.ids],
    outcome: record.outcome,
    code: record.code ?? null,
  }
  const hash = hashOf(content, head?.hash ?? "")
  await tx.run(insertAudit({ ...content, hash }))
  await tx.run(updateAuditHead({ seq: content.seq, hash }))
}

function hashOf(row: Omit<AuditRow, "hash">, previous: string): string {
  const { seq, at, personId, person, role, via, operation, ids, outcome, code } = row
  const content = [previous, seq, at, personId, person, role, via, operation, ids, outcome, code]
  return createHash("sha256").update(JSON.stringify(content)).digest("hex")
}

type Reader = Pick<Db<"people">, "all" | "get">

export async function readAudit(db: Reader, filter: AuditFilter): Promise<AuditLog> {
  const rows = await db.all(AuditRow, selectAudit(filter))
  const head = (await db.get(AuditHead, selectAuditHead())) ?? { seq: 0, hash: "" }
  const entries = rows.toReversed().map(({ personId: _, ...entry }) => entry)
  return { entries, head }
}

const PAGE_ENTRIES = 1_000

/** The first entry that does not follow from the one before it; undefined for a whole chain. */
export async function findAuditDamage(
  db: Reader,
  signal?: AbortSignal,
): Promise<string | undefined> {
  // Before the entries: an entry appended meanwhile is not damage.
  const head = await db.get(AuditHead, selectAuditHead())
  if (head === undefined) return "the end of the audit log is missing"
  let last = { seq: 0, hash: "" }
  while (last.seq < head.seq) {
    signal?.throwIfAborted()
    const rows = await db.all(AuditRow, selectAuditAfter(last.seq, PAGE_ENTRIES))
    for (const row of rows) {
      if (row.seq !== last.seq + 1) return `entry ${last.seq + 1} of the audit log is missing`
      if (row.hash !== hashOf(row, last.hash)) return `entry ${row.seq} of the audit log was changed`
      last = { seq: row.seq, hash: row.hash }
      if (row.seq === head.seq) break
    }
    if (rows.length === 0) return `the audit log ends at ${last.seq}, but its head is ${head.seq}`
  }
  if (last.hash !== head.hash) return `entry ${last.seq} of the audit log is not its recorded end`
  return undefined
}
