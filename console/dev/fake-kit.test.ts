import { describe, expect, it } from "vitest"
import { OPERATIONS } from "#ground/contract"
import { answerGuard, worldGuard } from "./fake-guard.ts"
import { answerLedger, doctorOf, worldLedger } from "./fake-ledger.ts"
import { CLAUDE, HOOKS, LOGGED } from "./fake-ledger-tables.ts"
import { answerMemories, worldMemories } from "./fake-memory.ts"

type Body = Record<string, unknown>
const at = (path: string) => new URL(`http://fake/api/${path}`)

function setUp(state: "populated" | "empty" = "populated") {
  const guard = worldGuard(state)
  const ledger = worldLedger(state)
  const memories = worldMemories(state)
  return (path: string, body: Body = {}) =>
    answerGuard(guard, at(path), body) ??
    answerLedger(ledger, at(path), body) ??
    answerMemories(memories, at(path), body)
}

describe("guard, ledger and decisions of the fake world", () => {
  it("[CONSOLE-23] what the fake server answers is what the contract allows", () => {
    const ask = setUp()
    const log = OPERATIONS["guard.verdicts"].output.parse(ask("guard/verdicts?limit=20")?.answer)
    expect([log.verdicts.length, log.isCut]).toEqual([20, true])
    const denied = ask("guard/verdicts?verdict=deny")?.answer
    expect(OPERATIONS["guard.verdicts"].output.parse(denied).counts.silent).toBe(0)
    OPERATIONS["guard.try"].output.parse(ask("guard/try?patterns=src/tariff/**")?.answer)
    const paths = ["src/a.ts"]
    OPERATIONS["guard.override"].output.parse(
      ask("guard/override", { paths, reason: "because" })?.answer,
    )
    OPERATIONS["guard.simulate"].output.parse(ask("guard/simulate", { paths })?.answer)
    OPERATIONS["session.list"].output.parse(ask("session/list")?.answer)
    for (const id of [CLAUDE, LOGGED[0]?.file ?? ""]) {
      const shown = ask(`session/show?session=${encodeURIComponent(id)}`)?.answer
      OPERATIONS["session.show"].output.parse(shown)
    }
    OPERATIONS["decision.list"].output.parse(ask("decision/list")?.answer)
    const input = { title: "New", context: "Why", decision: "What" }
    const added = OPERATIONS["decision.add"].output.parse(ask("decision/add", input)?.answer)
    const shown = ask(`decision/show?id=${added.memory.id}`)?.answer
    expect(OPERATIONS["decision.show"].output.parse(shown).kind).toBe("decision")
    const doctor = OPERATIONS["doctor.run"].output.parse(doctorOf("populated"))
    expect(doctor.hooks.length).toBe(HOOKS.length)
  })

  it("[CONSOLE-23] claims are given back by whose they are, and taken again", () => {
    const ask = setUp()
    const claims = () => OPERATIONS["claim.list"].output.parse(ask("claim/list")?.answer).claims
    const [first] = claims()
    if (first === undefined) throw new Error("the fake world has claims")
    const held = { paths: [first.path], session: first.session }
    const others = ask("claim/release", { ...held, session: "x" })?.answer
    expect(OPERATIONS["claim.release"].output.parse(others).released).toEqual([])
    ask("claim/release", held)
    expect(claims().map((it) => it.path)).not.toContain(first.path)
    const taken = OPERATIONS["claim.take"].output.parse(ask("claim/take", held)?.answer)
    expect(taken.held).toBeNull()
    const again = OPERATIONS["claim.take"].output.parse(ask("claim/take", held)?.answer)
    expect(again.held?.path).toBe(first.path)
  })

  it("[CONSOLE-23] there is nothing, and what nobody knows", () => {
    const ask = setUp("empty")
    expect(ask("session/list")?.answer).toEqual({ live: [], logged: [], loggedCount: 0 })
    expect(ask("claim/list")?.answer).toEqual({ claims: [] })
    expect(ask("decision/list")?.answer).toMatchObject({ total: 0 })
    expect(ask("session/show?session=zz")?.status).toBe(404)
    expect(ask("other/thing")).toBeUndefined()
  })
})
