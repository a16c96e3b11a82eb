import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import { join } from "node:path"
import {
  compareText,
  ensureDirectory,
  pickEnvironment,
  type Random,
  readBounded,
  run,
  whileLocked,
  writeFileAtomic,
} from "#ground/base"
import { CommandNotStarted } from "../errors.ts"
import { LARGEST_OUTPUT_BYTES } from "../limits.ts"
import type { EvidenceFacts, LogRecord } from "../log/log-record.ts"

const KEY_BYTES = 32

type Environment = Readonly<Record<string, string | undefined>>

type EvidenceDeps = {
  root(): string
  commandRoot?(): string
  readonly stateDirectory: string
  readonly random: Random
  environment(): Environment
  redact(text: string): Promise<string>
}

type CommandResult = Pick<EvidenceFacts, "exitCode" | "outputBytes" | "outputHash"> & {
  readonly output: string
}

/** Outputs and the key stay in this clone: evidence counts only where our runner captured it. */
export function createEvidenceStore(deps: EvidenceDeps) {
  const folder = join(deps.stateDirectory, "board", "evidence")
  const keyFile = join(folder, "key")

  async function key(): Promise<Buffer> {
    await ensureDirectory(folder)
    return whileLocked(keyFile, async () => {
      const outcome = await readBounded(keyFile, { maxBytes: KEY_BYTES })
      if (outcome.kind === "read" && outcome.bytes.length === KEY_BYTES) return outcome.bytes
      const bytes = Buffer.from(deps.random.bytes(KEY_BYTES))
      await writeFileAtomic(keyFile, bytes)
      return bytes
    })
  }

  async function sealOf(record: SealedFields): Promise<string> {
    const { id, ticket, ts, evidence } = record
    // By name, because a parsed record has another order of fields than a new one.
    const facts = Object.entries(evidence ?? {}).toSorted(([a], [b]) => compareText(a, b))
    const text = JSON.stringify([id, ticket, ts, facts])
    return createHmac("sha256", await key())
      .update(text)
      .digest("hex")
  }

  return {
    sealOf,

    /** Runs the command and stores its redacted output; a shell is never involved. */
    async runCommand(
      id: string,
      command: readonly string[],
      limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
    ): Promise<CommandResult> {
      const [file = "", ...args] = command
      const environment = deps.environment()
      const outcome = await run(file, args, {
        cwd: deps.commandRoot?.() ?? deps.root(),
        env: pickEnvironment(environment, Object.keys(environment)),
        maxOutputBytes: LARGEST_OUTPUT_BYTES,
        ...limits,
      })
      if (outcome.kind === "not-found")
        throw CommandNotStarted({ command: file, reason: "the program was not found" })
      if (outcome.kind === "not-started")
        throw CommandNotStarted({ command: file, reason: outcome.reason })
      const written = `${outcome.stdout.toString("utf8")}${outcome.stderr.toString("utf8")}`
      const output = await deps.redact(written)
      const bytes = Buffer.from(output)
      await ensureDirectory(folder)
      await writeFileAtomic(join(folder, `${id}.log`), bytes)
      const exitCode = outcome.kind === "exited" ? outcome.code : null
      return { exitCode, outputBytes: bytes.length, outputHash: hashOf(bytes), output }
    },

    /** Why a stored run does not count; undefined if it does. */
    async findFault(record: LogRecord): Promise<string | undefined> {
      const { id, evidence, seal = "" } = record
      if (evidence === undefined) return "it has no result"
      const expected = Buffer.from(await sealOf(record))
      const actual = Buffer.from(seal)
      const isOurs = expected.length === actual.length && timingSafeEqual(expected, actual)
      if (!isOurs) return "it was edited, or captured in another clone"
      const stored = await readBounded(join(folder, `${id}.log`), {
        maxBytes: LARGEST_OUTPUT_BYTES * 8,
      })
      if (stored.kind !== "read") return "its output is missing"
      return hashOf(stored.bytes) === evidence.outputHash ? undefined : "its output was edited"
    },
  }
}

type SealedFields = Pick<LogRecord, "evidence" | "id" | "ticket" | "ts">

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex")
}
