import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { LANES } from "#ground/contract"
import {
  type BoardFixture,
  BY_AGENT,
  boardFixture,
  input,
  mergeBoards,
  PERSON,
  worldAt,
} from "#test/board-room"
import { git } from "#test/git"
import { fcParameters } from "#test/seed"
import { type LogRecord, readLog, writeLine } from "./log-record.ts"
import { replayRecords } from "./replay.ts"

const lane = fc.constantFrom(...LANES)
const actor = fc.constantFrom("human", "auto", "qa", "evict" as const)

/** Records as a hostile or confused writer could append them. */
const record: fc.Arbitrary<LogRecord> = fc
  .record({
    ticket: fc.constantFrom("T-1", "T-2"),
    ts: fc.integer({ min: 0, max: 20 }),
    order: fc.integer({ min: 1, max: 15 }),
    actor,
    session: fc.constant("s"),
    kind: fc.constantFrom("move", "approve", "reject", "undo", "evidence" as const),
    from: lane,
    to: lane,
    feedback: fc.constantFrom("", "more"),
    proof: fc.constantFrom([], ["e1"]),
    exitCode: fc.constantFrom(0, 1),
    undoes: fc.constantFrom("e1", "e2", "e3"),
  })
  .map(({ exitCode, ...it }) => ({
    v: 1,
    ...it,
    id: "",
    ...(it.kind === "evidence" && { evidence: { ...NO_FACTS, exitCode } }),
  }))

const NO_FACTS = { command: "t", tree: "t", outputHash: "h", outputBytes: 0, durationMs: 0 }

const records = fc
  .array(record, { maxLength: 25 })
  .map((all) => all.map((it, at) => ({ ...it, id: `e${at}` })))

describe("a line of a log", () => {
  const plain = {
    v: 1,
    id: "e1",
    ticket: "T-1",
    ts: 1,
    order: 1,
    actor: "human",
    session: "s",
    kind: "move",
    from: "backlog",
    to: "working",
    inverse: { from: "working", to: "backlog" },
  } as const satisfies LogRecord
  const line = (fields: object) => readLog(`${JSON.stringify({ ...plain, prev: "", ...fields })}\n`)

  test("[BOARD-13] a plain move is read with and without a commit, and unknown fields are left out", () => {
    expect(line({}).records).toEqual([plain])
    expect(line({ commit: "c0" }).records).toEqual([{ ...plain, commit: "c0" }])
    expect(line({ color: "red" }).records).toEqual([plain])
  })

  test.each([
    { v: 2 },
    { id: "a b" },
    { ticket: "" },
    { ts: 1.5 },
    { order: 0 },
    { actor: "robot" },
    { session: "x".repeat(201) },
    { from: "nowhere" },
    { inverse: { from: "working" } },
    { commit: 7 },
    { prev: "edited" },
  ])("[BOARD-13] a line with %o is ignored and reported", (fields) => {
    expect(line(fields)).toMatchObject({ records: [], brokenAt: 1 })
  })
})

