import { expect, test } from "vitest"
import { digestOf, type KeptEvent, NO_DIGEST, readChain } from "./chain.ts"
import { begun, completed, eventsOf, output, started } from "./events.fixture.ts"

const events = eventsOf([started(), begun(0), output(0), completed()])

function kept(run = "p-1"): KeptEvent[] {
  let digest = NO_DIGEST
  return events.map(({ seq, at, body }) => {
    const row = { seq, at, body: JSON.stringify(body) }
    digest = digestOf(run, digest, row)
    return { ...row, digest }
  })
}

test("[PIPE-4] events are read back as they were written", () => {
  const read = readChain("p-1", kept())
  expect(read).toEqual({ kind: "events", events, digest: kept().at(-1)?.digest })
  expect(readChain("p-1", [])).toEqual({ kind: "events", events: [], digest: NO_DIGEST })
})

test("[PIPE-4] an edited event is named", () => {
  for (const [index, row] of kept().entries()) {
    for (const edited of [
      { ...row, body: row.body.replace("{", '{"x":1,') },
      { ...row, at: row.at + 1 },
      { ...row, digest: "0".repeat(32) },
    ]) {
      expect(readChain("p-1", kept().with(index, edited))).toEqual({
        kind: "damaged",
        seq: index + 1,
        problem: "was edited",
      })
    }
  }
})

test("[PIPE-4] an event missing in between is named, a missing tail is not", () => {
  for (const index of [0, 1, 2]) {
    const read = readChain("p-1", kept().toSpliced(index, 1))
    expect(read).toEqual({ kind: "damaged", seq: index + 1, problem: "is missing" })
  }
  const shorter = readChain("p-1", kept().slice(0, 3))
  expect(shorter).toMatchObject({ kind: "events", events: events.slice(0, 3) })
})

test("[PIPE-4] events of another run are rejected", () => {
  expect(readChain("p-2", kept("p-1"))).toMatchObject({ kind: "damaged", seq: 1 })
})

test("[PIPE-4] an event of an unknown type is damage even if its digest is right", () => {
  for (const body of ['{"type":"unheard_of"}', "not json"]) {
    const row = { seq: 1, at: 1, body }
    const read = readChain("p-1", [{ ...row, digest: digestOf("p-1", NO_DIGEST, row) }])
    expect(read).toEqual({ kind: "damaged", seq: 1, problem: "has an unknown format" })
  }
})
