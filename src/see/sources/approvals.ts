import path from "node:path"
import { z } from "zod"
import {
  ensureDirectory,
  parseJson,
  readTextBounded,
  whileLocked,
  writeFileAtomic,
} from "#ground/base"
import { SourceSlug } from "#ground/contract"
import { ApprovalsUnreadable } from "./errors.ts"

const LARGEST_APPROVALS_BYTES = 1_000_000

/** The oldest are removed and must be approved again. */
const MOST_APPROVALS = 1_000

const Approval = z.strictObject({
  slug: SourceSlug,
  digest: z.string().max(100),
  /** Digest of the tools at approval; null until they were listed once. */
  tools: z.string().max(100).nullable(),
  at: z.int(),
})
export type Approval = z.infer<typeof Approval>

const ApprovalFile = z.strictObject({
  version: z.literal(1),
  approved: z.array(Approval).max(MOST_APPROVALS),
})

/** Approvals by content. An unreadable file approves nothing. */
export function createApprovals(file: string) {
  async function read(): Promise<readonly Approval[]> {
    const outcome = await readTextBounded(file, { maxBytes: LARGEST_APPROVALS_BYTES })
    if (outcome.kind === "missing") return []
    if (outcome.kind !== "read") throw ApprovalsUnreadable({ path: file, reason: outcome.kind })
    return parse(outcome.text, file)
  }

  async function change(make: (all: readonly Approval[]) => readonly Approval[]): Promise<void> {
    await ensureDirectory(path.dirname(file))
    await whileLocked(file, async () => {
      const approved = make(await read()).slice(-MOST_APPROVALS)
      await writeFileAtomic(file, `${JSON.stringify({ version: 1, approved }, undefined, 2)}\n`)
    })
  }

  const others = (all: readonly Approval[], { slug, digest }: Pick<Approval, "slug" | "digest">) =>
    all.filter((it) => it.slug !== slug || it.digest !== digest)
  return {
    async find(slug: string, digest: string): Promise<Approval | undefined> {
      const all = await read().catch((error: unknown) => {
        if (ApprovalsUnreadable.is(error)) return []
        throw error
      })
      return all.find((it) => it.slug === slug && it.digest === digest)
    },
    put: (approval: Approval) => change((all) => [...others(all, approval), approval]),
    drop: (approval: Approval) => change((all) => others(all, approval)),
  }
}

function parse(text: string, file: string): readonly Approval[] {
  const value = parseJson(text)
  if (value === undefined) throw ApprovalsUnreadable({ path: file, reason: "it is not valid JSON" })
  const parsed = ApprovalFile.safeParse(value)
  if (parsed.success) return parsed.data.approved
  throw ApprovalsUnreadable({ path: file, reason: "it is not a list of approvals" })
}
