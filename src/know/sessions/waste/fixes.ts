import { createHash } from "node:crypto"
import path from "node:path"
import { applyEdits, modify, type ParseError, parse } from "jsonc-parser"
import { z } from "zod"
import {
  type Clock,
  ensureDirectory,
  isInside,
  isRecord,
  listDirectory,
  parseJson,
  readBounded,
  removeEmptyDirectory,
  removeFile,
  statFile,
  whileLocked,
  writeFileAtomic,
} from "#ground/base"
import { type CaptureAdvice, type WasteFinding, type WasteFix, WasteKind } from "#ground/contract"
import { WasteFileChanged, WasteUnknown } from "../errors.ts"
import { findingId } from "./find-waste.ts"

/** Larger instruction and settings files are not edited. */
const MAX_BYTES = 1024 * 1024
const MOST_FIXES = 1_000
const MOST_LINES = 20

/** Null means that there is no file. */
type FileChange = {
  readonly file: string
  readonly before: Buffer | null
  readonly after: Buffer | null
}

const SETTINGS = path.join(".claude", "settings.local.json")
const DISABLES =
  /^Add "(?<name>[^"]+)" to disabledMcpjsonServers in \.claude\/settings\.local\.json\.$/

/** Findings of the start context, with the edit where it is one of a file in the repository. */
export async function findingsOfAdvice(
  advice: readonly CaptureAdvice[],
  root: string,
): Promise<readonly WasteFinding[]> {
  const findings: WasteFinding[] = []
  for (const item of advice) {
    const change = await changeFor(item, root)
    findings.push({
      id: findingId(item.kind, item.path ?? item.title),
      kind: item.kind,
      title: item.title,
      evidence: item.evidence,
      tokens: item.tokens,
      per: "session",
      fix: item.edit,
      change: change === undefined ? null : describeChange(change, root),
      sessions: [],
    })
  }
  return findings
}

/** Undefined if only a person or another program can do it. */
export async function changeFor(
  { kind, path: item, edit }: CaptureAdvice,
  root: string,
): Promise<FileChange | undefined> {
  if (kind === "idle-rule" && item !== undefined && isInside(root, item)) {
    const before = await readFile(item)
    return before === null || before === undefined ? undefined : { file: item, before, after: null }
  }
  const name = DISABLES.exec(edit)?.groups?.["name"]
  if (name === undefined) return undefined
  const file = path.join(root, SETTINGS)
  const before = await readFile(file)
  if (before === undefined) return undefined
  const text = before?.toString() ?? "{}\n"
  const errors: ParseError[] = []
  // The host ignores a file with comments, so an edit of it would have no effect.
  const settings: unknown = parse(text, errors, { disallowComments: true })
  if (errors.length > 0 || !isRecord(settings)) return undefined
  const list = settings["disabledMcpjsonServers"]
  if (list !== undefined && !Array.isArray(list)) return undefined
  const options = { formattingOptions: { insertSpaces: true, tabSize: 2 } }
  const listed: readonly unknown[] = list ?? []
  const names = [...listed, name]
  const after = applyEdits(text, modify(text, ["disabledMcpjsonServers"], names, options))
  return { file, before, after: Buffer.from(after) }
}

/** Null without a file; undefined if what is there cannot be read. */
async function readFile(file: string): Promise<Buffer | null | undefined> {
  const read = await readBounded(file, { maxBytes: MAX_BYTES })
  if (read.kind === "missing") return null
  return read.kind === "read" ? read.bytes : undefined
}

function describeChange({ file, before, after }: FileChange, root: string) {
  const old = before?.toString().split("\n") ?? []
  const now = after?.toString().split("\n") ?? []
  const action = actionOf(before, after)
  return {
    file: path.relative(root, file),
    action,
    added: now.filter((it) => !old.includes(it)).slice(0, MOST_LINES),
    removed: old.filter((it) => !now.includes(it)).slice(0, MOST_LINES),
  } as const
}

function actionOf(before: Buffer | null, after: Buffer | null): "delete" | "create" | "edit" {
  if (after === null) return "delete"
  return before === null ? "create" : "edit"
}

const StoredFix = z.object({
  id: z.string(),
  kind: WasteKind,
  title: z.string(),
  file: z.string(),
  mode: z.int().nullable(),
  appliedAt: z.int(),
  promisedTokens: z.int(),
  before: z.string().nullable(),
  after: z.string().nullable(),
  /** Whether `apply` created the folder of the file, which `undo` then removes if it is empty. */
  hasNewFolder: z.boolean().default(false),
})
type StoredFix = z.infer<typeof StoredFix>

