import path from "node:path"
import { createSwarm, DefinitionUnknown, type SwarmRoom, swarmHandlers } from "#act/swarm"
import { createIds, readTextBounded } from "#ground/base"
import { PackBuilt, Simulation, type Ticket } from "#ground/contract"
import { locateRepository, PROJECT_FOLDER } from "#see/repo"
import type { Services } from "../services.ts"
import { openBoard } from "./board.ts"
import { claimsOn } from "./ledger.ts"

const LARGEST_DEFINITION_BYTES = 256 * 1024

/** The files of a package that a ticket without paths will probably change. */
const MOST_PACKAGE_FILES = 5

/** The ticket's own file matches its title best, and every ticket would share the board. */
const OWN_FOLDER = `${PROJECT_FOLDER}/`

export async function openSwarm(deps: Services): Promise<SwarmRoom> {
  const { root, stateDirectory } = deps.places().repository
  const signal = new AbortController().signal
  return createSwarm({
    stateDirectory,
    clock: deps.clock,
    ids: createIds(deps),
    log: deps.log,
    settings: () => deps.config().swarm,
    board: async ({ root: at, by } = {}) =>
      openBoard(deps, {
        ...(at === undefined ? {} : { worktree: await locateRepository(at) }),
        ...(by === undefined ? {} : { by }),
      }),
    worktrees: deps.worktrees,
    agents: deps.agents,
    sources: {
      receiptFiles: async (ticket) => receiptFiles(ticket, deps),
      async packageFiles({ title }) {
        const built = PackBuilt.parse(await deps.call("pack.build", { task: title }, { signal }))
        const files = built.pack.files.map((it) => it.path)
        return files.filter((it) => !it.startsWith(OWN_FOLDER)).slice(0, MOST_PACKAGE_FILES)
      },
      async likelyTests(files) {
        try {
          const simulated = await deps.call("guard.simulate", { paths: files }, { signal })
          return Simulation.parse(simulated).receipt.tests.map((it) => it.path)
        } catch {
          // A new file has no tests, and a file that the map cannot read has none that are known.
          return []
        }
      },
    },
    checks: () =>
      deps
        .config()
        .board.checks.split(";")
        .map((it) => it.trim().split(/\s+/))
        .filter(([first = ""]) => first !== ""),
    definition: (name) => readDefinition(root, name),
    claimedByOthers: (paths) => claimsOn(paths, deps, undefined),
    refuseUnlessAuto: async (caller) =>
      (await deps.autonomy()).refuseUnlessAuto("swarm-dispatch", caller),
    db: async () => (await deps.store()).forRoom("swarm"),
  })
}

export const openSwarmHandlers = (deps: Pick<Services, "swarm">) => swarmHandlers(deps)

/** A ticket names a simulation by its id, `sim_…`. */
async function receiptFiles(ticket: Ticket, deps: Services): Promise<readonly string[]> {
  const { body } = await (await deps.board()).detail({ id: ticket.id })
  const id = /\bsim_[0-9a-z]{19}\b/.exec(body)?.[0]
  if (id === undefined) return []
  const { stateDirectory } = deps.places().repository
  const file = path.join(stateDirectory, "receipts", `${id}.json`)
  const read = await readTextBounded(file, { maxBytes: LARGEST_DEFINITION_BYTES })
  const parsed =
    read.kind === "read" ? Simulation.shape.receipt.safeParse(JSON.parse(read.text)) : undefined
  return parsed?.data?.paths.map((it) => it.path) ?? []
}

async function readDefinition(root: string, name: string) {
  const file = path.join(root, ".claude", "agents", `${name}.md`)
  const read = await readTextBounded(file, { maxBytes: LARGEST_DEFINITION_BYTES, root })
  if (read.kind !== "read") throw DefinitionUnknown({ name })
  const model = /^model:\s*["']?([\w./:-]+)/m.exec(read.text.split(/^---$/m)[1] ?? "")?.[1] ?? null
  return { model: model === "inherit" ? null : model, text: read.text }
}
