import { createHash } from "node:crypto"
import path from "node:path"
import { z } from "zod"
import type { EnrolledRepository } from "#act/kit"
import {
  countRows,
  ensureDirectory,
  isAppError,
  parseJson,
  parseJsonRecord,
  readTextBounded,
  statFile,
  thisMachine,
  versions,
  whileLocked,
  writeFileAtomic,
} from "#ground/base"
import type { fleetOperations, Handlers, RepositoryEntry } from "#ground/contract"
import { currentBranch, locateRepository } from "#see/repo"
import { loadConfig } from "./config/layers.ts"
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

type FleetDeps = Pick<Services, "clock" | "environment" | "places" | "random" | "resolve">

export const fleetHandlers = (deps: FleetDeps): Handlers<typeof fleetOperations> => {
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
async function listRepositories(deps: FleetDeps): Promise<RepositoryEntry[]> {
  const { home, repository } = deps.places()
  const registered = await readRepositories(home)
  const own = registered.some((it) => it.root === repository.root)
    ? []
    : [{ root: repository.root, addedAt: null, openedAt: null }]
  const kit = await readKit(home)
  return Promise.all(
    [...own, ...registered].map(async (it) => ({
      ...it,
      id: repositoryId(it.root),
      name: path.basename(it.root),
      isCurrent: it.root === repository.root,
      ...(await describeState(it.root, kit, deps)),
    })),
  )
}

type KitState = {
  readonly version: string | null
  readonly repositories: readonly EnrolledRepository[]
  readonly problem: string | undefined
}

const LARGEST_PACKAGE_BYTES = 1_000_000

/** The kit is installed once per user; a repository is enrolled in it. */
async function readKit(home: string): Promise<KitState> {
  try {
    const { readManifest } = await import("#act/kit")
    const { main, repositories } = await readManifest(home)
    const file = path.join(path.dirname(main), "..", "package.json")
    const text =
      main === "" ? undefined : await readTextBounded(file, { maxBytes: LARGEST_PACKAGE_BYTES })
    const version = text?.kind === "read" ? parseJsonRecord(text.text)?.["version"] : undefined
    return {
      version: typeof version === "string" ? version : null,
      repositories,
      problem: undefined,
    }
  } catch (error) {
    if (!isAppError(error)) throw error
    return { version: null, repositories: [], problem: error.message }
  }
}

type RepositoryHealth = Omit<
  RepositoryEntry,
  "addedAt" | "id" | "isCurrent" | "name" | "openedAt" | "root"
>

async function describeState(
  root: string,
  kit: KitState,
  deps: FleetDeps,
): Promise<RepositoryHealth> {
  const stat = await statFile(root)
  if (stat.kind !== "found" || stat.what !== "directory") return MISSING
  const repository = await locateRepository(root)
  const { stateDirectory } = repository
  const enrolled = kit.repositories.find((it) => it.stateDirectory === stateDirectory)
  const problems = [...(await configProblems(root, deps)), ...kitProblems(enrolled, kit)]
  if (repository.gitCommonDirectory === undefined) problems.push("It is not a git repository.")
  const now = deps.clock.now()
  // Loaded here because `qm up` and the server use this file without its list.
  const { createClaims } = await import("#know/ledger")
  const shared = { stateDirectory, clock: deps.clock, random: deps.random, machine: thisMachine() }
  return {
    branch: (await currentBranch(repository)) ?? null,
    isMissing: false,
    waiting: await askStore(stateDirectory, WAITING, [now]),
    health: problems.length === 0 ? "ok" : "warning",
    problems,
    kitVersion: enrolled === undefined ? null : kit.version,
    level: enrolled?.level ?? null,
    claims: createClaims(shared).list().length,
    spendUsd: await askStore(stateDirectory, SPEND, []),
    unknownCosts: await askStore(stateDirectory, UNKNOWN_COSTS, []),
  }
}

const MISSING: RepositoryHealth = {
  branch: null,
  isMissing: true,
  waiting: null,
  health: "missing",
  problems: ["Its folder no longer exists."],
  kitVersion: null,
  level: null,
  claims: null,
  spendUsd: null,
  unknownCosts: null,
}

async function configProblems(root: string, deps: FleetDeps): Promise<string[]> {
  const { userConfig: userFile, projectConfig: projectFile } = await findPlaces(
    root,
    deps.environment(),
  )
  const environment = deps.environment()
  const { problems } = await loadConfig({ userFile, projectFile, environment, flags: [] })
  return problems.map((it) => `${it.place}: ${it.message}`)
}

function kitProblems(enrolled: EnrolledRepository | undefined, kit: KitState): readonly string[] {
  if (kit.problem !== undefined) return [kit.problem]
  const own = versions().qm
  const isOld = enrolled !== undefined && kit.version !== null && kit.version !== own
  return isOld ? [`The kit is of version ${kit.version}, and qm is ${own}; run qm init.`] : []
}

const WAITING = "SELECT count(*) FROM run_approvals WHERE status = 'open' AND expires_at > ?"
const USD = "coalesce(json_extract(cost, '$.reportedUsd'), json_extract(cost, '$.computedUsd'))"
const SPEND = `SELECT total(${USD}) FROM runs WHERE type <> 'synthetic'`
const UNKNOWN_COSTS = `SELECT count(*) FROM runs
  WHERE type <> 'synthetic' AND turns > 0 AND ${USD} IS NULL`

/** Without opening the other repository's store; null if it has none in its folder. */
async function askStore(
  stateDirectory: string,
  query: string,
  values: readonly number[],
): Promise<number | null> {
  const file = path.join(stateDirectory, "store.db")
  if ((await statFile(file)).kind !== "found") return null
  return countRows(file, query, values) ?? null
}