describe("replay", () => {
  test("[BOARD-12] the order of records and duplicates does not matter", () => {
    fc.assert(
      fc.property(records, fc.integer({ min: 0, max: 25 }), (all, cut) => {
        const expected = replayRecords(all)
        const merged = [...all.slice(cut), ...all.slice(0, cut), ...all.slice(0, 3)].toReversed()
        expect(replayRecords(merged)).toEqual(expected)
      }),
      fcParameters({ numRuns: 300 }),
    )
  })

  test("[BOARD-15] no set of written events lets automation enter or leave conclusion", () => {
    fc.assert(
      fc.property(records, (all) => {
        for (const it of replayRecords(all).events) {
          if (it.voidReason !== null || it.kind === "evidence") continue
          const isConclusion = it.from === "conclusion" || it.to === "conclusion"
          const isAutomation = it.actor === "auto" || it.actor === "evict"
          expect(isConclusion && isAutomation, JSON.stringify(it)).toBe(false)
          const way = `${it.from} ${it.to}`
          if (it.actor === "auto") expect(["backlog working", "working testing"]).toContain(way)
          if (way === "testing working") expect(["reject", "undo"]).toContain(it.kind)
          if (it.kind === "reject") expect(it.feedback).not.toBe("")
        }
      }),
      fcParameters({ numRuns: 500 }),
    )
  })

  test("[BOARD-13] an edited, removed or truncated line ends its log", () => {
    const base = { v: 1, ts: 1, actor: "human", session: "s", kind: "move" } as const
    const written: string[] = []
    for (const order of [1, 2, 3])
      written.push(
        writeLine(
          { ...base, id: `e${order}`, ticket: "T-1", order, to: "working" },
          written.at(-1),
        ),
      )
    const [one = "", two = "", three = ""] = written
    const ids = (lines: readonly string[]) => {
      const { records: all, brokenAt } = readLog(lines.join("\n"))
      return [all.map((it) => it.id), brokenAt]
    }
    expect(ids([one, two, three, ""])).toEqual([["e1", "e2", "e3"], undefined])
    expect(ids([one, two.replace("working", "testing"), three])).toEqual([["e1", "e2"], 3])
    expect(ids([one, three])).toEqual([["e1"], 2])
    expect(ids([two, three])).toEqual([[], 1])
    expect(ids([one, two.slice(0, 20)])).toEqual([["e1"], 2])
    expect(ids([one, two.replace("human", "owner")])).toEqual([["e1"], 2])
  })
})

type Step = {
  readonly clone: 0 | 1
  readonly ticket: number
  readonly action: "approve" | "evidence" | "merge" | "move" | "new" | "reject" | "undo"
  readonly lane: (typeof LANES)[number]
  readonly isAgent: boolean
}

const step: fc.Arbitrary<Step> = fc.record({
  clone: fc.constantFrom(0, 1),
  ticket: fc.integer({ min: 1, max: 3 }),
  action: fc.constantFrom(
    "approve",
    "evidence",
    "merge",
    "move",
    "move",
    "move",
    "new",
    "reject",
    "undo",
  ),
  lane,
  isAgent: fc.boolean(),
})

async function take(step: Step, fixtures: readonly [BoardFixture, BoardFixture]): Promise<void> {
  const { room, clock } = fixtures[step.clone]
  const from = step.isAgent ? BY_AGENT : PERSON
  const id = String(step.ticket)
  await clock.advance(1_000)
  switch (step.action) {
    case "merge":
      return mergeBoards(...fixtures)
    case "new":
      return void (await room.create(input("ticket.new", { title: "N" })))
    case "move":
      return void (await room.move({ id, lane: step.lane }, from))
    case "undo":
      return void (await room.undo({ id }, from))
    case "approve":
      return void (await room.approve({ id }, from))
    case "reject":
      return void (await room.reject({ id, feedback: "more" }, from))
    case "evidence": {
      const command = [process.execPath, "--version"]
      return void (await room.capture(input("ticket.evidence", { id, command }), PERSON))
    }
    default:
      return step.action satisfies never
  }
}

