import { isInside, once, realPath } from "#ground/base"
import { type CodeReader, FolderUnreadable, type Knowledge, kbHandlers } from "#know/knowledge"
import type { WordVectors } from "#know/search"
import { PathOutside } from "../errors.ts"
import type { Services } from "../services.ts"
import { openEmbedder } from "./model.ts"
import { SHIPPED_RECIPES, searchWeb } from "./pipeline.ts"

type KnowledgeDeps = Pick<
  Services,
  | "clock"
  | "config"
  | "credentials"
  | "environment"
  | "log"
  | "places"
  | "random"
  | "secrets"
  | "store"
  | "tokens"
>

export async function openKnowledge(deps: KnowledgeDeps): Promise<Knowledge> {
  const { createKnowledge } = await import("#know/knowledge")
  const vectors = once(() => loadVectors(deps.log))
  return createKnowledge({
    db: async () => (await deps.store()).forRoom("knowledge"),
    clock: deps.clock,
    log: deps.log,
    count: async () => (await deps.tokens.modelCounter()).count,
    secrets: () => deps.secrets(),
    embedder: () => openEmbedder(deps),
    code: openCodeReader,
    wordVectors: () => (deps.config().knowledge.related ? vectors() : Promise.resolve(undefined)),
  })
}

/** A damaged or missing file costs related words, not the search. */
async function loadVectors(log: Services["log"]): Promise<WordVectors | undefined> {
  const { loadWordVectors } = await import("#know/search")
  return await loadWordVectors().catch((error: unknown) => {
    log.warn("related words are not searched", { error })
    return undefined
  })
}

/** The map parses source files in its own threads. */
async function openCodeReader(): Promise<CodeReader> {
  const { createMap } = await import("#know/map")
  const map = createMap()
  return {
    isSource: (path) => map.languageOf(path) !== undefined,
    async symbolsOf({ path, text }, signal) {
      const language = map.languageOf(path, text)
      if (language === undefined) return []
      const [parsed] = await map.parseMany([{ path, language, text }], { signal })
      return parsed?.facts.symbols ?? []
    },
    [Symbol.asyncDispose]: () => map[Symbol.asyncDispose](),
  }
}

type HandlerDeps = Pick<
  Services,
  "config" | "knowledge" | "mayWriteFiles" | "places" | "resolve" | "sources"
>

/** The caller determines which folders may be read. */
export function openKbHandlers(deps: HandlerDeps) {
  return kbHandlers({
    knowledge: deps.knowledge,
    web: ({ query, limit }, { signal }) =>
      searchWeb({ query, limit, signal, source: undefined }, deps),
    place: (userPath) => placeOf(userPath, deps),
    called: async (userPath) => {
      const folder = deps.resolve(userPath)
      return await realPath(folder).catch(() => folder)
    },
  })
}

/**
 * The real path. A user at this machine may add what they can read; a network caller only folders
 * inside the repository, after resolving links, and shipped ones.
 */
async function placeOf(userPath: string, deps: HandlerDeps): Promise<string> {
  const place = await realPath(deps.resolve(userPath)).catch((error: unknown) => {
    throw FolderUnreadable({ path: userPath, reason: "it does not exist" }, error)
  })
  if (deps.mayWriteFiles) return place
  const roots = [deps.places().repository.root, SHIPPED_RECIPES]
  const real = await Promise.all(roots.map((it) => realPath(it)))
  if (!real.some((root) => isInside(root, place))) throw PathOutside({ path: userPath })
  return place
}
