import { type CallContext, defineOperation, type ScanMode, SIGNATURES } from "#ground/contract"
import type { Search } from "#know/search"
import type { Redact } from "./find/described.ts"
import { once } from "./graph/once.ts"
import type { IndexedTree, Scanned } from "./tree/types.ts"

export type MapOperationDeps = {
  scan(mode: ScanMode, context: CallContext): Promise<Scanned>
  /** As fresh as the config wants it; scanned now if need be. */
  tree(context: CallContext): Promise<IndexedTree>
  /** As the last scan left it; undefined when there was none. */
  openTree(): Promise<IndexedTree | undefined>
  /** The ranker is loaded when somebody searches. */
  search(): Promise<Pick<Search, "files">>
  /** Known secrets are read anew for each call. */
  redact(): Promise<Redact>
  /** Writes a file, with the folders above it; a path may begin at the working directory. */
  write(path: string, text: string): Promise<void>
}

/** Every command lists them and few run one: what they stand on is loaded by the first that runs. */
export function mapOperations(deps: MapOperationDeps) {
  const answers = once(async () => (await import("./find/answers.ts")).createAnswers(deps))
  return [
    defineOperation({
      name: "map.scan",
      summary: "Bring the map of the repository up to date, and say what it holds",
      effect: "write",
      surfaces,
      ...SIGNATURES["map.scan"],
      run: async (input, context) => (await answers()).scan(input, context),
    }),
    defineOperation({
      name: "map.export",
      summary: "Write an ast_context.json for each module of the repository",
      effect: "write",
      // Whoever can name any folder of this machine sits before it.
      surfaces: ["cli"],
      ...SIGNATURES["map.export"],
      run: async (input, context) => (await answers()).export(input, context),
    }),
    defineOperation({
      name: "map.tree",
      summary: "List a folder of the map, or all files whose path has a text in it",
      effect: "read",
      surfaces,
      ...SIGNATURES["map.tree"],
      run: async (input) => (await answers()).tree(input),
    }),
    defineOperation({
      name: "map.show",
      summary: "Show a file or a symbol: what it holds, who uses it, what it uses",
      effect: "read",
      surfaces,
      ...SIGNATURES["map.show"],
      run: async (input, context) => (await answers()).show(input, context),
    }),
    defineOperation({
      name: "search.find",
      summary: "Find the files and symbols that some words are about, and why",
      effect: "read",
      surfaces,
      ...SIGNATURES["search.find"],
      run: async (input, context) => (await answers()).find(input, context),
    }),
  ] as const
}

const surfaces = ["cli", "http", "mcp"] as const
