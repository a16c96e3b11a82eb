import { join } from "node:path"
import { ensureDirectory, run, statFile, writeFileAtomic } from "#ground/base"
import type { HookContext } from "../../event.ts"

/** Git gets this much of the hook's time; a later result is dropped. */
const LONGEST_GIT_MS = 150

const GIT_ANSWER_BYTES = 200

export type CommitCounts = { readonly ahead: number; readonly behind: number }

type CountRequest = {
  readonly common: string
  readonly head: string
  readonly other: string
}

/**
 * Commits that only one of the two refs has. Git runs in a folder of Quartermaster that borrows
 * only the objects of the repository, as in `see/repo`, so no config, hook or monitor of the
 * repository takes effect. `see/repo` also checks all objects first, which takes longer than a hook
 * may.
 */
export async function countCommits(
  request: CountRequest,
  { stateDirectory, signal }: Pick<HookContext, "stateDirectory" | "signal">,
): Promise<CommitCounts | undefined> {
  const { common, head, other } = request
  const program = await gitProgram()
  if (program === undefined) return undefined
  const view = await makeView(stateDirectory, head.length === 64 ? "sha256" : "sha1")
  const isShallow = await isFile(join(common, "shallow"))
  const shallow = isShallow ? { GIT_SHALLOW_FILE: join(common, "shallow") } : {}
  const args = [...SETTINGS, "rev-list", "--left-right", "--count", `${head}...${other}`, "--"]
  const outcome = await run(program, args, {
    cwd: view,
    env: { ...ENVIRONMENT, ...shallow, ...placesOf(view, common) },
    signal,
    timeoutMs: LONGEST_GIT_MS,
    maxOutputBytes: GIT_ANSWER_BYTES,
    atLimit: "end",
  })
  const isDone = outcome.kind === "exited" && outcome.code === 0
  const [, ahead, behind] = isDone ? (/^(\d+)\t(\d+)\n$/.exec(outcome.stdout.toString()) ?? []) : []
  if (ahead === undefined || behind === undefined) return undefined
  return { ahead: Number(ahead), behind: Number(behind) }
}

/** Not from PATH, which may contain programs of the project. */
const PROGRAMS: readonly string[] =
  process.platform === "win32"
    ? ["C:\\Program Files\\Git\\cmd\\git.exe"]
    : [
        "/opt/homebrew/bin/git",
        "/usr/local/bin/git",
        "/run/current-system/sw/bin/git",
        "/usr/bin/git",
      ]

async function gitProgram(): Promise<string | undefined> {
  for (const file of PROGRAMS) if ((await statFile(file)).kind === "found") return file
  return undefined
}

/** The same folder with the same bytes as in `see/repo`. */
async function makeView(stateDirectory: string, format: "sha1" | "sha256"): Promise<string> {
  const view = join(stateDirectory, "git-view", format)
  if (await isFile(join(view, "config"))) return view
  await ensureDirectory(join(view, "refs"))
  await ensureDirectory(join(view, "objects"))
  await writeFileAtomic(join(view, "HEAD"), "ref: refs/heads/none\n")
  await writeFileAtomic(join(view, "config"), CONFIG[format])
  return view
}

const CONFIG = {
  sha1: "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
  sha256:
    "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n",
} as const

async function isFile(path: string): Promise<boolean> {
  const stat = await statFile(path)
  return stat.kind === "found" && stat.what === "regular file"
}

/** Switches off everything that could make git execute a program. */
const SETTINGS: readonly string[] = [
  "--no-pager",
  "--no-replace-objects",
  ...[
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.attributesFile=/dev/null",
    "core.pager=cat",
    "core.sshCommand=false",
    "credential.helper=",
    "gpg.program=false",
    "log.showSignature=false",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
    "gc.auto=0",
    "maintenance.auto=false",
  ].flatMap((setting) => ["-c", setting]),
]

/** Complete: no other variable is passed on. */
const ENVIRONMENT = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_ALLOW_PROTOCOL: "",
  GIT_NO_LAZY_FETCH: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  LC_ALL: "C",
} as const

function placesOf(view: string, common: string) {
  const GIT_OBJECT_DIRECTORY = join(common, "objects")
  return { GIT_DIR: view, GIT_COMMON_DIR: view, GIT_OBJECT_DIRECTORY, HOME: view }
}
