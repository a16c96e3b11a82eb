import path from "node:path"
import { type Clock, type Log, makeTemporaryDirectory, type Random } from "#ground/base"
import { openStore } from "#ground/store"
import type { TokenCounter } from "#ground/tokens"
import { createMap, createTreeIndex, type TreeIndex } from "#know/map"
import { bareRepository, type Git, locateRepository, openGit, type Repository } from "#see/repo"
import { NoHistory } from "./errors.ts"

export type Bench = AsyncDisposable & {
  readonly repository: Repository
  readonly git: Git | { readonly problem: string }
  readonly temporary: string
  freshIndex(): Promise<FreshIndex>
  isCode(file: string): boolean
}

type FreshIndex = AsyncDisposable & { readonly index: TreeIndex }

export type BenchDeps = {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly counter: () => Promise<TokenCounter>
}

/** Writes nothing into the repository: the state that git needs is in a temporary directory. */
export async function openBench(
  directory: string,
  deps: BenchDeps,
  signal: AbortSignal,
): Promise<Bench> {
  const { clock, random, log, environment, counter } = deps
  await using stack = new AsyncDisposableStack()
  const temp = stack.use(await makeTemporaryDirectory())
  const repository = await repositoryAt(directory, path.join(temp.path, "state"))
  const opened = await openGit({ repository, environment, signal })
  const map = stack.use(createMap())
  let stores = 0
  const owned = stack.move()
  return {
    repository,
    temporary: temp.path,
    git: opened.kind === "ready" ? opened.git : { problem: opened.reason },
    async freshIndex() {
      const file = path.join(temp.path, `index-${++stores}`, "store.db")
      const location = { kind: "sqlite", file } as const
      const store = await openStore({ location, clock, random, log })
      const index = createTreeIndex({
        db: store.forRoom("map"),
        map,
        counter,
        redact: async () => (text) => text,
        clock,
        log,
      })
      return { index, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
    },
    isCode: (file) => map.languageOf(file) !== undefined,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

async function repositoryAt(directory: string, stateDirectory: string): Promise<Repository> {
  const bare = await bareRepository(directory, { stateDirectory })
  return bare ?? { ...(await locateRepository(directory)), stateDirectory }
}

export async function pastOf({ git, repository }: Bench): Promise<{ git: Git; head: string }> {
  const failed = (reason: string) => NoHistory({ path: repository.root, reason })
  if ("problem" in git) throw failed(git.problem)
  const head = await git.headCommit()
  if (head === undefined) throw failed("it has no readable commit")
  return { git, head }
}
