import { createHash } from "node:crypto"
import type { CallContext, decisionOperations, Handlers } from "#ground/contract"
import type { IndexedTree } from "#know/map"
import { createMemory, decisionBody, type MemoryRoom, memoryHandlers } from "#know/memory"
import { blobId, headCommit, readTreeFile } from "#see/repo"
import type { Services } from "../services.ts"

type MemoryDeps = Pick<
  Services,
  "clock" | "fold" | "log" | "map" | "places" | "random" | "secrets" | "store" | "tokens"
>

/** What this repository decided to remember: files in it, and an index in the store. */
export async function openMemory(deps: MemoryDeps): Promise<MemoryRoom> {
  const { repository } = deps.places()
  return createMemory({
    db: async () => (await deps.store()).forRoom("memory"),
    root: () => repository.root,
    stateDirectory: () => repository.stateDirectory,
    clock: deps.clock,
    random: deps.random,
    log: deps.log,
    count: async () => (await deps.tokens.counter()).count,
    secrets: () => deps.secrets(),
    hashOf: (cite) => hashCited(cite, deps),
    commit: async () => (await headCommit(repository)) ?? null,
    isUntrusted: async (session) => (await deps.fold()).hasReadUntrusted(session),
  })
}

export function openMemoryHandlers(deps: Pick<Services, "fold" | "memory">) {
  return { memory: handleMemories(deps), decision: handleDecisions(deps) }
}

/** Memories; one that a branch was asked for ends its distillation. */
function handleMemories(deps: Pick<Services, "fold" | "memory">) {
  return memoryHandlers({
    memory: deps.memory,
    // Not by the session of the memory: one that was there already is of whoever wrote it.
    async onRecorded({ branchId }, caller) {
      if (caller !== undefined) await (await deps.fold()).finishDistillation(branchId, caller)
    },
  })
}

/** Decisions are memories of one kind, with the parts that a record of a decision has. */
const handleDecisions = ({
  memory,
}: Pick<Services, "memory">): Handlers<typeof decisionOperations> => ({
  add: async ({ title, context, decision, consequences, cites }, { caller }) =>
    (await memory()).record(
      {
        kind: "decision",
        title,
        description: "",
        body: decisionBody({ context, decision, consequences }),
        cites,
        untrusted: false,
      },
      caller,
    ),
  list: async ({ limit }) => (await memory()).list({ kind: "decision", limit }),
  show: async (input) => (await memory()).show(input),
})

type Citation = { readonly path: string; readonly symbol?: string }

/** What is asked of the map. */
type Tree = Pick<IndexedTree, "files" | "contents">
type Scans = {
  openTree(): Promise<Tree | undefined>
  scan(mode: "incremental", context: CallContext): Promise<{ readonly tree: Tree }>
}

type CitationDeps = {
  places(): { readonly repository: { readonly root: string } }
  map(): Scans
}

/**
 * The hash of code a memory cites, as the code is now: git's id of a whole file, or that of a
 * symbol's own lines, so that an edit elsewhere in the file leaves it alone. Undefined when it is
 * gone. Nothing outside of the repository is read, and nothing that holds secrets.
 */
export async function hashCited(
  { path, symbol }: Citation,
  deps: CitationDeps,
): Promise<string | undefined> {
  const read = readTreeFile(deps.places().repository.root, path)
  if (read.kind !== "read") return undefined
  if (symbol === undefined) return blobId(read.bytes, "sha1")
  const tree = await treeWith(path, read.bytes, deps)
  const lines = await linesOf(tree, { path, symbol })
  if (lines === undefined) return undefined
  const text = read.bytes
    .toString("utf8")
    .split("\n")
    .slice(lines.from - 1, lines.to)
    .join("\n")
  return createHash("sha1").update(text).digest("hex")
}

/** The index as it stands, unless this file has changed since. */
async function treeWith(path: string, bytes: Uint8Array, { map }: CitationDeps): Promise<Tree> {
  const isCurrent = ({ files }: Tree): boolean => {
    const file = files.find((it) => it.path === path)
    return file?.blobId === blobId(bytes, file?.blobId.length === 64 ? "sha256" : "sha1")
  }
  const known = await map().openTree()
  if (known !== undefined && isCurrent(known)) return known
  const { tree, isJoined } = await scanTogether(map())
  // One that was under way may have been past this file before it changed.
  return isJoined && !isCurrent(tree) ? (await scanTogether(map())).tree : tree
}

const underWay = new WeakMap<Scans, Promise<Tree>>()

/** Many citations are looked up at once, and one scan serves them all. */
async function scanTogether(
  scans: Scans,
): Promise<{ readonly tree: Tree; readonly isJoined: boolean }> {
  const running = underWay.get(scans)
  if (running !== undefined) return { tree: await running, isJoined: true }
  const scan = scans.scan("incremental", NOBODY_WAITS).then(({ tree }) => tree)
  underWay.set(scans, scan)
  try {
    return { tree: await scan, isJoined: false }
  } finally {
    underWay.delete(scans)
  }
}

const NOBODY_WAITS: CallContext = { signal: new AbortController().signal }

/** A symbol by its name, or by `Parent.name` where several have it. */
async function linesOf(tree: Tree, { path, symbol }: Required<Citation>) {
  const file = tree.files.find((it) => it.path === path)
  if (file === undefined) return undefined
  const symbols = (await tree.contents([file.content])).get(file.content)?.symbols ?? []
  const found = symbols.find(
    (it) => it.name === symbol || `${it.parent ?? ""}.${it.name}` === symbol,
  )
  return found === undefined ? undefined : { from: found.fromLine, to: found.toLine }
}
