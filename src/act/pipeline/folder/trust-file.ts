import path from "node:path"
import { z } from "zod"
import { ensureDirectory, type Log, readTextBounded, writeFileAtomic } from "#ground/base"
import { MOST_APPROVALS, TRUST_FILE_LIMIT_BYTES } from "./limits.ts"

const Approval = z.strictObject({
  folder: z.string(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})
type Approval = z.infer<typeof Approval>

const TrustFile = z.strictObject({
  version: z.literal(1),
  agents: z.array(Approval).max(MOST_APPROVALS),
})

/** Which folders of repositories this person trusts, each exactly as it was when they did. */
export async function readApprovals(file: string, log: Log): Promise<readonly Approval[]> {
  const read = await readTextBounded(file, { maxBytes: TRUST_FILE_LIMIT_BYTES })
  if (read.kind === "missing") return []
  const parsed = TrustFile.safeParse(read.kind === "read" ? jsonOf(read.text) : undefined)
  if (parsed.success) return parsed.data.agents
  // Whatever is wrong with it, it approves nothing.
  log.warn("the approvals of agents cannot be read; none counts", { file })
  return []
}

/**
 * One approval a folder, the newest first. Of two processes that write at the same moment one may
 * lose its approval: that agent is asked for again, and nothing is trusted that nobody trusted.
 */
export async function writeApproval(file: string, approval: Approval, log: Log): Promise<void> {
  const others = (await readApprovals(file, log)).filter((it) => it.folder !== approval.folder)
  const agents = [approval, ...others].slice(0, MOST_APPROVALS)
  await ensureDirectory(path.dirname(file))
  await writeFileAtomic(file, `${JSON.stringify({ version: 1, agents }, null, 2)}\n`)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
