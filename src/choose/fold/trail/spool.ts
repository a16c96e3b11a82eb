import { join } from "node:path"
import {
  createFile,
  ensureDirectory,
  isRecord,
  type JsonlRecord,
  listDirectory,
  parseJsonRecord,
  type Random,
  readJsonl,
  readTextBounded,
  removeFile,
  statFile,
  tryRename,
  writeFileAtomic,
} from "#ground/base"
import { digest } from "#know/ledger"
import { BranchNotice, LONGEST_NAME_UNITS, MOST_TOUCHED_PATHS } from "../rows.ts"

/** About 100,000 calls. */
const LARGEST_SPOOL_BYTES = 32 * 1024 ** 2

/** Sessions with an open branch, and leftovers of dead processes. */
const MOST_SPOOL_ENTRIES = 10_000

const SPOOL_LEFT_MS = 60 * 60 * 1_000

type SpoolDeps = {
  readonly stateDirectory: string
  readonly random: Random
  now(): number
}

export type Spool = ReturnType<typeof createSpool>

/** A tool output that a hook replaced by a digest with this handle. */
type SpooledResult = {
  readonly handle: string
  readonly session: string
  readonly tool: string
  readonly tokens: number
  readonly text: string
}

type SpooledTrail = { readonly branchId: string; readonly steps: readonly SpooledStep[] }

type SpooledStep = { readonly tool: string | null; readonly text: string; readonly tokens: number }

export type SpooledCharge = {
  readonly tool: string
  readonly tokens: number
  readonly paths: readonly string[]
  readonly at: number
  readonly told?: BranchNotice | undefined
}

/** The budget of an open branch, for hooks that warn its agent. `scale` turns its estimates into tokens of the model. */
export type SpoolMarker = {
  readonly id: string
  readonly budgetUsed: number
  readonly budgetTotal: number
  readonly told: BranchNotice | null
  readonly scale: number
}

/** Hooks of an earlier version report only lengths; an average of tool output. */
const UNITS_PER_TOKEN = 4

/**
 * Hooks have no time for a database: they append the cost of host tools to a file per session,
 * while a marker says that a branch is open.
 */
export function createSpool({ stateDirectory, random, now }: SpoolDeps) {
  const folder = join(stateDirectory, "charges")
  const markerOf = (name: string) => join(folder, `open-${name}`)
  const spoolOf = (name: string) => join(folder, `${name}.jsonl`)
  const results = join(stateDirectory, "results")
  const readerOf = (session: string) => `reader-${digest(session)}`
  const mark = (name: string) => createFile(markerOf(name))

  /** Each file is claimed by a rename, and removed. */
  async function claimed(form: RegExp) {
    const names = (await namesIn(results)).filter((it) => form.test(it))
    const files: { readonly id: string; readonly text: string }[] = []
    for (const name of names) {
      const own = join(results, `drain-${Buffer.from(random.bytes(12)).toString("hex")}`)
      if (!(await tryRename(join(results, name), own))) continue
      const read = await readTextBounded(own, { maxBytes: LARGEST_RESULT_BYTES })
      await removeFile(own)
      if (read.kind === "read") files.push({ id: name.slice(0, -".json".length), text: read.text })
    }
    return files
  }

  return {
    async open(session: string, marker: SpoolMarker): Promise<void> {
      await ensureDirectory(folder)
      const text = JSON.stringify(marker)
      await writeFileAtomic(markerOf(digest(session)), text, { mode: 0o600 })
    },

    /**
     * A rename claims the file, so no line is charged twice; a line written at this moment may be
     * lost.
     */
    async drain(session: string): Promise<readonly SpooledCharge[]> {
      const own = join(folder, `drain-${Buffer.from(random.bytes(12)).toString("hex")}`)
      if (!(await tryRename(spoolOf(digest(session)), own))) return []
      const { records } = await readJsonl(own, { maxBytes: LARGEST_SPOOL_BYTES })
      await removeFile(own)
      return records.flatMap((it) => (it["session"] === session ? (chargeOf(it) ?? []) : []))
    },

    /** Tells hooks that the agent of this session can read handles. */
    async openReader(session: string): Promise<void> {
      await ensureDirectory(results)
      await writeFileAtomic(join(results, readerOf(session)), "", { mode: 0o600 })
    },

    async closeReader(session: string): Promise<void> {
      await removeFile(join(results, readerOf(session)))
    },

    /** Takes the outputs that hooks left. */
    async drainResults(): Promise<readonly SpooledResult[]> {
      return (await claimed(RESULT)).flatMap(({ id, text }) => resultOf(id, text) ?? [])
    },

    /** Takes the steps that the plugin of opencode removed from a conversation. */
    async drainTrails(): Promise<readonly SpooledTrail[]> {
      return (await claimed(TRAIL)).map(({ id, text }) => ({ branchId: id, steps: stepsIn(text) }))
    },

    async hasCharges(): Promise<boolean> {
      return (await namesIn(folder)).some((it) => it.endsWith(".jsonl"))
    },

    async keepOnly(live: () => Promise<readonly string[]>): Promise<void> {
      const names = await namesIn(folder)
      await sweepLeft(folder, names, now())
      const marked = names.flatMap((it) => MARKER.exec(it)?.[1] ?? [])
      if (marked.length === 0) return
      const before = new Set((await live()).map(digest))
      const gone = marked.filter((it) => !before.has(it))
      for (const name of gone) {
        await removeFile(markerOf(name))
        await removeFile(spoolOf(name))
      }
      if (gone.length === 0) return
      // A branch may have been opened meanwhile, and its marker removed.
      const after = new Set((await live()).map(digest))
      for (const name of gone) if (after.has(name)) await mark(name)
    },
  }
}

