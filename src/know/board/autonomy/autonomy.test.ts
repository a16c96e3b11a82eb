import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { AUTONOMY_AREAS, type AutonomyArea, type BoardEvent } from "#ground/contract"
import { AGENT } from "#test/board-room"
import { tempDirectory } from "#test/temp"
import { type AutonomyDeps, createAutonomy } from "./autonomy.ts"
import { type AutonomyConfig, resolveAutonomy } from "./resolve-autonomy.ts"

const FLOOR: readonly AutonomyArea[] = ["decision", "grade-change", "secrets", "gate-edit"]
const CONTEXT = { stopped: new Set<AutonomyArea>(), isProved: false }

const config = (grade: unknown, ...floor: readonly string[]): AutonomyConfig => ({ grade, floor })
const answers = (grade: unknown, isProved = false) =>
  Object.fromEntries(
    AUTONOMY_AREAS.map((area) => [
      area,
      resolveAutonomy(area, config(grade), {
        override: {},
        context: { ...CONTEXT, isProved },
      }).answer,
    ]),
  )

describe("the answer of an area", () => {
  test("[BOARD-21] follows the table of grades", () => {
    const auto = (grade: number, isProved = false) =>
      Object.entries(answers(grade, isProved)).flatMap(([area, it]) =>
        it === "auto" ? [area] : [],
      )
    expect(new Set(Object.values(answers(1)))).toEqual(new Set(["manual"]))
    expect([auto(2), auto(3)]).toEqual([
      ["session-log"],
      ["edit", "commit", "board-move", "session-log"],
    ])
    expect(auto(4, true)).toEqual([
      "edit",
      "commit",
      "push",
      "board-move",
      "session-log",
      "swarm-dispatch",
    ])
    expect(answers(2)["swarm-dispatch"]).toBe("suggest")
  })

  test("[BOARD-22] the floor is manual for every grade, override, proof and setting", () => {
    const value = fc.oneof(fc.anything(), fc.integer({ min: 1, max: 4 }))
    fc.assert(
      fc.property(
        fc.tuple(value, value, value),
        fc.boolean(),
        ([grade, run, session], isProved) => {
          for (const area of FLOOR) {
            const context = { ...CONTEXT, isProved }
            const override = { run, session }
            const { answer } = resolveAutonomy(area, config(grade), { override, context })
            expect(answer).toBe("manual")
          }
          const forced = { ...CONTEXT, isProved, isForced: true }
          const push = resolveAutonomy("push", config(grade), {
            override: { run, session },
            context: forced,
          })
          expect(push.answer).toBe("manual")
        },
      ),
      { numRuns: 200 },
    )
    const extended = resolveAutonomy("commit", config(3, "commit"), {
      override: {},
      context: CONTEXT,
    })
    expect(extended).toMatchObject({ answer: "manual", why: "manual by autonomy.floor" })
  })

  test("[BOARD-21] a flag comes before the session, the session before the setting, then 2", () => {
    const grade = (written: unknown, override: object) =>
      resolveAutonomy("edit", config(written), { override, context: CONTEXT }).grade
    expect(grade(1, { run: 3, session: 2 })).toBe(3)
    expect(grade(1, { session: 3 })).toBe(3)
    expect(grade(3, {})).toBe(3)
    expect(grade(undefined, {})).toBe(2)
    for (const broken of ["high", 0, 5, 2.5, null, Number.NaN, {}])
      expect(grade(broken, {})).toBe(1)
  })
})

async function scene(changes: Partial<AutonomyDeps> = {}, grade: unknown = 4) {
  const temp = await tempDirectory()
  const room = createAutonomy({
    stateDirectory: temp.path,
    config: () => config(grade),
    override: () => ({}),
    events: async () => events(40),
    countSessions: async () => 20,
    hookDrift: async () => [],
    coverageStamp: async () => ({ isMet: true, value: "passed" }),
    identify: (caller) => ({
      actor: caller === undefined ? "human" : "auto",
      session: "s",
      by: undefined,
    }),
    ...changes,
  })
  return { ...room, temp: temp.path, [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose]() }
}

