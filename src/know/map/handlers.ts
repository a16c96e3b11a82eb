import { onceUnlessRejected } from "#ground/base"
import type {
  CallContext,
  Handlers,
  mapOperations,
  ScanMode,
  searchOperations,
} from "#ground/contract"
import type { Search } from "#know/search"
import type { Redact } from "./find/describe.ts"
import type { IndexedTree, ScannedTree } from "./tree/types.ts"

export type AgentReads = { readonly sinceMs: number; readonly byPath: ReadonlyMap<string, number> }

export type MapHandlerDeps = {
  scan(mode: ScanMode, context: CallContext): Promise<ScannedTree>
  tree(context: CallContext): Promise<IndexedTree>
  /** Undefined before the first scan. */
  knownTree(context: CallContext): Promise<IndexedTree | undefined>
  /** As of the last scan, without a look at the files; undefined before the first one. */
  storedTree(): Promise<IndexedTree | undefined>
  /** The ranker is loaded at the first search. */
  search(): Promise<Pick<Search, "files">>
  redact(): Promise<Redact>
  /** How often agents read each file in stored runs; undefined if no run read one. */
  agentReads(): Promise<AgentReads | undefined>
  write(path: string, text: string): Promise<void>
}

type MapHandlers = {
  readonly map: Handlers<typeof mapOperations>
  readonly search: Handlers<typeof searchOperations>
}

export function mapHandlers(deps: MapHandlerDeps): MapHandlers {
  const answers = onceUnlessRejected(async () =>
    (await import("./find/answers.ts")).createAnswers(deps),
  )
  return {
    map: {
      scan: async (input, context) => (await answers()).scan(input, context),
      export: async (input, context) => (await answers()).export(input, context),
      tree: async (input, context) => (await answers()).tree(input, context),
      treemap: async (input, context) => (await answers()).treemap(input, context),
      folder: async (input, context) => (await answers()).folder(input, context),
      users: async (input, context) => (await answers()).users(input, context),
      show: async (input, context) => (await answers()).show(input, context),
    },
    search: {
      find: async (input, context) => (await answers()).find(input, context),
      names: async (input) => (await answers()).names(input),
    },
  }
}
