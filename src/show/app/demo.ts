import type { App } from "./app.ts"

const DEMO_LABEL = "demo"

const TITLE = "Make quotes and invoices agree to the cent"

const PROMPT =
  "A quote and its invoice differ by a cent when a stay is split over two berths. " +
  "Find out why, fix it, keep the public API."

/** One living run to look at without any key; those of earlier days make room for it. */
export async function beginDemo(app: App): Promise<void> {
  const agents = await app.agents()
  const labelled = await agents.list({ limit: 100, archived: false, label: DEMO_LABEL })
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
