import { commitTree, type IndexedTree, type TreeIndex, type TreeSource } from "#know/map"
import type { Git } from "#see/repo"
import { editedRanges } from "./hunks.ts"
import type { EditedFile } from "./metrics.ts"
import type { Task } from "./tasks.ts"

/** A task with the tree it is set on, and what is to be found in it. */
export type SetTask = {
  readonly task: Task
  readonly tree: IndexedTree
  readonly truth: ReadonlySet<string>
  readonly edited: readonly EditedFile[]
}

export type Setting = {
  readonly git: Git
  readonly index: TreeIndex
  readonly isSource: (path: string) => boolean
  /** Makes a tree that reads nothing twice. */
  readonly remember: (tree: IndexedTree) => IndexedTree
  readonly signal: AbortSignal
}

/** Undefined when none of its files is in the index, as with one that says it was generated. */
export async function setTask(task: Task, setting: Setting): Promise<SetTask | undefined> {
  const { git, index, isSource, remember, signal } = setting
  // One key: each tree replaces the one before, and their contents are shared.
  const parent = commitTree({ git, commit: task.parent, key: "recall" })
  const scanned = await index.scan(sourceOnly(parent, isSource), { mode: "incremental", signal })
  const tree = remember(scanned.tree)
  const inTree = new Set(tree.files.flatMap((it) => (it.fileClass === "source" ? it.path : [])))
  const truth = new Set(task.truth.filter((it) => inTree.has(it)))
  if (truth.size === 0) return undefined
  const after = commitTree({ git, commit: task.id })
  return { task, tree, truth, edited: await editsOf([...truth], { tree, after, signal }) }
}

/** Tests, documents and data stay out: a test beside the code that changed is no wrong answer. */
function sourceOnly(source: TreeSource, isSource: Setting["isSource"]): TreeSource {
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
  const wanted = new Set(paths)
  const listed = await it.after.list(it.signal)
  const entries = listed.entries.filter(({ path }) => wanted.has(path))
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
