import { createHash } from "node:crypto"
import path from "node:path"
import { z } from "zod"
import {
  ensureDirectory,
  parseJson,
  readTextBounded,
  statFile,
  whileLocked,
  writeFileAtomic,
} from "#ground/base"
import { PermissionRule } from "#ground/contract"
import { titleLine } from "../wire/tool-text.ts"
import { RulesInvalid, RulesUnreadable } from "./errors.ts"
import { problemWith } from "./rule-text.ts"

/** Every rule is tried for each tool use. */
export const MAX_RULES = 500
const MAX_FILE_BYTES = 256 * 1024

const RulesFile = z.strictObject({
  version: z.literal(1),
  rules: z.array(PermissionRule).max(MAX_RULES),
})

export async function readRules(
  file: string,
  root: string,
): Promise<{
  readonly rules: readonly PermissionRule[]
  readonly digest: string | undefined
}> {
  const outcome = await readTextBounded(file, { maxBytes: MAX_FILE_BYTES, root })
  if (outcome.kind === "missing") return { rules: [], digest: undefined }
  if (outcome.kind !== "read") throw RulesUnreadable({ file, reason: REASONS[outcome.kind] })
  const { rules } = parseRules(file, outcome.text)
  return { rules, digest: digestOf(outcome.bytes) }
}

const REASONS = {
  "not-text": "it is not UTF-8",
  "not-regular": "it is not a regular file",
  "too-large": `it is larger than ${MAX_FILE_BYTES} bytes`,
  "outside-root": "it is outside the repository",
  unreadable: "the operating system denied access",
} as const

function parseRules(file: string, text: string): z.infer<typeof RulesFile> {
  const parsed = RulesFile.safeParse(jsonOf(file, text))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const problem = titleLine(`${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`)
    throw RulesInvalid({ where: file, problem })
  }
  for (const [index, rule] of parsed.data.rules.entries()) {
    const problem = problemWith(rule)
    if (problem !== undefined)
      throw RulesInvalid({ where: file, problem: `rule ${index + 1}: ${problem}` })
  }
  return parsed.data
}

function jsonOf(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw RulesInvalid({ where: file, problem: "it is not JSON" }, error)
  }
}

/** Reading, changing and writing the rules is one step for all processes. */
export async function changeRules(file: string, work: () => Promise<void>): Promise<void> {
  await ensureDirectory(path.dirname(file), { mode: 0o755 })
  await whileLocked(file, work)
}

/** Only while the file is locked by `changeRules`. */
export async function writeRules(file: string, rules: readonly PermissionRule[]): Promise<string> {
  const text = `${JSON.stringify({ version: 1, rules }, null, 2)}\n`
  await writeFileAtomic(file, text, { mode: 0o644 })
  return digestOf(Buffer.from(text))
}

function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex")
}

const Trust = z.strictObject({ root: z.string(), sha256: z.string().regex(/^[0-9a-f]{64}$/) })

/** One file per repository, so that two processes never mix approvals. */
function trustFile(home: string, root: string): string {
  const name = digestOf(Buffer.from(root)).slice(0, 32)
  return path.join(home, "trusted-rules", `${name}.json`)
}

export async function readTrust(home: string, root: string): Promise<string | undefined> {
  const maxBytes = 16 * 1024
  const outcome = await readTextBounded(trustFile(home, root), { maxBytes, root: home })
  if (outcome.kind !== "read") return undefined
  const trust = Trust.safeParse(parseJson(outcome.text))
  return trust.data?.root === root ? trust.data.sha256 : undefined
}

export async function writeTrust(home: string, root: string, sha256: string): Promise<void> {
  const file = trustFile(home, root)
  await ensureDirectory(path.dirname(file))
  await writeFileAtomic(file, `${JSON.stringify({ root, sha256 })}\n`)
}

export async function stampOf(file: string, home: string, root: string): Promise<string> {
  const stats = await Promise.all([file, trustFile(home, root)].map(statFile))
  return JSON.stringify(stats.map((it) => (it.kind === "found" ? it.stat : it.kind)))
}
