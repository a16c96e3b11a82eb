import { writeFile } from "node:fs/promises"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { systemClock } from "#ground/base"
import { PipelineList, PipelineRun, Run } from "#ground/contract"
import { type App, createApp } from "#show/app"
import { kitUser } from "#test/kit-story"
import { scriptedAnthropic } from "#test/model-anthropic"
import { needs } from "#test/needs"

const LONG_MS = 300_000
const BLOCK = "<orchestrator_prior_research"
const ENDED = ["completed", "failed", "stopped", "interrupted"]
const { signal } = new AbortController()

const HANDBOOK = "# Handbook\n\n## 1 Berths\n\n1.1 A berth costs ten crowns a day.\n"

async function until(app: App, id: string, turns: number): Promise<void> {
  for (;;) {
    const run = Run.parse(await app.call("agents.show", { id }, { signal }))
    if (ENDED.includes(run.status) && run.turns >= turns) return
    await systemClock.sleep(50)
  }
}

async function research(app: App, session: string, how: object): Promise<PipelineRun> {
  await app.call("pipeline.run", { agent: "deep-research", session, ...how }, { signal })
  return newestOf(app, session)
}

async function newestOf(app: App, session: string): Promise<PipelineRun> {
  const { runs } = PipelineList.parse(await app.call("pipeline.list", { session }, { signal }))
  const id = runs[0]?.id ?? "none"
  const pipelines = await app.pipelines()
  await pipelines.settled(id)
  return PipelineRun.parse((await pipelines.show(id)).run)
}

describe.runIf(needs("APP-36", "claude-code"))("continuity with Claude Code", () => {
  test(
    "[APP-36] after a completed run, an abandoned run and a compaction, the model receives the findings",
    async () => {
      await using user = await kitUser({ "docs/handbook.md": HANDBOOK })
      await using model = await scriptedAnthropic()
      await writeFile(path.join(user.home, ".gitconfig"), "")
      const environment = {
        ...user.env,
        TMPDIR: user.path,
        QM_HOME: path.join(user.home, ".qm"),
        ANTHROPIC_BASE_URL: model.url,
        ANTHROPIC_API_KEY: "not-a-key",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      }
      const settings = ["agents.titles=false"]
      await using app = await createApp({
        directory: user.project,
        environment,
        settings,
        writeLog: () => {},
      })
      await app.call("kb.add", { path: path.join(user.project, "docs") }, { signal })
      const start = { type: "claude-code", prompt: "Hello there" }
      const { id } = Run.parse(await app.call("agents.start", start, { signal }))
      await until(app, id, 1)

      let turns = 1
      const say = async (text: string): Promise<string> => {
        const before = model.messages().length
        await app.call("agents.send", { id, text }, { signal })
        turns += 1
        await until(app, id, turns)
        const asked = model.messages().slice(before)
        return JSON.stringify(asked.findLast((it) => JSON.stringify(it.body).includes(text))?.body)
      }
      const newestTurn = (body: string): string => body.slice(body.lastIndexOf('"role":"user"'))

      const done = await research(app, id, {
        query: "What does a berth cost?",
        depth: "quick",
        auto: true,
      })
      expect(done.status).toBe("completed")
      const first = newestTurn(await say("and then, please?"))
      expect(first).toContain(BLOCK)
      expect(first).toContain("ten crowns")

      const before = model.messages().length
      await app.call("agents.send", { id, text: "/compact" }, { signal })
      turns += 1
      await until(app, id, turns)
      const compacting = JSON.stringify(model.messages().slice(before))
      expect(compacting, "the host compacted its window").toMatch(/summar/i)
      const second = newestTurn(await say("what do we know now?"))
      expect(second).toContain(`${BLOCK} run=\\"${done.id}\\"`)

      const left = await research(app, id, { query: "Who pays for a berth?" })
      expect(left.status).toBe("paused")
      await app.call("agents.send", { id, text: "forget it, what is a pilot?" }, { signal })
      turns += 1
      await app.call("agents.send", { id, text: "yes" }, { signal })
      await until(app, id, turns)
      expect((await newestOf(app, id)).status).toBe("breakout")
      const answered = newestTurn(JSON.stringify(model.messages().at(-1)?.body))
      expect(answered).toContain("what is a pilot?")
      expect(answered).toContain(`${BLOCK} run=\\"${left.id}\\"`)
    },
    LONG_MS,
  )
})
