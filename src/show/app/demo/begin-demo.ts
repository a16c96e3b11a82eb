import path from "node:path"
import type { App } from "../app.ts"
import { SHIPPED_RECIPES } from "../rooms/pipeline.ts"

const DEMO_LABEL = "demo"

const TITLE = "Make quotes and invoices agree to the cent"

const PROMPT =
  "A quote and its invoice differ by a cent when a stay is split over two berths. " +
  "Find out why, fix it, keep the public API."

const QUESTION = "When may a booking be re-priced after arrival?"

/** A synthetic run and a research that need no API key. */
export async function beginDemo(app: App): Promise<void> {
  await beginDemoRun(app)
  await beginDemoResearch(app)
}

/** Over the shipped documents; does nothing if one is open already. */
async function beginDemoResearch(app: App): Promise<void> {
  const { signal } = new AbortController()
  const pipelines = await app.pipelines()
  const { runs } = await pipelines.list({ agent: "deep-research", limit: 20 })
  if (runs.some((it) => it.query === QUESTION && it.endedAt === null)) return
  const corpus = path.join(SHIPPED_RECIPES, "deep-research", "corpus")
  const guides = path.join(corpus, "guides")
  await app.call("kb.add", { path: guides, tier: "guide" }, { signal })
  await app.call("kb.add", { path: corpus }, { signal })
  await app.call("pipeline.run", { agent: "deep-research", query: QUESTION }, { signal })
}

/** Replaces demo runs of earlier starts. */
async function beginDemoRun(app: App): Promise<void> {
  const agents = await app.agents()
  const labelled = await agents.list({ limit: 100, archived: false, labels: [DEMO_LABEL] })
  const ours = labelled.filter((it) => it.type === "synthetic" && it.title === TITLE)
  for (const { id } of ours) await agents.remove(id)
  const configuration = { mode: "ask", script: "demo" } as const
  const run = await agents.start({ type: "synthetic", prompt: PROMPT, configuration })
  await agents.edit(run.id, {
    title: TITLE,
    isTitleOwn: true,
    labels: [DEMO_LABEL],
  })
}