describe("two clones", () => {
  test("[BOARD-12] [BOARD-15] random moves and merges give both clones the same board", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        await using a = await boardFixture({ git: false })
        await using b = await boardFixture({ git: false })
        const fixtures = [a, b] as const
        await a.room.create(input("ticket.new", { title: "First" }))
        await mergeBoards(a, b)
        for (const it of steps) await take(it, fixtures).catch(refusedOnly)
        await mergeBoards(a, b)
        const [own, other] = await Promise.all(fixtures.map((it) => it.room.log({ limit: 1_000 })))
        expect(own).toEqual(other)
        const boards = await Promise.all(fixtures.map((it) => it.room.show({ limit: 100 })))
        const lanes = boards.map(({ tickets }) =>
          tickets.map((ticket) => [ticket.id, ticket.number, ticket.lane]),
        )
        expect(lanes[0]?.toSorted()).toEqual(lanes[1]?.toSorted())
        expect(own?.problems).toEqual([])
        for (const event of own?.events ?? []) {
          const isClosing = event.from === "conclusion" || event.to === "conclusion"
          if (event.voidReason === null && isClosing) expect(["human", "qa"]).toContain(event.actor)
        }
      }),
      fcParameters({ numRuns: 12, nightRuns: 300 }),
    )
  })

  test("[BOARD-11] git merges two clones and two branches without a conflict", async () => {
    await using a = await boardFixture()
    const other = join(a.root, "..", "other")
    await a.room.create(input("ticket.new", { title: "A" }))
    git(a.root, "add", "-A")
    git(a.root, "commit", "-q", "-m", "board")
    git(a.root, "clone", "-q", a.root, other)
    await using b = await worldAt(other, async () => {})
    await a.room.move({ id: "1", lane: "working" }, PERSON)
    await b.room.move({ id: "1", lane: "working" }, PERSON)
    await b.room.create(input("ticket.new", { title: "B" }))
    for (const it of [a, b]) {
      git(it.root, "add", "-A")
      git(it.root, "commit", "-q", "-m", "moves")
    }
    git(a.root, "switch", "-q", "-c", "side", "HEAD~1")
    await a.room.block({ id: "1", reason: "waits", clear: false })
    await a.room.move({ id: "1", lane: "conclusion" }, PERSON)
    git(a.root, "add", "-A")
    git(a.root, "commit", "-q", "-m", "side")
    git(a.root, "switch", "-q", "main")
    git(a.root, "merge", "-q", "--no-edit", "side")
    git(a.root, "pull", "-q", "--no-rebase", "--no-edit", other, "main")
    git(b.root, "pull", "-q", "--no-rebase", "--no-edit", a.root, "main")
    const [{ events: own }, { events: foreign }] = [
      await a.room.log({ limit: 100 }),
      await b.room.log({ limit: 100 }),
    ]
    expect(own).toEqual(foreign)
    expect(own?.length).toBe(3)
    expect(own?.filter((it) => it.voidReason === null)).toHaveLength(1)
  })

  test("[BOARD-14] a person undoes each last move, also an undo", async () => {
    await using fixture = await boardFixture({ git: false })
    await fixture.room.create(input("ticket.new", { title: "A" }))
    await expect(fixture.room.undo({ id: "1" }, PERSON)).rejects.toThrow("no move to undo")
    await fixture.room.move({ id: "1", lane: "working" }, BY_AGENT)
    await expect(fixture.room.undo({ id: "1" }, BY_AGENT)).rejects.toThrow("only a user undoes")
    expect(await fixture.room.undo({ id: "1" }, PERSON)).toMatchObject({ lane: "backlog" })
    expect(await fixture.room.undo({ id: "1" }, PERSON)).toMatchObject({ lane: "working" })
    const [last] = (await fixture.room.log({ limit: 1 })).events
    expect(last).toMatchObject({ kind: "undo", inverse: { from: "working", to: "backlog" } })
  })

  test("[BOARD-16] a rejection sends a ticket back with feedback", async () => {
    await using fixture = await boardFixture({ git: false })
    await fixture.room.create(input("ticket.new", { title: "A" }))
    await fixture.room.move({ id: "1", lane: "working" }, BY_AGENT)
    await fixture.room.move({ id: "1", lane: "testing" }, BY_AGENT)
    const back = fixture.room.move({ id: "1", lane: "working" }, PERSON)
    await expect(back).rejects.toThrow("a ticket cannot move from testing to working")
    await expect(fixture.room.reject({ id: "1", feedback: " " }, PERSON)).rejects.toThrow(
      "feedback",
    )
    const rejected = await fixture.room.reject({ id: "1", feedback: "Name both lengths" }, PERSON)
    expect(rejected.lane).toBe("working")
    expect((await fixture.room.detail({ id: "1" })).events[0]).toMatchObject({
      actor: "qa",
      feedback: "Name both lengths",
    })
  })
})

function refusedOnly(error: unknown): void {
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  if (!code.startsWith("BOARD_")) throw error
}
