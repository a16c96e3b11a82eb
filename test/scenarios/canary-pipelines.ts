import { setTimeout as sleep } from "node:timers/promises"
import { KbDocuments, PipelineRun, PipelineShow } from "#ground/contract"
import type { CanaryEntry, CanaryFixture } from "./canary-fixture.ts"
import { ofOneLine, textOf, textWithin } from "./canary-search.ts"

async function ask(fixture: CanaryFixture, operation: string, given: object): Promise<string> {
  const { status, text } = await fixture.post(operation, given)
  if (status !== 200) throw new Error(`${operation}: ${status} ${text.slice(0, 300)}`)
  return text
}

async function settled(fixture: CanaryFixture, id: string): Promise<PipelineRun> {
  for (;;) {
    const { text } = await fixture.get("pipeline.show", { id })
    const { run } = PipelineShow.parse(JSON.parse(text))
    if (run.status !== "running") return run
    await sleep(50)
  }
}

/** Documents, questions, input of a pipeline, and stored keys. */
export const PIPELINES: readonly CanaryEntry[] = [
  {
    name: "documents of the knowledge base",
    async put(fixture, canaries) {
      const text = textOf(canaries)
      await fixture.write(
        "project/kb/one.md",
        `# Harbour\n\n## 1 Berths\n\n${text}\n\nberth tariff\n`,
      )
      await fixture.write("project/kb/two.html", `<h1>Tariff</h1><p>${text}</p><p>berth tariff</p>`)
      await fixture.write("project/kb/three.txt", `Notes\n\n${text}\n\nberth tariff\n`)
      const path = `${fixture.user.project}/kb`
      await ask(fixture, "kb.add", { path })
      await fixture.get("kb.status")
      const { documents } = KbDocuments.parse(JSON.parse((await fixture.get("kb.documents")).text))
      for (const { id } of documents) await fixture.ask({ path: `/api/kb/original/${id}` })
      await fixture.get("kb.search", { query: "berth tariff", limit: "50" })
      await fixture.qm(["kb", "search", "berth tariff"])
    },
  },
  {
    name: "a pipeline: its question, what is amended and what is said to it",
    async put(fixture, canaries) {
      const query = `What is the berth tariff? ${textWithin(9_000, canaries)}`
      const started = await ask(fixture, "pipeline.run", { agent: "deep-research", query })
      const { id } = PipelineRun.parse(JSON.parse(started))
      await settled(fixture, id)
      await ask(fixture, "pipeline.amend", { id, text: `And this: ${textWithin(9_000, canaries)}` })
      await settled(fixture, id)
      await ask(fixture, "pipeline.say", { id, text: textWithin(1_500, canaries) })
      await settled(fixture, id)
      await ask(fixture, "pipeline.say", { id, text: "never mind" })
      await ask(fixture, "pipeline.say", { id, text: "1" })
      await settled(fixture, id)
      await ask(fixture, "pipeline.say", { id, text: `After: ${textWithin(1_500, canaries)}` })
      for (const operation of ["show", "summary"])
        await fixture.get(`pipeline.${operation}`, { id })
      await fixture.get("pipeline.list")
      await fixture.qm(["pipeline", "show", id])
    },
  },
  {
    name: "credentials that are kept",
    async put(fixture, canaries) {
      for (const [at, { text }] of ofOneLine(canaries).slice(0, 10).entries())
        await ask(fixture, "credential.set", { name: `canary-${at}`, value: text })
      await fixture.get("credential.list")
      await fixture.qm(["credential"])
    },
  },
]
