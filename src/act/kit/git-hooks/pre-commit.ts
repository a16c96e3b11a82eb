import path from "node:path"
import { readBounded, statFile, systemClock, systemRandom, thisMachine } from "#ground/base"
import { createClaims, createSessions } from "#know/ledger"
import { askLine, askUserGit, checkGitBusy, QUIET, type UserGit } from "./user-git.ts"

/** An index has at most 20,000 lines, 20 MB at their longest. */
const LARGEST_INDEX_BYTES = 32 * 1_048_576

const MEMORY = ".qm/memory"
const INDICES = [`${MEMORY}/SESSIONS.md`, `${MEMORY}/WORKSPACE.md`]

export async function preCommit(git: UserGit): Promise<string | undefined> {
  const { root, gitDirectory, stateDirectory } = git.repository
  if (gitDirectory === undefined) return "outside git"
  if (await checkGitBusy(gitDirectory))
    return "a merge, rebase, cherry-pick or revert is in progress"
  const memory = await statFile(path.join(root, MEMORY))
  if (memory.kind !== "found" || memory.what !== "directory") return `${MEMORY} does not exist`

  // Indices quote memory files, which were redacted when they were written.
  const redact = (text: string) => text
  const held = { stateDirectory, clock: systemClock, random: systemRandom, machine: thisMachine() }
  const claims = () => createClaims(held).list()
  await createSessions({ root: () => root, stateDirectory, redact, claims }).writeIndices()
  const indexFile = indexOfCommit(git, gitDirectory)
  if (indexFile === undefined) return "a commit of selected paths uses a temporary index"
  return await stageIndices(git, indexFile)
}

/**
 * The index that stays after the commit. `git commit <paths>` uses a temporary index; a file staged
 * there would look deleted afterwards.
 */
function indexOfCommit(git: UserGit, gitDirectory: string): string | undefined {
  const own = path.join(gitDirectory, "index")
  const indexFile = git.environment["GIT_INDEX_FILE"]
  if (indexFile === undefined || indexFile === "") return own
  const file = path.resolve(git.repository.root, indexFile)
  // `<index>.lock` is the index of `git commit --all`, which then replaces the original.
  return file === own || file === `${own}.lock` ? file : undefined
}

async function stageIndices(git: UserGit, indexFile: string): Promise<string | undefined> {
  const env = { GIT_INDEX_FILE: indexFile }
  const listed = await askUserGit(git, {
    args: [...QUIET, "ls-files", "-s", "-z", "--", MEMORY],
    env,
  })
  const entries = listed?.code === 0 ? parseEntries(listed.output.toString()) : []
  if (entries.some((it) => it.stage !== "0")) return "memory files have merge conflicts"
  if (entries.length === 0 || !(await isMemoryStaged(git, env)))
    return "the commit contains no memory files"

  const lines: string[] = []
  for (const file of INDICES) {
    const id = await storeBlob(git, file)
    const entry = entries.find((it) => it.file === file)
    if (id === undefined || id === entry?.id) continue
    if (entry === undefined && (await isIgnored(git, file))) continue
    lines.push(`${entry?.mode ?? "100644"} ${id} 0\t${file}\0`)
  }
  if (lines.length === 0) return undefined
  const args = [
    ...QUIET,
    ...(await withoutFilters(git)),
    "update-index",
    "--add",
    "-z",
    "--index-info",
  ]
  const answer = await askUserGit(git, { args, env, input: lines.join("") })
  return answer?.code === 0 ? undefined : "the index could not be staged"
}

/**
 * Git re-reads files that changed in the moment of staging and runs their filters. Without filters
 * such a file looks changed until the next git command.
 */
async function withoutFilters(git: UserGit): Promise<readonly string[]> {
  const args = ["config", "--null", "--name-only", "--get-regexp", "^filter\\."]
  const answer = await askUserGit(git, { args })
  const keys = answer?.output.toString().split("\0") ?? []
  const drivers = new Set(keys.map((it) => it.split(".").slice(0, -1).join(".")))
  drivers.delete("")
  return [...drivers].flatMap((it) =>
    [`${it}.clean=`, `${it}.process=`, `${it}.required=false`].flatMap((set) => ["-c", set]),
  )
}

type Entry = {
  readonly mode: string
  readonly id: string
  readonly stage: string
  readonly file: string
}

function parseEntries(output: string): readonly Entry[] {
  return output.split("\0").flatMap((line) => {
    const [, mode, id, stage, file] = /^(\d+) ([0-9a-f]+) (\d)\t([^]+)$/.exec(line) ?? []
    if (mode === undefined || id === undefined || stage === undefined || file === undefined)
      return []
    return [{ mode, id, stage, file }]
  })
}

async function isMemoryStaged(
  git: UserGit,
  env: { readonly GIT_INDEX_FILE: string },
): Promise<boolean> {
  const head = await askLine(git, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
  // Before the first commit, everything in the index is part of the commit.
  if (head === undefined) return true
  const diff = ["diff-index", "--cached", "--quiet", "--no-ext-diff", head, "--", MEMORY]
  return (await askUserGit(git, { args: [...QUIET, ...diff], env }))?.code === 1
}

async function storeBlob(git: UserGit, file: string): Promise<string | undefined> {
  const { root } = git.repository
  const read = await readBounded(path.join(root, file), { maxBytes: LARGEST_INDEX_BYTES, root })
  if (read.kind !== "read") return undefined
  const args = [...QUIET, "hash-object", "-w", "--no-filters", "--stdin"]
  const answer = await askUserGit(git, { args, input: read.bytes })
  const id = answer?.code === 0 ? answer.output.toString().trim() : ""
  return /^[0-9a-f]{40,64}$/.test(id) ? id : undefined
}

async function isIgnored(git: UserGit, file: string): Promise<boolean> {
  // `check-ignore` does not support literal paths; our paths contain no special characters.
  const args = ["-c", "core.fsmonitor=false", "check-ignore", "--quiet", "--", file]
  return (await askUserGit(git, { args }))?.code === 0
}
