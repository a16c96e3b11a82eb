import path from "node:path"
import type { ProxyWorld } from "../world.ts"
import { seedBranches } from "./branches.ts"
import { seedGateway } from "./gateway.ts"
import { CLAUDE, FILE, seedGuard } from "./guard.ts"
import { writeFiles } from "./harbour.ts"
import { seedPipelines } from "./pipelines.ts"
import { seedRuns } from "./runs.ts"
import { seedTranscripts } from "./transcripts.ts"

export type Seed = Awaited<ReturnType<typeof seedRepository>>

export const TASK = "quotes and invoices differ by a cent, fix roundLine"

/**
 * A repository with data for every page of the console, created by the product's own operations and
 * hooks: `await using seed = await seedRepository(world)`.
 */
export async function seedRepository(world: ProxyWorld) {
  const branches = await seedBranches(world)
  const runs = await seedRuns(world)
  const gateway = await seedGateway(world, runs.compacted.id)
  const guard = await seedGuard(world)
  const pipelines = await seedPipelines(world)
  const transcripts = await seedTranscripts(world)
  const packs = await seedPacks(world)
  const captures = await seedCaptures(world)
  const { memory: decision } = await world.call("decision.add", {
    title: "Round on the line",
    context: "Totals differed by a cent.",
    decision: "Half to **even**, on the line.",
    cites: ["src/tariff/rounding.ts#roundLine"],
  })
  await world.call("session.register", { slug: "rounding", request: "Round **once**" })
  await world.call("claim.take", { paths: ["README.md"] })
  await world.call("claim.take", { paths: ["docs"], session: CLAUDE })
  await world.call("config.set", { key: "tokens.window", value: "64000" })
  await world.backUp()
  return {
    branches,
    runs,
    gateway,
    guard,
    pipelines,
    transcripts,
    packs,
    captures,
    decision: decision.id,
    file: FILE,
    async [Symbol.asyncDispose]() {
      branches[Symbol.dispose]()
      await gateway[Symbol.asyncDispose]()
    },
  }
}

async function seedPacks({ call }: ProxyWorld) {
  await call("map.scan", {})
  const { pack: first } = await call("pack.build", { task: TASK, budget: 2_000 })
  const target = ["src/tariff/quote.ts"]
  const { pack: second } = await call("pack.build", { task: TASK, budget: 4_000, target })
  return { first: first.id, second: second.id }
}

async function seedCaptures({ call, project }: ProxyWorld) {
  await call("capture.take", { host: "claude-code" })
  const changed = "# Conventions\n\nAmounts are integers.\nRounding lives in one place.\n"
  await writeFiles(project, { "docs/conventions.md": changed, "AGENTS.md": "# Tideline\n" })
  await call("capture.take", { host: "claude-code" })
  await call("capture.take", { host: "codex" })
  return { file: path.join(project, "CLAUDE.md") }
}
