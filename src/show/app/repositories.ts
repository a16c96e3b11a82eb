import { createHash } from "node:crypto"
import path from "node:path"
import { z } from "zod"
import {
  countRows,
  ensureDirectory,
  parseJson,
  readTextBounded,
  statFile,
  whileLocked,
  writeFileAtomic,
} from "#ground/base"
import type { Handlers, RepositoryEntry, repositoriesOperations } from "#ground/contract"
import { currentBranch, locateRepository } from "#see/repo"
import { RepositoriesUnreadable, RepositoryUnknown } from "./errors.ts"
import { findPlaces } from "./places.ts"
import type { Services } from "./services.ts"

/** A person works in a few dozen; the list is read at each change of the repository. */
const MOST_REPOSITORIES = 500
const LARGEST_REGISTRY_BYTES = 1_000_000

const Registry = z.object({
  version: z.literal(1),
  repositories: z.array(z.object({ root: z.string().min(1), addedAt: z.int(), openedAt: z.int() })),
})
type Registered = z.infer<typeof Registry>["repositories"][number]

const fileIn = (home: string): string => path.join(home, "repositories.json")

/** In a URL: the folder's name for people, and a digest of the path to tell equal names apart. */
export function repositoryId(root: string): string {
  const name = path.basename(root).toLowerCase()
  const slug = name
    .split(/[^a-z0-9]/)
    .filter((part) => part !== "")
    .join("-")
  const digest = createHash("sha256").update(root).digest("hex").slice(0, 8)
  return `${slug.slice(0, 40) || "repository"}-${digest}`
}

/** The repositories of this user that were opened with `qm up`, the last opened one first. */
export async function readRepositories(home: string): Promise<readonly Registered[]> {
  const file = fileIn(home)
  const outcome = await readTextBounded(file, { maxBytes: LARGEST_REGISTRY_BYTES })
  if (outcome.kind === "missing") return []
  const parsed = Registry.safeParse(outcome.kind === "read" ? parseJson(outcome.text) : undefined)
  if (!parsed.success) throw RepositoriesUnreadable({ file })
  return parsed.data.repositories.toSorted((a, b) => b.openedAt - a.openedAt)
}

async function changeRepositories(
  home: string,
  change: (all: readonly Registered[]) => readonly Registered[],
): Promise<void> {
  await ensureDirectory(home)
  const file = fileIn(home)
  await whileLocked(file, async () => {
    const repositories = change(await readRepositories(home)).slice(0, MOST_REPOSITORIES)
    await writeFileAtomic(file, `${JSON.stringify({ version: 1, repositories }, null, 2)}\n`)
  })
}

/** Adds the repository, or notes that it was opened again. */
export async function registerRepository(home: string, root: string, now: number): Promise<void> {
  await changeRepositories(home, (all) => {
    const earlier = all.find((it) => it.root === root)
    const others = all.filter((it) => it.root !== root)
    return [{ root, addedAt: earlier?.addedAt ?? now, openedAt: now }, ...others]
  })
}

/** The root of the registered repository with this id. */
export async function findRegistered(home: string, id: string): Promise<string | undefined> {
  return (await readRepositories(home)).find((it) => repositoryId(it.root) === id)?.root
}

type RepositoriesDeps = Pick<Services, "clock" | "environment" | "places" | "resolve">

export const repositoriesHandlers = (
  deps: RepositoriesDeps,
): Handlers<typeof repositoriesOperations> => {
  const home = () => deps.places().home
  const list = async () => ({ repositories: await listRepositories(deps) })
  return {
    list,
    async add({ path: userPath }) {
      const { root } = deps.places().repository
      const directory = userPath === undefined ? root : deps.resolve(userPath)
      const { repository } = await findPlaces(directory, deps.environment())
      await registerRepository(home(), repository.root, deps.clock.now())
      return list()
    },
    async remove({ repository: idOrPath }) {
      const root = deps.resolve(idOrPath)
      const isIt = (it: Registered) => it.root === root || repositoryId(it.root) === idOrPath
      if (!(await readRepositories(home())).some(isIt)) throw RepositoryUnknown({ given: idOrPath })
      await changeRepositories(home(), (all) => all.filter((it) => !isIt(it)))
      return list()
    },
  }
}

/** Also the current one, which need not be registered. */
async function listRepositories(deps: RepositoriesDeps): Promise<RepositoryEntry[]> {
  const { home, repository } = deps.places()
  const registered = await readRepositories(home)
  const own = registered.some((it) => it.root === repository.root)
    ? []
    : [{ root: repository.root, addedAt: null, openedAt: null }]
  return Promise.all(
    [...own, ...registered].map(async (it) => ({
      ...it,
      id: repositoryId(it.root),
      name: path.basename(it.root),
      isCurrent: it.root === repository.root,
      ...(await describeState(it.root, deps.clock.now())),
    })),
  )
}

async function describeState(
  root: string,
  now: number,
): Promise<Pick<RepositoryEntry, "branch" | "isMissing" | "waiting">> {
  const stat = await statFile(root)
  const isMissing = stat.kind !== "found" || stat.what !== "directory"
  if (isMissing) return { branch: null, isMissing, waiting: null }
  const repository = await locateRepository(root)
  const branch = (await currentBranch(repository)) ?? null
  return { branch, isMissing, waiting: await countWaiting(repository.stateDirectory, now) }
}

/** Without opening the other repository's store; null if it has none in its folder. */
async function countWaiting(stateDirectory: string, now: number): Promise<number | null> {
  const file = path.join(stateDirectory, "store.db")
  if ((await statFile(file)).kind !== "found") return null
  const query = "SELECT count(*) FROM run_approvals WHERE status = 'open' AND expires_at > ?"
  return countRows(file, query, [now]) ?? null
}
