import { setTimeout as sleep } from "node:timers/promises"
import { PipelineRun, PipelineShow } from "#ground/contract"
import { ofOneLine, textOf, textWithin } from "./canary-search.ts"
import type { CanaryEntry, CanaryWorld } from "./canary-world.ts"

async function ask(world: CanaryWorld, operation: string, given: object): Promise<string> {
  const { status, text } = await world.post(operation, given)
  if (status !== 200) throw new Error(`${operation}: ${status} ${text.slice(0, 300)}`)
  return text
}

async function settled(world: CanaryWorld, id: string): Promise<PipelineRun> {
  for (;;) {
    const { text } = await world.get("pipeline.show", { id })
    const { run } = PipelineShow.parse(JSON.parse(text))
    if (run.status !== "running") return run
    await sleep(50)
  }
}

/** Documents, questions, input of a pipeline, and stored keys. */
export const PIPELINES: readonly CanaryEntry[] = [
  {
    name: "documents of the knowledge base",
    async put(world, canaries) {
      const text = textOf(canaries)
      await world.write(
        "project/kb/one.md",
        `# Harbour\n\n## 1 Berths\n\n${text}\n\nberth tariff\n`,
      )
      await world.write("project/kb/two.html", `<h1>Tariff</h1><p>${text}</p><p>berth tariff</p>`)
      await world.write("project/kb/three.txt", `Notes\n\n${text}\n\nberth tariff\n`)
      const path = `${world.user.project}/kb`
      await ask(world, "kb.add", { path })
      await world.get("kb.status")
      await world.get("kb.documents")
      await world.get("kb.search", { query: "berth tariff", limit: "50" })
      await world.qm(["kb", "search", "berth tariff"])
    },
  },
  {
    name: "a pipeline: its question, what is amended and what is said to it",
    async put(world, canaries) {
      const query = `What is the berth tariff? ${textWithin(9_000, canaries)}`
      const started = await ask(world, "pipeline.run", { agent: "deep-research", query })
      const { id } = PipelineRun.parse(JSON.parse(started))
      await settled(world, id)
      await ask(world, "pipeline.amend", { id, text: `And this: ${textWithin(9_000, canaries)}` })
      await settled(world, id)
      await ask(world, "pipeline.say", { id, text: textWithin(1_500, canaries) })
      await settled(world, id)
      await ask(world, "pipeline.say", { id, text: "never mind" })
      await ask(world, "pipeline.say", { id, text: "1" })
      await settled(world, id)
      await ask(world, "pipeline.say", { id, text: `After: ${textWithin(1_500, canaries)}` })
      for (const operation of ["show", "summary"]) await world.get(`pipeline.${operation}`, { id })
      await world.get("pipeline.list")
      await world.qm(["pipeline", "show", id])
    },
  },
  {
    name: "credentials that are kept",
    async put(world, canaries) {
      for (const [at, { text }] of ofOneLine(canaries).slice(0, 10).entries())
        await ask(world, "credential.set", { name: `canary-${at}`, value: text })
      await world.get("credential.list")
      await world.qm(["credential"])
    },
  },
]
