import { createHash } from "node:crypto"
import path from "node:path"
import {
  checkPortFree,
  createMatcher,
  ensureDirectory,
  pickEnvironment,
  readBounded,
  run,
  statFile,
  writeFileAtomic,
} from "#ground/base"
import type { Config, Worktree } from "#ground/contract"
import { PortsUsed } from "./errors.ts"
import type { WorktreeRecord } from "./registry.ts"
import type { WorktreeGit } from "./worktree-git.ts"

/** Environment files have a few kB. */
const LARGEST_COPIED_BYTES = 10 * 1024 ** 2
const MOST_COPIED_FILES = 200

const LONGEST_SETUP_MS = 60 * 60_000
const SETUP_OUTPUT_BYTES = 4 * 1024 ** 2
const TAIL_UNITS = 2_000

const HIGHEST_PORT = 65_535

type Environment = Readonly<Record<string, string | undefined>>
type CopiedFile = WorktreeRecord["copied"][number]
type SkippedFile = { readonly path: string; readonly reason: string }

/** Copies the listed files that git ignores: tracked ones are already there. */
export async function copyIgnored(
  from: string,
  to: string,
  { git, patterns }: { readonly git: WorktreeGit; readonly patterns: readonly string[] },
): Promise<{ readonly copied: readonly CopiedFile[]; readonly skipped: readonly SkippedFile[] }> {
  const isListed = createMatcher(patterns)
  const args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard"]
  const ignored = (await git.tell(args, { cwd: from })).split("\0").filter((it) => it !== "")
  const listed = ignored.filter(isListed)
  const copied: CopiedFile[] = []
  const skipped: SkippedFile[] = []
  for (const file of listed) {
    const outcome = await readBounded(path.join(from, file), {
      maxBytes: LARGEST_COPIED_BYTES,
      root: from,
    })
    const stat = await statFile(path.join(from, file))
    if (outcome.kind !== "read" || stat.kind !== "found")
      skipped.push({ path: file, reason: outcome.kind === "too-large" ? "too large" : "no file" })
    else if (copied.length >= MOST_COPIED_FILES)
      skipped.push({ path: file, reason: `more than ${MOST_COPIED_FILES} files` })
    else {
      await ensureDirectory(path.dirname(path.join(to, file)))
      await writeFileAtomic(path.join(to, file), outcome.bytes, { mode: stat.stat.mode & 0o777 })
      copied.push({ path: file, hash: hashOf(outcome.bytes) })
    }
  }
  return { copied, skipped }
}

/** Whether a copied file still has the content that was copied, so that deleting it loses nothing. */
export async function checkUnchangedCopy(
  root: string,
  file: string,
  copied: readonly CopiedFile[],
): Promise<boolean> {
  const copy = copied.find((it) => it.path === file)
  if (copy === undefined) return false
  const outcome = await readBounded(path.join(root, file), {
    maxBytes: LARGEST_COPIED_BYTES,
    root,
  })
  return outcome.kind === "read" && hashOf(outcome.bytes) === copy.hash
}

/** The first block that no other worktree has and that no program uses. */
export async function assignPorts(
  records: readonly Pick<WorktreeRecord, "firstPort" | "ports">[],
  { firstPort, ports }: Config["worktrees"],
): Promise<number | null> {
  if (ports === 0) return null
  for (let first = firstPort; first + ports - 1 <= HIGHEST_PORT; first += ports) {
    const overlaps = records.some(
      (it) =>
        it.firstPort !== null && first < it.firstPort + it.ports && it.firstPort < first + ports,
    )
    if (!overlaps && (await checkBlockFree(first, ports))) return first
  }
  throw PortsUsed({ first: firstPort, count: ports })
}

async function checkBlockFree(first: number, count: number): Promise<boolean> {
  for (let port = first; port < first + count; port++) {
    if (!(await checkPortFree(port))) return false
  }
  return true
}

/** For the setup command and for programs that are started in the worktree. */
export function worktreeEnvironment(
  record: Pick<WorktreeRecord, "firstPort" | "name" | "path" | "ports">,
): Readonly<Record<string, string>> {
  const { name, firstPort, ports } = record
  return {
    QM_WORKTREE: name,
    QM_WORKTREE_PATH: record.path,
    ...(firstPort === null
      ? {}
      : { PORT: String(firstPort), QM_PORT_FIRST: String(firstPort), QM_PORTS: String(ports) }),
  }
}

export async function runSetup(
  record: WorktreeRecord,
  command: string,
  deps: {
    readonly environment: Environment
    readonly signal: AbortSignal
    now(): number
    redact(text: string): Promise<string>
  },
): Promise<NonNullable<Worktree["setup"]>> {
  const [file = "", ...args] = command.split(/\s+/).filter((it) => it !== "")
  const startedMs = deps.now()
  const environment = pickEnvironment(deps.environment, Object.keys(deps.environment))
  const outcome = await run(file, args, {
    cwd: record.path,
    env: { ...environment, ...worktreeEnvironment(record) },
    signal: deps.signal,
    timeoutMs: LONGEST_SETUP_MS,
    maxOutputBytes: SETUP_OUTPUT_BYTES,
  })
  const isStarted = outcome.kind !== "not-found" && outcome.kind !== "not-started"
  const output = isStarted
    ? `${outcome.stdout.toString("utf8")}${outcome.stderr.toString("utf8")}`
    : `${file} could not be started`
  return {
    command: await deps.redact(command),
    exitCode: outcome.kind === "exited" ? outcome.code : null,
    durationMs: Math.round(deps.now() - startedMs),
    tail: (await deps.redact(output)).slice(-TAIL_UNITS),
  }
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex")
}
