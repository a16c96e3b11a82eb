import path from "node:path"
import type { BackgroundWork } from "#choose/guard"
import {
  createFile,
  launch,
  listDirectory,
  parseJsonRecord,
  pickEnvironment,
  readTextBounded,
  removeFile,
  statFile,
} from "#ground/base"
import { fetchRemote, findGitProgram, PROGRAM_VARIABLES } from "#see/repo"
import { enrolledRepository } from "./judge.ts"

/** At most one attempt in this time, whether it succeeds or not. */
export const FETCH_EVERY_MS = 10 * 60_000

/** A longer fetch waits for a network that is not reachable. */
const FETCH_TIMEOUT_MS = 60_000

const RUNTIME_FILE_BYTES = 16_000

type Variables = Readonly<Record<string, string | undefined>>

type BackgroundDeps = {
  readonly node: string
  readonly self: string
  readonly home: string
  readonly environment: Variables
}

export async function startInBackground(
  work: BackgroundWork,
  root: string,
  deps: BackgroundDeps,
): Promise<void> {
  const args =
    work.kind === "fetch" ? fetchArguments(root, deps) : await qmArguments(WORDS[work.kind], deps)
  if (args === undefined) return
  const own = Object.keys(deps.environment).filter((it) => it.startsWith("QM_"))
  const env = pickEnvironment(deps.environment, [...PROGRAM_VARIABLES, ...own])
  await launch(deps.node, args, { cwd: root, env })
}

function fetchArguments(root: string, { self }: BackgroundDeps): readonly string[] {
  return [self, "--afterwards", "fetch", root]
}

/** `qm cost` indexes new lines of transcripts if the user agreed to that. */
const WORDS = { "index-daemon": ["keep"], import: ["cost", "--json"] } as const

/** `qm init` records where the rest of the product is; without it nothing is started. */
async function qmArguments(
  words: readonly string[],
  { home }: BackgroundDeps,
): Promise<readonly string[] | undefined> {
  const file = path.join(home, "kit", "runtime.json")
  const outcome = await readTextBounded(file, { maxBytes: RUNTIME_FILE_BYTES })
  const qm = outcome.kind === "read" ? programIn(outcome.text) : undefined
  return qm === undefined ? undefined : [qm, ...words]
}

function programIn(text: string): string | undefined {
  const qm = parseJsonRecord(text)?.["qm"]
  return typeof qm === "string" && path.isAbsolute(qm) ? qm : undefined
}

/** Fetches from the branch's remote, once in ten minutes for all sessions and worktrees. */
export async function fetchIfDue(
  root: string,
  deps: { readonly environment: Variables; readonly now: number },
): Promise<"fetched" | "failed" | "skipped"> {
  const repository = await enrolledRepository(root)
  if (repository === undefined) return "skipped"
  const { environment } = deps
  const file = await findGitProgram({ environment, outside: repository.root })
  if (file === undefined) return "skipped"
  if (!(await tryTakeTurn(repository.stateDirectory, deps.now))) return "skipped"
  const fetched = await fetchRemote({ file, repository, environment, timeoutMs: FETCH_TIMEOUT_MS })
  return fetched.kind === "fetched" ? "fetched" : "failed"
}

/**
 * Time is divided into windows with one file each, which only one process can create; a process
 * early in a window also checks the previous one. So no file is ever taken over, and it does not
 * matter whether the fetch succeeded, failed or crashed.
 */
export async function tryTakeTurn(stateDirectory: string, now: number): Promise<boolean> {
  const window = Math.floor(now / FETCH_EVERY_MS)
  const before = await statFile(path.join(stateDirectory, nameOf(window - 1)))
  const ageMs = before.kind === "found" ? now - before.stat.modifiedAtMs : FETCH_EVERY_MS
  if (ageMs < FETCH_EVERY_MS) return false
  const { kind } = await createFile(path.join(stateDirectory, nameOf(window)))
  if (kind === "created") await sweep(stateDirectory, window)
  return kind === "created"
}

function nameOf(window: number): string {
  return `fetch-${window}`
}

async function sweep(stateDirectory: string, window: number): Promise<void> {
  const listed = await listDirectory(stateDirectory)
  if (listed.kind !== "listed") return
  for (const { name } of listed.entries) {
    const number = /^fetch-(\d+)$/.exec(name)?.[1]
    const isOld = number !== undefined && Number(number) < window - 1
    if (isOld) await removeFile(path.join(stateDirectory, name))
  }
}
