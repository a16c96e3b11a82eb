import type { Pipelines } from "#act/pipeline"
import type { Credentials } from "#ground/secrets"
import type { Knowledge } from "#know/knowledge"
import type { Sources } from "#see/sources"
import { memo, once } from "../once.ts"
import type { OperationDeps } from "../operations.ts"
import { loadSecrets } from "../secrets/known-secrets.ts"

type Deps = Omit<
  OperationDeps,
  | "credentials"
  | "fold"
  | "knowledge"
  | "mapping"
  | "mayWriteFiles"
  | "memory"
  | "pipelines"
  | "sources"
>

/** Documents, sources, keys and the pipelines over them, each made at its first call. */
export function openResearch(deps: Deps) {
  const credentials = memo(
    async (): Promise<Credentials> =>
      (await import("../secrets/credentials.ts")).openCredentials(deps),
  )
  const redact = async (text: string): Promise<string> =>
    (await loadSecrets(deps.places().repository.root, deps)).redact(text).text
  const sources = once(
    async (): Promise<Sources> => (await import("./sources.ts")).openSources({ ...rooms, redact }),
  )
  const knowledge = memo(async (): Promise<Knowledge> => {
    const { openEmbedder } = await import("./model.ts")
    const { openKnowledge } = await import("./knowledge.ts")
    return openKnowledge({ ...rooms, embedder: () => openEmbedder(rooms) })
  })
  const pipelines = once(
    async (): Promise<Pipelines> => (await import("./pipeline.ts")).openPipelines(rooms),
  )
  const rooms = {
    ...deps,
    credentials: credentials.get,
    sources: sources.open,
    knowledge: knowledge.get,
    pipelines: pipelines.open,
  }
  return {
    rooms: {
      credentials: rooms.credentials,
      sources: rooms.sources,
      knowledge: rooms.knowledge,
      pipelines: rooms.pipelines,
    },
    async close(): Promise<void> {
      await pipelines.close()
      await sources.close()
    },
  }
}
