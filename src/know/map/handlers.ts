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
import type { IndexedTree, Scanned } from "./tree/types.ts"

export type MapHandlerDeps = {
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
