import {
  type Content,
  commitTree,
  type IndexedTree,
  type TreeIndex,
  type TreeSource,
} from "#know/map"
import { cleanMessage, readQuery } from "#know/search"
import { type Commit, classifyPath, type Git } from "#see/repo"
import { editedRanges } from "./hunks.ts"
import type { EditedFile } from "./metrics.ts"

const MOST_REMEMBERED_TEXT_UNITS = 300_000_000

const MOST_CHANGED_FILES = 50

/** A larger commit is a mass edit, which no list of ten files can cover. */
const MOST_TRUE_FILES = 8

const FEWEST_WORDS = 3

type Task = {
  readonly id: string
  readonly parent: string
  readonly text: string
  readonly truth: readonly string[]
}

/** Commits that numbers were tuned on, commits that are reported, or both. */
export type TaskHalf = "tune" | "report" | "all"

type ChosenTasks = {
  readonly tasks: readonly Task[]
  readonly skipped: number
}

export function chooseTasks(
  commits: readonly Commit[],
  { half, most, isSource }: { readonly half: TaskHalf; readonly most: number } & SourceTest,
): ChosenTasks {
  const ofHalf = commits.filter((it) => half === "all" || halfOf(it.id) === half)
  const tasks = ofHalf.flatMap((it) => taskOf(it, isSource) ?? [])
  return { tasks: spread(tasks, most), skipped: ofHalf.length - tasks.length }
}

type SourceTest = { readonly isSource: (path: string) => boolean }

export function halfOf(commitId: string): Exclude<TaskHalf, "all"> {
  return Number.parseInt(commitId.slice(0, 2), 16) % 2 === 0 ? "tune" : "report"
}

function taskOf(commit: Commit, isSource: SourceTest["isSource"]): Task | undefined {
  const [parent, ...others] = commit.parents
  if (parent === undefined || others.length > 0) return undefined
  const { changes } = commit
  if (changes === undefined || changes.length > MOST_CHANGED_FILES) return undefined
  const truth = changes.flatMap((it) =>
    it.kind === "modified" && isSource(it.path) ? it.path : [],
  )
  if (truth.length === 0 || truth.length > MOST_TRUE_FILES) return undefined
  const text = cleanMessage(commit.message)
  if (readQuery(text).terms.length < FEWEST_WORDS) return undefined
  return { id: commit.id, parent, text, truth }
}

export function isSourcePath(path: string, isCode: (path: string) => boolean): boolean {
  return classifyPath(path) === "source" && isCode(path)
}

function spread<Item>(items: readonly Item[], most: number): readonly Item[] {
  if (items.length <= most) return items
  return Array.from(
    { length: most },
    (_, at) => items[Math.floor((at * items.length) / most)],
  ).filter((it) => it !== undefined)
}

export type SetTask = {
  readonly task: Task
  readonly tree: IndexedTree
  readonly truth: ReadonlySet<string>
  readonly edited: readonly EditedFile[]
}

type TaskContext = {
  readonly git: Git
  readonly index: TreeIndex
  readonly isSource: (path: string) => boolean
  readonly remember: (tree: IndexedTree) => IndexedTree
  readonly signal: AbortSignal
}

/** Undefined when none of its files is in the index, for example because they are generated. */
export async function setTask(task: Task, setting: TaskContext): Promise<SetTask | undefined> {
  const set = await indexTask(task, setting)
  if (set === undefined) return undefined
  const { git, signal } = setting
  const after = commitTree({ git, commit: task.id })
  const edited = await editsOf([...set.truth], { tree: set.tree, after, signal })
  return { ...set, edited }
}

/** The tree of `task.parent`, and the expected files that are in it. */
export async function indexTask(
  task: Task,
  { git, index, isSource, remember, signal }: TaskContext,
): Promise<Omit<SetTask, "edited"> | undefined> {
  // One key, so that each tree replaces the previous one and shares its contents.
  const parent = commitTree({ git, commit: task.parent, key: "recall" })
  const scanned = await index.scan(sourceOnly(parent, isSource), { mode: "incremental", signal })
  const tree = remember(scanned.tree)
  const inTree = new Set(tree.files.flatMap((it) => (it.fileClass === "source" ? it.path : [])))
  const truth = new Set(task.truth.filter((it) => inTree.has(it)))
  return truth.size === 0 ? undefined : { task, tree, truth }
}

/** Without tests, documents and data: a test beside the changed code is no wrong result. */
function sourceOnly(source: TreeSource, isSource: TaskContext["isSource"]): TreeSource {
  return {
    ...source,
    async list(signal) {
      const listed = await source.list(signal)
      return { ...listed, entries: listed.entries.filter((it) => isSource(it.path)) }
    },
  }
}

async function editsOf(
  paths: readonly string[],
  it: { readonly tree: IndexedTree; readonly after: TreeSource; readonly signal: AbortSignal },
): Promise<readonly EditedFile[]> {
  const pathSet = new Set(paths)
  const listed = await it.after.list(it.signal)
  const entries = listed.entries.filter(({ path }) => pathSet.has(path))
  const before = await it.tree.texts(paths)
  const edited: EditedFile[] = []
  for await (const read of it.after.read(entries, it.signal)) {
    const old = before.get(read.path)
    if (old === undefined || "skip" in read) continue
    const text = Buffer.from(read.bytes).toString("utf8")
    edited.push({ path: read.path, hunks: editedRanges(old, text) })
  }
  return edited
}

/**
 * Caches texts and contents over all contenders and tasks: neighbouring trees share nearly all of
 * them, and reading texts from git is most of the cost of a task.
 */
export function createMemory(): (tree: IndexedTree) => IndexedTree {
  const textByBlob = new Map<string, string>()
  const contentByNumber = new Map<number, Content>()
  let units = 0
  return (tree) => {
    const blobByPath = new Map(tree.files.map((it) => [it.path, it.blobId]))
    return {
      ...tree,
      async texts(paths) {
        const blobOf = (path: string) => blobByPath.get(path) ?? ""
        const unknown = paths.filter((it) => !textByBlob.has(blobOf(it)))
        if (units > MOST_REMEMBERED_TEXT_UNITS) {
          textByBlob.clear()
          contentByNumber.clear()
          units = 0
        }
        const missing = textByBlob.size === 0 ? paths : unknown
        for (const [path, text] of missing.length === 0 ? [] : await tree.texts(missing)) {
          if (text === undefined) continue
          textByBlob.set(blobOf(path), text)
          units += text.length
        }
        return new Map(paths.map((it) => [it, textByBlob.get(blobOf(it))]))
      },
      async contents(numbers) {
        const unknown = numbers.filter((it) => !contentByNumber.has(it))
        const contents = unknown.length === 0 ? [] : await tree.contents(unknown)
        for (const [number, content] of contents) contentByNumber.set(number, content)
        return new Map(
          numbers.flatMap((lineNumber) => {
            const content = contentByNumber.get(lineNumber)
            return content === undefined ? [] : [[lineNumber, content] as const]
          }),
        )
      },
    }
  }
}