const RESULT = /^rh_[0-9a-f]{32}\.json$/
const TRAIL = /^br_[0-9a-f]{32}\.json$/

/** Two million characters with escapes. */
const LARGEST_RESULT_BYTES = 16 * 1024 ** 2

function resultOf(handle: string, stored: string): SpooledResult | undefined {
  const { session, tool, tokens, text } = parseJsonRecord(stored) ?? {}
  const isNamed = typeof session === "string" && typeof tool === "string"
  if (!isNamed || typeof text !== "string" || !Number.isSafeInteger(tokens)) return undefined
  return { handle, session, tool: tool.slice(0, LONGEST_NAME_UNITS), tokens: Number(tokens), text }
}

function stepsIn(stored: string): readonly SpooledStep[] {
  const { steps } = parseJsonRecord(stored) ?? {}
  return (Array.isArray(steps) ? steps.filter(isRecord) : []).flatMap(({ tool, text, tokens }) => {
    const isWhole = typeof text === "string" && Number.isSafeInteger(tokens) && Number(tokens) >= 0
    const name = typeof tool === "string" ? tool : null
    return isWhole ? [{ tool: name, text, tokens: Number(tokens) }] : []
  })
}

/** Files that a dead process had claimed. */
async function sweepLeft(folder: string, names: readonly string[], now: number): Promise<void> {
  for (const name of names.filter((it) => it.startsWith("drain-"))) {
    const stat = await statFile(join(folder, name))
    const isOld = stat.kind === "found" && now - stat.stat.modifiedAtMs > SPOOL_LEFT_MS
    if (isOld) await removeFile(join(folder, name))
  }
}

const MARKER = /^open-([0-9a-f]{40})$/

async function namesIn(folder: string): Promise<readonly string[]> {
  const listed = await listDirectory(folder, { maxEntries: MOST_SPOOL_ENTRIES, order: "disk" })
  return listed.kind === "listed" ? listed.entries.map((it) => it.name) : []
}

function chargeOf(line: JsonlRecord): SpooledCharge | undefined {
  const { tool, paths, at } = line
  const tokens = tokensIn(line)
  if (typeof tool !== "string" || tokens === undefined) return undefined
  const named = Array.isArray(paths) ? paths.filter((it) => typeof it === "string") : []
  return {
    tool: tool.slice(0, LONGEST_NAME_UNITS),
    tokens,
    paths: named.slice(0, MOST_TOUCHED_PATHS),
    at: Number.isSafeInteger(at) ? Number(at) : 0,
    told: BranchNotice.safeParse(line["told"]).data,
  }
}

function tokensIn({ tokens, textUnits }: JsonlRecord): number | undefined {
  const reported =
    tokens ?? (Number.isSafeInteger(textUnits) ? Number(textUnits) / UNITS_PER_TOKEN : -1)
  if (typeof reported !== "number" || !(reported >= 0)) return undefined
  const whole = Math.ceil(reported)
  return Number.isSafeInteger(whole) ? whole : undefined
}
