import { expect, test } from "vitest"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import { Config } from "#ground/contract"
import { createModel } from "#ground/model"
import { echo, newPipelines, SIX_STAGES, scriptedModel } from "#test/pipeline-room"

/** Stages that name connections; each model answers with its own name. */
const CONFIG = {
  ...SIX_STAGES,
  stages: SIX_STAGES.stages.map((it) =>
    it.kind === "ask" ? { ...it, connection: it.name === "plan" ? "fast" : "deep" } : it,
  ),
}

function models(names: Readonly<Record<string, string>>) {
  const opened: string[] = []
  return {
    opened,
    async model(connection?: string) {
      if (connection === undefined) return scriptedModel(echo, 0.01)
      opened.push(connection)
      const name = names[connection]
      if (name === undefined) throw new Error(`no connection ${connection}`)
      const { model } = Config.parse({})
      return createModel({
        settings: { ...model, name },
        key: async () => undefined,
        price: () => 0.01,
        clock: systemClock,
        random: systemRandom,
        log: silentLog,
        script: echo,
      })
    },
  }
}

test("[PIPE-83] stages use different connections in one run, and each call records its own", async () => {
  const { model } = models({ fast: "small-1", deep: "large-1" })
  await using room = await newPipelines({
    config: { ...CONFIG, autoAdvance: true },
    deps: { model },
  })
  const run = await room.goes()
  expect(run.status).toBe("completed")
  expect(Object.keys(run.connections ?? {})).not.toEqual([])
  const bodies = (await room.show(run.id)).events.map((it) => it.body)
  expect(bodies[0]).toMatchObject({
    connections: {
      fast: { provider: "scripted", model: "small-1" },
      deep: { provider: "scripted", model: "large-1" },
    },
  })
  const calls = bodies.flatMap((it) =>
    it.type === "llm_called" ? [[it.connection, it.model] as const] : [],
  )
  expect(calls).toEqual([
    ["fast", "small-1"],
    ["deep", "large-1"],
  ])
})

test("[PIPE-83] an unknown connection fails before the run starts", async () => {
  const { model } = models({ fast: "small-1" })
  await using room = await newPipelines({ config: CONFIG, deps: { model } })
  await expect(room.goes()).rejects.toThrow("no connection deep")
  expect((await room.list({ limit: 5 })).runs).toEqual([])
})

test("[PIPE-83] a connection that changed during a pause is refused, and no call is made", async () => {
  const names: Record<string, string> = { fast: "small-1", deep: "large-1" }
  const { model } = models(names)
  await using room = await newPipelines({ config: CONFIG, deps: { model } })
  const paused = await room.goes()
  expect(paused.status).toBe("paused")
  names["deep"] = "large-2"
  await room.resume(paused.id, "you")
  expect(await room.finished(paused.id)).toMatchObject({
    error: {
      code: "PIPELINE_CONNECTION_CHANGED",
      message: expect.stringContaining("as scripted large-1; it is now scripted large-2"),
    },
  })
})
