import path from "node:path"
import { z } from "zod"
import { ensureDirectory, readTextBounded, writeFileAtomic } from "#ground/base"
import { SourceSlug } from "#ground/contract"
import { ApprovalsUnreadable } from "./errors.ts"

const LARGEST_APPROVALS_BYTES = 1_000_000

/** Approvals kept; the oldest go, and are asked for again. */
const MOST_APPROVALS = 1_000

const Approval = z.strictObject({
  slug: SourceSlug,
  digest: z.string().max(100),
  /** Of the tools it had when it was approved; null until it was seen once. */
  tools: z.string().max(100).nullable(),
  at: z.int(),
})
export type Approval = z.infer<typeof Approval>

const ApprovalFile = z.strictObject({
  version: z.literal(1),
  approved: z.array(Approval).max(MOST_APPROVALS),
})

/** What a person said yes to, by content. A file that cannot be read approves nothing. */
export function createApprovals(file: string) {
  let last: Promise<unknown> = Promise.resolve()

  async function read(): Promise<readonly Approval[]> {
    const outcome = await readTextBounded(file, { maxBytes: LARGEST_APPROVALS_BYTES })
    if (outcome.kind === "missing") return []
    if (outcome.kind !== "read") throw ApprovalsUnreadable({ path: file, reason: outcome.kind })
    return parse(outcome.text, file)
  }

  /** One change after the other, each from what the file holds by then. */
  function change(make: (all: readonly Approval[]) => readonly Approval[]): Promise<void> {
    const mine = last.then(async () => {
      const approved = make(await read()).slice(-MOST_APPROVALS)
      await ensureDirectory(path.dirname(file))
      await writeFileAtomic(file, `${JSON.stringify({ version: 1, approved }, undefined, 2)}\n`)
    })
    last = mine.catch(() => {})
    return mine
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
  try {
    const parsed = ApprovalFile.safeParse(JSON.parse(text))
    if (parsed.success) return parsed.data.approved
  } catch {
    throw ApprovalsUnreadable({ path: file, reason: "it is no JSON" })
  }
  throw ApprovalsUnreadable({ path: file, reason: "it is not a list of approvals" })
}