type AppliedFix = Omit<WasteFix, "realisedTokens" | "sessionsAfter">

type FixesDeps = { readonly folder: string; readonly root: string; readonly clock: Clock }

/**
 * Applied changes with the bytes before them, one private file each. The record is written before
 * the change, so a crash in between leaves a record of an unchanged file, which `undo` removes.
 */
export function createFixes({ folder, root, clock }: FixesDeps) {
  const recordOf = (id: string) => path.join(folder, `${id}.json`)

  /** One change at a time, because two findings may be about the same file. */
  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    await ensureDirectory(folder)
    return whileLocked(path.join(folder, "fixes"), work)
  }

  async function read(id: string): Promise<StoredFix | undefined> {
    if (!/^[0-9a-f]{8}$/.test(id)) return undefined
    const bytes = await readFile(recordOf(id))
    if (bytes === null || bytes === undefined) return undefined
    const parsed = StoredFix.safeParse(parseJson(bytes.toString()))
    return parsed.success ? parsed.data : undefined
  }

  async function applyNow(
    finding: WasteFinding,
    { file, before, after }: FileChange,
  ): Promise<void> {
    const now = await readFile(file)
    if (now === undefined || !isEqual(now, before)) {
      throw WasteFileChanged({ file: path.relative(root, file) })
    }
    const stat = await statFile(file)
    const mode = stat.kind === "found" ? stat.stat.mode & 0o777 : null
    const record: StoredFix = {
      id: finding.id,
      kind: finding.kind,
      title: finding.title,
      file: path.relative(root, file),
      mode,
      appliedAt: clock.now(),
      promisedTokens: finding.tokens,
      before: before?.toString("base64") ?? null,
      after: after === null ? null : hashOf(after),
      hasNewFolder: (await statFile(path.dirname(file))).kind === "missing",
    }
    await writeFileAtomic(recordOf(finding.id), JSON.stringify(record), { mode: 0o600 })
    if (after === null) await removeFile(file)
    else {
      await ensureDirectory(path.dirname(file))
      await writeFileAtomic(file, after, { mode: mode ?? 0o644 })
    }
  }

  /** Writes only over the bytes that `apply` left, or over those before it. */
  async function undoNow(id: string): Promise<string> {
    const fix = await read(id)
    if (fix === undefined) throw WasteUnknown({ id })
    const file = path.join(root, fix.file)
    if (!isInside(root, file)) throw WasteUnknown({ id })
    const now = await readFile(file)
    const before = fix.before === null ? null : Buffer.from(fix.before, "base64")
    const currentHash = now === undefined ? "unreadable" : now && hashOf(now)
    const isAsApplied = currentHash === fix.after
    const isAsBefore = currentHash === (before === null ? null : hashOf(before))
    if (!isAsApplied && !isAsBefore) throw WasteFileChanged({ file: fix.file })
    if (!isAsBefore && before === null) await removeFile(file)
    if (fix.hasNewFolder) await removeEmptyDirectory(path.dirname(file))
    if (!isAsBefore && before !== null) {
      await ensureDirectory(path.dirname(file))
      await writeFileAtomic(file, before, { mode: fix.mode ?? 0o644 })
    }
    await removeFile(recordOf(id))
    return fix.file
  }

  return {
    async list(): Promise<readonly AppliedFix[]> {
      const names = await namesIn(folder)
      const fixes: StoredFix[] = []
      for (const name of names.slice(0, MOST_FIXES)) {
        const fix = await read(name.replace(/\.json$/, ""))
        if (fix !== undefined) fixes.push(fix)
      }
      return fixes
        .toSorted((a, b) => b.appliedAt - a.appliedAt)
        .map(({ id, kind, title, file, appliedAt, promisedTokens }) => ({
          id,
          kind,
          title,
          file,
          appliedAt,
          promisedTokens,
        }))
    },

    apply: (finding: WasteFinding, change: FileChange): Promise<void> =>
      inTurn(() => applyNow(finding, change)),

    undo: (id: string): Promise<string> => inTurn(() => undoNow(id)),
  }
}

function isEqual(a: Buffer | null, b: Buffer | null): boolean {
  return a === null || b === null ? a === b : a.equals(b)
}

const hashOf = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex")

async function namesIn(folder: string): Promise<readonly string[]> {
  const listed = await listDirectory(folder)
  if (listed.kind !== "listed") return []
  return listed.entries.map((it) => it.name).filter((it) => it.endsWith(".json"))
}
