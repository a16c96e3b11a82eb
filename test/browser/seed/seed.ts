import path from "node:path"
import type { ProxyFixture } from "../console-fixture.ts"
import { seedBoard } from "./board.ts"
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
 * hooks: `await using seed = await seedRepository(fixture)`.
 */
export async function seedRepository(fixture: ProxyFixture) {
  const branches = await seedBranches(fixture)
  const runs = await seedRuns(fixture)
  const gateway = await seedGateway(fixture, runs.compacted.id)
  const guard = await seedGuard(fixture)
  const pipelines = await seedPipelines(fixture)
  const transcripts = await seedTranscripts(fixture)
  const board = await seedBoard(fixture)
  const packs = await seedPacks(fixture)
  const captures = await seedCaptures(fixture)
  const { memory: decision } = await fixture.call("decision.add", {
    title: "Round on the line",
    context: "Totals differed by a cent.",
    decision: "Half to **even**, on the line.",
    cites: ["src/tariff/rounding.ts#roundLine"],
  })
  await fixture.call("session.register", { slug: "rounding", request: "Round **once**" })
  await fixture.call("claim.take", { paths: ["README.md"] })
  await fixture.call("claim.take", { paths: ["docs"], session: CLAUDE })
  await fixture.call("config.set", { key: "tokens.window", value: "64000" })
  await fixture.backUp()
  return {
    branches,
    runs,
    gateway,
    guard,
    pipelines,
    transcripts,
    board,
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

async function seedPacks({ call }: ProxyFixture) {
  await call("map.scan", {})
  const { pack: first } = await call("pack.build", { task: TASK, budget: 2_000 })
  const target = ["src/tariff/quote.ts"]
  const { pack: second } = await call("pack.build", { task: TASK, budget: 4_000, target })
  return { first: first.id, second: second.id }
}

async function seedCaptures({ call, project }: ProxyFixture) {
  await call("capture.take", { host: "claude-code" })
  const changed = "# Conventions\n\nAmounts are integers.\nRounding lives in one place.\n"
  await writeFiles(project, { "docs/conventions.md": changed, "AGENTS.md": "# Tideline\n" })
  await call("capture.take", { host: "claude-code" })
  await call("capture.take", { host: "codex" })
  return { file: path.join(project, "CLAUDE.md") }
}
