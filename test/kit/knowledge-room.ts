import { mkdir, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import { createSecrets } from "#ground/secrets"
import { type Db, openStore, type Store, type StoreLocation } from "#ground/store"
import { createKnowledge, type Embedder, type Knowledge, type KnowledgeDeps } from "#know/knowledge"
import { testClock } from "./clock.ts"
import { tempDirectory } from "./temp.ts"

export type KnowledgeFixture = AsyncDisposable & {
  readonly folder: string
  readonly store: Store
  readonly deps: KnowledgeDeps
  readonly clock: ReturnType<typeof testClock>
  readonly kb: Knowledge
  other(changes: Partial<KnowledgeDeps>): Knowledge
  write(files: Readonly<Record<string, string | Uint8Array>>): Promise<void>
  remove(path: string): Promise<void>
  events(): Promise<readonly string[]>
}

export async function knowledgeFixture(
  location: StoreLocation = { kind: "memory" },
): Promise<KnowledgeFixture> {
  const temp = await tempDirectory()
  const store = await openStore({
    location,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
  })
  const clock = testClock()
  const secrets = createSecrets({ random: systemRandom })
  const db: Db<"knowledge"> = store.forRoom("knowledge")
  const deps: KnowledgeDeps = {
    db: async () => db,
    clock,
    log: silentLog,
    count: async () => (text) => Math.ceil(text.length / 4),
    secrets: async () => secrets,
    embedder: async () => undefined,
  }
  return {
    folder: temp.path,
    store,
    deps,
    clock,
    kb: createKnowledge(deps),
    other: (changes) => createKnowledge({ ...deps, ...changes }),
    async write(files) {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(temp.path, path)), { recursive: true })
        await writeFile(join(temp.path, path), text)
      }
    },
    remove: (path) => rm(join(temp.path, path), { recursive: true }),
    async events() {
      const query = { after: undefined, limit: 1_000, namePrefix: "knowledge." }
      const page = await store.journal.read(query)
      return "entries" in page ? page.entries.map((it) => JSON.stringify(it.body)) : []
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]()
      await temp[Symbol.asyncDispose]()
    },
  }
}

/** An embedder with few dimensions: words of one kind have the same vector. */
export function kindEmbedder(kinds: readonly (readonly string[])[]) {
  const calls: (readonly string[])[] = []
  const state = { isBroken: false }
  const embedder: Embedder = {
    name: "kinds-1",
    async embed(texts) {
      if (state.isBroken) throw new Error("the embedder is away")
      calls.push(texts)
      return texts.map((text) => {
        const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
        return Float32Array.from([
          0.01,
          ...kinds.map((kind) => words.filter((it) => kind.includes(it)).length),
        ])
      })
    },
  }
  return { embedder, calls, state }
}
