import { isInside, realPath } from "#ground/base"
import { FolderUnreadable, type Knowledge, kbHandlers } from "#know/knowledge"
import { PathOutside } from "../errors.ts"
import type { Services } from "../services.ts"
import { openEmbedder } from "./model.ts"
import { SHIPPED_AGENTS, searchWeb } from "./pipeline.ts"

type KnowledgeDeps = Pick<
  Services,
  | "clock"
  | "config"
  | "credentials"
  | "environment"
  | "log"
  | "random"
  | "secrets"
  | "store"
  | "tokens"
>

/** The documents that were added here, on the store of this repository. */
export async function openKnowledge(deps: KnowledgeDeps): Promise<Knowledge> {
  const { createKnowledge } = await import("#know/knowledge")
  return createKnowledge({
    db: async () => (await deps.store()).forRoom("knowledge"),
    clock: deps.clock,
    log: deps.log,
    count: async () => (await deps.tokens.counter()).count,
    secrets: () => deps.secrets(),
    embedder: () => openEmbedder(deps),
  })
}

type HandlerDeps = Pick<
  Services,
  "config" | "knowledge" | "mayWriteFiles" | "places" | "resolve" | "sources"
>

/** What surfaces may ask of the documents; which folders may be read depends on who asks. */
export function openKbHandlers(deps: HandlerDeps) {
  return kbHandlers({
    knowledge: deps.knowledge,
    web: ({ query, limit }, { signal }) =>
      searchWeb({ query, limit, signal, source: undefined }, deps),
    place: (given) => placeOf(given, deps),
    called: async (given) => {
      const folder = deps.resolve(given)
      return await realPath(folder).catch(() => folder)
    },
  })
}

/**
 * Where it really lies. Whoever sits before this machine may read what they can; a caller over the
 * network only what is in the repository, wherever links in it lead, and what came with us.
 */
async function placeOf(given: string, deps: HandlerDeps): Promise<string> {
  const place = await realPath(deps.resolve(given)).catch((error: unknown) => {
    throw FolderUnreadable({ path: given, reason: "it does not exist" }, error)
  })
  if (deps.mayWriteFiles) return place
  const roots = [deps.places().repository.root, SHIPPED_AGENTS]
  const real = await Promise.all(roots.map((it) => realPath(it)))
  if (!real.some((root) => isInside(root, place))) throw PathOutside({ path: given })
  return place
}
