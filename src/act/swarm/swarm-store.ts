import path from "node:path"
import {
  createJsonl,
  ensureDirectory,
  listDirectory,
  lockHolder,
  parseJson,
  readTextBounded,
  whileLocked,
  writeFileAtomic,
} from "#ground/base"
import { Swarm, type Workstream } from "#ground/contract"
import type { SwarmDeps } from "./deps.ts"
import { WorkstreamUnknown } from "./errors.ts"

const LARGEST_MANIFEST_BYTES = 4 * 1024 ** 2
const MOST_SWARMS = 10_000

export type SwarmStore = ReturnType<typeof createSwarmStore>

/** The manifest of a swarm is a file that is replaced after every step, beside its history. */
export function createSwarmStore(deps: Pick<SwarmDeps, "clock" | "db" | "stateDirectory">) {
  const folder = path.join(deps.stateDirectory, "swarm")
  const fileOf = (id: string) => path.join(folder, `${id}.json`)

  async function read(id: string): Promise<Swarm | undefined> {
    const outcome = await readTextBounded(fileOf(id), { maxBytes: LARGEST_MANIFEST_BYTES })
    return outcome.kind === "read" ? Swarm.safeParse(parseJson(outcome.text)).data : undefined
  }

  async function newest(): Promise<Swarm | undefined> {
    const listed = await listDirectory(folder, { maxEntries: MOST_SWARMS })
    const names = listed.kind === "listed" ? listed.entries.map((it) => it.name) : []
    const last = names
      .filter((it) => /^sw_\w+\.json$/.test(it))
      .toSorted()
      .at(-1)
    return last === undefined ? undefined : read(last.slice(0, -".json".length))
  }

  async function save(swarm: Swarm, what: string): Promise<void> {
    await ensureDirectory(folder)
    await writeFileAtomic(fileOf(swarm.id), `${JSON.stringify(swarm, null, 1)}\n`)
    await createJsonl(path.join(folder, `${swarm.id}.history.jsonl`)).append({
      at: deps.clock.now(),
      what,
    })
    const db = await deps.db()
    await db.transaction(async (tx) => tx.emit("swarm.changed", { id: swarm.id }))
  }

  /**
   * `expected` is the workstream as its driver last read it: if a person paused or discarded it in
   * the meantime, nothing changes and the result is undefined.
   */
  async function change(
    id: string,
    name: string,
    { fields, expected }: { fields: Partial<Workstream>; expected?: Workstream },
  ): Promise<Workstream | undefined> {
    return whileLocked(fileOf(id), async () => {
      const swarm = await read(id)
      const before = swarm?.workstreams.find((it) => it.name === name)
      if (swarm === undefined || before === undefined) throw WorkstreamUnknown({ name, names: [] })
      const isOther =
        expected !== undefined &&
        (expected.state !== before.state || expected.attempt !== before.attempt)
      if (isOther) return undefined
      const after = { ...before, ...fields }
      const workstreams = swarm.workstreams.map((it) => (it.name === name ? after : it))
      const ticket = after.tickets[after.current]?.id ?? ""
      await save({ ...swarm, workstreams }, `${name} ${after.state} ${ticket}`)
      return after
    })
  }

  return {
    read,
    newest,
    save,
    change,

    async add(id: string, added: readonly Workstream[]): Promise<Swarm> {
      return whileLocked(fileOf(id), async () => {
        const swarm = await read(id)
        if (swarm === undefined) throw WorkstreamUnknown({ name: id, names: [] })
        const grown = { ...swarm, workstreams: [...swarm.workstreams, ...added] }
        await save(grown, `added ${added.map((it) => it.name).join(" ")}`)
        return grown
      })
    },

    /** One process drives a swarm at a time. */
    async whileDriving<Result>(id: string, work: () => Promise<Result>): Promise<Result> {
      await ensureDirectory(folder)
      return whileLocked(driveFile(id), work)
    },
    isDriven: async (id: string) => (await lockHolder(driveFile(id))) !== undefined,
  }

  function driveFile(id: string): string {
    return path.join(folder, `${id}.drive`)
  }
}
