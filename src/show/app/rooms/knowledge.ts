import { isInside, realPath } from "#ground/base"
import { FolderUnreadable, type Knowledge, kbHandlers } from "#know/knowledge"
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
  | "random"
  | "secrets"
  | "store"
  | "tokens"
>

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
