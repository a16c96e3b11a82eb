import path from "node:path"
import type { ConsoleFixture } from "../console-fixture.ts"
import { writeFiles } from "./harbour.ts"
import { until } from "./until.ts"

const CORPUS = path.join(import.meta.dirname, "../../../recipes/deep-research/corpus")

/** The shipped handbook, and one finished, one paused and one abandoned research run. */
export async function seedPipelines(fixture: ConsoleFixture) {
  await fixture.call("kb.add", { path: path.join(CORPUS, "guides"), tier: "guide" })
  await fixture.call("kb.add", { path: CORPUS })
  const done = await start(fixture, "When may a booking be re-priced after arrival?", true)
  const paused = await start(fixture, "Who is told of a longer stay?", false)
  const left = await start(fixture, "What may a pilot refuse?", false)
  await fixture.call("pipeline.stop", { id: left })
  await writeAgent(fixture.project, "harbour-check")
  return { done, paused, left }
}

async function start(fixture: ConsoleFixture, query: string, auto: boolean): Promise<string> {
  const { id } = await fixture.call("pipeline.run", { agent: "deep-research", query, auto })
  await until(async () => {
    const { run } = await fixture.call("pipeline.show", { id })
    return run.status === "running" ? undefined : run
  })
  return id
}

export async function writeAgent(project: string, slug: string): Promise<void> {
  const head = `---\nname: Harbour check\ndescription: Checks a plan.\n---\n`
  const stage = { name: "plan", title: "Plan it", kind: "ask", prompt: "plan.md" }
  await writeFiles(path.join(project, ".qm", "agents", slug), {
    "RECIPE.md": `${head}\nChecks a plan.\n`,
    "prompts/plan.md": "Plan this: {{query}}\n",
    "config.json": JSON.stringify({ stages: [stage] }, null, 2),
  })
}
