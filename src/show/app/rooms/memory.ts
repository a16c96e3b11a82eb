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

export async function openMemory(deps: MemoryDeps): Promise<MemoryRoom> {
  const { repository } = deps.places()
  return createMemory({
    db: async () => (await deps.store()).forRoom("memory"),
    root: () => repository.root,
    stateDirectory: () => repository.stateDirectory,
    clock: deps.clock,
    random: deps.random,
    log: deps.log,
    count: async () => (await deps.tokens.modelCounter()).count,
    secrets: () => deps.secrets(),
    hashOf: (cite) => hashCited(cite, deps),
    commit: async () => (await headCommit(repository)) ?? null,
    isUntrusted: async (session) => (await deps.fold()).hasReadUntrusted(session),
  })
}

export function openMemoryHandlers(deps: Pick<Services, "fold" | "memory">) {
  return { memory: handleMemories(deps), decision: handleDecisions(deps) }
}

/** The first memory that a branch records on request ends its distillation. */
function handleMemories(deps: Pick<Services, "fold" | "memory">) {
  return memoryHandlers({
    memory: deps.memory,
    // By branch, not by session: a duplicate belongs to the session that wrote it first.
    async onRecorded({ branchId }, caller) {
      if (caller !== undefined) await (await deps.fold()).finishDistillation(branchId, caller)
    },
  })
}

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
 * The current hash of cited code: git's id of a whole file, or of a symbol's own lines, so that an
 * edit elsewhere in the file does not matter. Undefined if the code is gone. Reads nothing outside
 * the repository and no secret file.
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

/** The current index, unless this file has changed since. */
async function treeWith(path: string, bytes: Uint8Array, { map }: CitationDeps): Promise<Tree> {
  const isCurrent = ({ files }: Tree): boolean => {
    const file = files.find((it) => it.path === path)
    return file?.blobId === blobId(bytes, file?.blobId.length === 64 ? "sha256" : "sha1")
  }
  const openedTree = await map().openTree()
  if (openedTree !== undefined && isCurrent(openedTree)) return openedTree
  const { tree, isJoined } = await scanTogether(map())
  // The joined scan may have passed this file before it changed.
  return isJoined && !isCurrent(tree) ? (await scanTogether(map())).tree : tree
}

const underWay = new WeakMap<Scans, Promise<Tree>>()

/** Many citations are looked up at once; one scan serves all. */
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

/** By name or by `Parent.name`; the first match counts. */
async function linesOf(tree: Tree, { path, symbol }: Required<Citation>) {
  const file = tree.files.find((it) => it.path === path)
  if (file === undefined) return undefined
  const symbols = (await tree.contents([file.content])).get(file.content)?.symbols ?? []
  const definition = symbols.find(
    (it) => it.name === symbol || `${it.parent ?? ""}.${it.name}` === symbol,
  )
  return definition === undefined ? undefined : { from: definition.fromLine, to: definition.toLine }
}