function events(count: number, undone = 0, agent = "codex"): BoardEvent[] {
  const event = (id: string, fields: Partial<BoardEvent>): BoardEvent => ({
    id,
    ticket: "T-1",
    at: 0,
    kind: "move",
    actor: "auto",
    session: "s",
    by: { agent },
    from: "backlog",
    to: "working",
    inverse: null,
    undoes: null,
    feedback: null,
    evidence: null,
    voidReason: null,
    ...fields,
  })
  const moves = Array.from({ length: count }, (_, at) => event(`be_${at}`, {}))
  const undos = Array.from({ length: undone }, (_, at) =>
    event(`un_${at}`, { kind: "undo", actor: "human", by: null, undoes: `be_${at}` }),
  )
  return [...moves, ...undos]
}

describe("grade 4", () => {
  test("[BOARD-23] counts only with all measurements; each one that is missing leaves grade 3", async () => {
    await using proved = await scene()
    expect(await proved.show()).toMatchObject({ grade: 4, configured: 4 })
    const missing: readonly (readonly [string, Partial<AutonomyDeps>])[] = [
      ["transitions", { events: async () => events(29) }],
      ["sessions", { countSessions: async () => 19 }],
      ["undone", { events: async () => events(40, 4) }],
      ["hooks", { hookDrift: async () => ["claude-code hooks: changed"] }],
      ["coverage", { coverageStamp: async () => ({ isMet: false, value: "missing" }) }],
      ["attribution", { events: async () => events(40, 0, "") }],
    ]
    for (const [name, changes] of missing) {
      await using it = await scene(changes)
      const shown = await it.show()
      expect(shown.grade, name).toBe(3)
      expect(shown.measures.flatMap((row) => (row.isMet ? [] : [row.name]))).toEqual([name])
      expect((await it.resolve("swarm-dispatch")).answer).toBe("suggest")
    }
    await using three = await scene({ events: async () => events(40, 3) })
    expect((await three.show()).grade).toBe(4)
  })

  test("[BOARD-24] a kill switch makes an area manual at once; only a person turns it off", async () => {
    await using it = await scene()
    expect((await it.resolve("push")).answer).toBe("auto")
    await it.stop("push")
    expect(await it.resolve("push")).toMatchObject({
      answer: "manual",
      why: "its kill switch is on",
    })
    expect((await it.resolve("edit")).answer).toBe("auto")
    await expect(it.resume("push", AGENT)).rejects.toMatchObject({ code: "BOARD_NOT_AUTONOMOUS" })
    await it.stop(undefined)
    expect((await it.resolve("edit")).answer).toBe("manual")
    await it.resume("edit", undefined)
    expect((await it.resolve("edit")).answer).toBe("auto")
    await it.resume(undefined, undefined)
    expect((await it.resolve("push")).answer).toBe("auto")
    await writeFile(join(it.temp, "board", "autonomy-stops.json"), "{ broken")
    expect((await it.resolve("edit")).answer).toBe("manual")
  })

  test("[BOARD-25] automation is refused what is manual, and what is not auto in a step without a person", async () => {
    await using one = await scene({}, 1)
    await using two = await scene({}, 2)
    await using three = await scene({}, 3)
    const refused = { code: "BOARD_NOT_AUTONOMOUS" }
    await expect(one.refuseManual("board-move", AGENT)).rejects.toMatchObject(refused)
    await one.refuseManual("board-move", undefined)
    await two.refuseManual("board-move", AGENT)
    await expect(two.refuseUnlessAuto("edit", AGENT)).rejects.toMatchObject(refused)
    await three.refuseUnlessAuto("edit", AGENT)
    await expect(three.refuseUnlessAuto("swarm-dispatch", AGENT)).rejects.toMatchObject(refused)
    await three.refuseUnlessAuto("swarm-dispatch", undefined)
  })
})
