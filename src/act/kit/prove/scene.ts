import path from "node:path"
import { ensureDirectory, makeTemporaryDirectory, type Random, writeFileAtomic } from "#ground/base"

/** Random enough that no other text contains a mark. */
const MARK_BYTES = 8

/** Random words: a request that contains one received our text. */
export type Marks = {
  /** In the user's prompt, to recognize requests of the main conversation. */
  readonly main: string
  readonly agent: string
  /** In a file that only our boot hook brings into the context window. */
  readonly boot: string
  /** In the name of the file that the sub-agent's package must contain. */
  readonly package: string
}

export type StoryFolder = AsyncDisposable & {
  readonly root: string
  readonly stateDirectory: string
  readonly scratch: string
  readonly marks: Marks
  /** For a host whose session id can be set, so that its leftovers can be found. */
  readonly sessionId: string
}

/**
 * A repository for one proof, with the kit at level 7 and a high-risk path. It is written without
 * git, so that no git template or hook of the user takes part.
 */
export async function makeScene(deps: {
  readonly random: Random
  readonly now: number
}): Promise<StoryFolder> {
  const temporary = await makeTemporaryDirectory()
  try {
    const root = path.join(temporary.path, "project")
    const scratch = path.join(temporary.path, "scratch")
    const stateDirectory = path.join(root, ".git", "qm")
    const marks = makeMarks(deps.random)
    for (const folder of [scratch, stateDirectory, ...EMPTY_FOLDERS.map((it) => `${root}/${it}`)]) {
      await ensureDirectory(folder)
    }
    for (const [name, text] of Object.entries(filesOf(marks, deps.now))) {
      await ensureDirectory(path.dirname(path.join(root, name)))
      await writeFileAtomic(path.join(root, name), text)
    }
    const dispose = () => temporary[Symbol.asyncDispose]()
    const sessionId = makeSessionId(deps.random)
    return { root, stateDirectory, scratch, marks, sessionId, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await temporary[Symbol.asyncDispose]()
    throw error
  }
}

const EMPTY_FOLDERS = [".git/objects", ".git/refs/heads"]

function makeMarks(random: Random): Marks {
  const mark = (name: string) =>
    `qm-proof-${name}-${Buffer.from(random.bytes(MARK_BYTES)).toString("hex")}`
  return { main: mark("main"), agent: mark("agent"), boot: mark("boot"), package: mark("kettle") }
}

function filesOf(marks: Marks, now: number): Readonly<Record<string, string>> {
  const config = { kit: { level: 7, fetch: false }, guard: { highRiskPaths: "risky/**" } }
  return {
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/config": "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
    ".git/qm/kit.json": `${JSON.stringify({ version: 1, enrolledAt: now })}\n`,
    ".qm/config.json": `${JSON.stringify(config, null, 2)}\n`,
    "CHANGELOG.md": `# Changelog\n\n## [Unreleased]\n\n- ${marks.boot}\n`,
    "CLAUDE.md": "A temporary repository for one test of hooks.\n",
    [`src/${marks.package}.ts`]: "/** Boils the water. */\nexport function boilWater() {}\n",
  }
}

function makeSessionId(random: Random): string {
  const hex = Buffer.from(random.bytes(16)).toString("hex")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
}

export type StoryAction =
  | { readonly kind: "write"; readonly path: string; readonly text: string }
  | { readonly kind: "edit"; readonly path: string; readonly from: string; readonly to: string }
  | { readonly kind: "read"; readonly path: string }
  | { readonly kind: "agent"; readonly task: string }
  | { readonly kind: "wait" }
  | { readonly kind: "done" }

export function promptOf(marks: Marks): string {
  return `A proof of Quartermaster's hooks (${marks.main}). Do as the model says.`
}

/**
 * Two files that trigger a nudge at the end (one of them edited), one high-risk file, a read and a
 * sub-agent: together they trigger every hook.
 */
function storyOf(marks: Marks): readonly StoryAction[] {
  return [
    { kind: "write", path: "src/first.ts", text: "export const first = 1\n" },
    { kind: "edit", path: "src/first.ts", from: "= 1", to: "= 2" },
    { kind: "write", path: "src/second.ts", text: "export const second = 2\n" },
    { kind: "write", path: "risky/lock.ts", text: "export const risky = true\n" },
    { kind: "read", path: "src/second.ts" },
    { kind: "agent", task: `Say in which file water is boiled. (${marks.agent})` },
    { kind: "wait" },
  ]
}

export function deedOf(
  question: { readonly text: string; readonly turn: number },
  marks: Marks,
): StoryAction {
  const isMain = question.text.includes(marks.main)
  return (isMain ? storyOf(marks)[question.turn] : undefined) ?? { kind: "done" }
}
