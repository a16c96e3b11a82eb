import { expect, test } from "vitest"
import { findViolations, type TeamHistory } from "./team-model.ts"

const RUN = { id: "run_a", name: "a", status: "completed", lastSeq: 4, scripted: 2 }

const message = (seq: number, content: string, id = `msg_${seq}`) => ({
  runId: "run_a",
  seq,
  id,
  content,
})

const SOUND: TeamHistory = {
  runs: [RUN],
  messages: [message(1, "the prompt"), message(2, "a:0"), message(3, "a:1"), message(4, "done")],
  journal: [1, 2, 3],
  confirmed: ["a"],
  owners: [
    { runId: "run_a", fence: 1, owner: "one" },
    { runId: "run_a", fence: 2, owner: "two" },
    { runId: "run_a", fence: 2, owner: "two" },
  ],
  clients: [{ name: "early", from: 0, received: [1, 2, 3] }],
}

test("[C6] the model of a drill accepts a sound history", () => {
  expect(findViolations(SOUND)).toEqual([])
  const interrupted = {
    ...SOUND,
    runs: [{ ...RUN, status: "interrupted", lastSeq: 3 }],
    messages: [message(1, "the prompt"), message(2, "a:0"), message(3, "ended unexpectedly")],
  }
  expect(findViolations(interrupted)).toEqual([])
})

test.each<[string, Partial<TeamHistory>, string]>([
  ["a missing event", { journal: [1, 3, 4] }, "the journal has 3 at place 2"],
  [
    "a missing message",
    { messages: SOUND.messages.filter((it) => it.seq !== 3) },
    "run a has 4 at place 3",
  ],
  [
    "a doubled message of two drivers",
    { messages: SOUND.messages.map((it) => (it.seq === 3 ? message(3, "a:0") : it)) },
    "run a has its messages twice or not in order",
  ],
  [
    "a doubled id",
    { messages: SOUND.messages.map((it) => (it.seq === 4 ? message(4, "done", "msg_3") : it)) },
    "message id msg_3 occurs twice",
  ],
  ["a lost start", { confirmed: ["a", "b"] }, "the confirmed run b is lost"],
  ["a doubled start", { runs: [RUN, { ...RUN, id: "run_a" }] }, "run of a occurs twice"],
  ["a run without an end", { runs: [{ ...RUN, status: "running" }] }, "run a ended as running"],
  [
    "a completed run without its last message",
    {
      runs: [{ ...RUN, lastSeq: 3 }],
      messages: [message(1, "the prompt"), message(2, "a:0"), message(3, "done")],
    },
    "run a completed with 1 of 2",
  ],
  [
    "two drivers with one fence",
    { owners: [...SOUND.owners, { runId: "run_a", fence: 1, owner: "two" }] },
    "run run_a has two drivers with fence 1",
  ],
  [
    "a client with a gap",
    { clients: [{ name: "late", from: 1, received: [3] }] },
    "client late received 3 in place of 2",
  ],
  [
    "a client with a repeated event",
    { clients: [{ name: "early", from: 0, received: [1, 2, 2, 3] }] },
    "client early received 2 in place of 3",
  ],
  [
    "a client that stopped",
    { clients: [{ name: "early", from: 0, received: [1] }] },
    "client early misses 2 events",
  ],
])("[C6] the model of a drill finds %s", (_, planted, violation) => {
  expect(findViolations({ ...SOUND, ...planted })).toContain(violation)
})
