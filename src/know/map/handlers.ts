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

export type MapHandlerDeps = {
  scan(mode: ScanMode, context: CallContext): Promise<ScannedTree>
  tree(context: CallContext): Promise<IndexedTree>
  /** As of the last scan; undefined before the first. */
  openTree(): Promise<IndexedTree | undefined>
  /** The ranker is loaded at the first search. */
  search(): Promise<Pick<Search, "files">>
  redact(): Promise<Redact>
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
      tree: async (input) => (await answers()).tree(input),
      show: async (input, context) => (await answers()).show(input, context),
    },
    search: { find: async (input, context) => (await answers()).find(input, context) },
  }
}
