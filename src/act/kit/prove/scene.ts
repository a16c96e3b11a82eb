import path from "node:path"
import { ensureDirectory, makeTemporaryDirectory, type Random, writeFileAtomic } from "#ground/base"

/** Characters of chance in a mark: nobody's text holds one by accident. */
const MARK_BYTES = 8

/** Words that stand nowhere else in the world: where one arrives, ours arrived. */
export type Marks = {
  /** In what the person asks for: a request with it belongs to the main conversation. */
  readonly main: string
  /** In the task of the sub-agent. */
  readonly agent: string
  /** In a file that only our boot hook brings into the window. */
  readonly boot: string
  /** In the name of the file that the sub-agent's package must bring. */
  readonly package: string
}

export type Scene = AsyncDisposable & {
  readonly root: string
  readonly stateDirectory: string
  /** For what the host itself lays down while it runs. */
  readonly scratch: string
  readonly marks: Marks
  /** For a host that lets its session be named: what it leaves can then be found. */
  readonly sessionId: string
}

/**
 * A repository for one proof, with the kit at its highest level and a path of high risk. It is
 * written by hand, so that no template or hook of the person's git has a part in it.
 */
export async function makeScene(deps: {
  readonly random: Random
  readonly now: number
}): Promise<Scene> {
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
  const mark = (word: string) =>
    `qm-proof-${word}-${Buffer.from(random.bytes(MARK_BYTES)).toString("hex")}`
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
    "CLAUDE.md": "A repository for one proof; nothing in it is of use.\n",
    [`src/${marks.package}.ts`]: "/** Boils the water. */\nexport function boilWater() {}\n",
  }
}

/** A UUID of chance, version 4, as hosts want them. */
function makeSessionId(random: Random): string {
  const hex = Buffer.from(random.bytes(16)).toString("hex")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
}

/** What a host is made to do, in the words of the house; each host has its own tools for it. */
export type Deed =
  | { readonly kind: "write"; readonly path: string; readonly text: string }
  | { readonly kind: "edit"; readonly path: string; readonly from: string; readonly to: string }
  | { readonly kind: "agent"; readonly task: string }
  | { readonly kind: "wait" }
  | { readonly kind: "done" }

export function promptOf(marks: Marks): string {
  return `A proof of Quartermaster's hooks (${marks.main}). Do as the model says.`
}

/**
 * Two files that are worth a nudge at the end, one of them edited, one file of high risk, and a
 * sub-agent: each hook has its occasion.
 */
function storyOf(marks: Marks): readonly Deed[] {
  return [
    { kind: "write", path: "src/first.ts", text: "export const first = 1\n" },
    { kind: "edit", path: "src/first.ts", from: "= 1", to: "= 2" },
    { kind: "write", path: "src/second.ts", text: "export const second = 2\n" },
    { kind: "write", path: "risky/lock.ts", text: "export const risky = true\n" },
    { kind: "agent", task: `Say in which file water is boiled. (${marks.agent})` },
    { kind: "wait" },
  ]
}

/** The deed of a turn; the main conversation and the sub-agent's are told apart by their marks. */
export function deedOf(
  question: { readonly text: string; readonly turn: number },
  marks: Marks,
): Deed {
  const isMain = question.text.includes(marks.main)
  return (isMain ? storyOf(marks)[question.turn] : undefined) ?? { kind: "done" }
}
