import { describe, expect, it } from "vitest"
import type { Message } from "../../contract.ts"
import type { RunFollower } from "./run-line.ts"
import { createTranscript } from "./transcript.ts"

function aMessage(seq: number, type: Message["type"] = "assistant"): Message {
  return { id: `m${seq}`, seq, type, role: "assistant", content: "", timestamp: seq, metadata: {} }
}

function aTranscript(count: number) {
  const stored = Array.from({ length: count }, (_, i) => aMessage(i + 1))
  const timers: (() => void)[] = []
  let follower: RunFollower | undefined
  const requests: object[] = []
  const transcript = createTranscript({
    id: "rn_1",
    client: {
      read: async (_name: string, input: object) => {
        requests.push(input)
        const { before = Infinity, after = 0, limit = 300 } = input as Range
        const all = stored.filter((it) => it.seq > after && it.seq < before)
        const messages = before === Infinity ? all.slice(0, limit) : all.slice(-limit)
        return { messages } as never
      },
    },
    line: {
      followAgent(_id, it) {
        follower = it
        return () => {
          follower = undefined
        }
      },
    },
    after: (_ms, act) => {
      timers.push(act)
      return () => undefined
    },
    onRun: () => undefined,
  })
  return {
    transcript,
    asked: requests,
    stored,
    seqs: () => transcript.state().window.messages.map((it) => it.seq),
    follower: () => follower,
    runTimers: () => {
      for (const act of timers.splice(0)) act()
    },
    write(seq: number) {
      const message = stored[seq - 1] ?? aMessage(seq)
      stored[seq - 1] = message
      follower?.receive({ kind: "message", message })
    },
  }
}

type Range = { readonly before?: number; readonly after?: number; readonly limit?: number }

const settled = () => new Promise<void>((done) => void setTimeout(done, 0))

describe("live transcript", () => {
  it("[CONSOLE-29] it opens at the end and subscribes after its newest message", async () => {
    const it = aTranscript(1_000)
    it.transcript.start(null)
    await settled()
    expect(it.seqs()).toEqual(Array.from({ length: 300 }, (_, i) => 701 + i))
    expect(it.follower()?.after()).toBe(1_000)
  })

  it("[CONSOLE-106] messages that are not loaded yet are searched from the newest to the oldest", async () => {
    const it = aTranscript(1_000)
    it.transcript.start(null)
    await settled()
    expect(await it.transcript.findOlder(({ seq }) => seq === 120 || seq === 130)).toBe(130)
    expect(it.seqs()[0]).toBe(101)
    expect(await it.transcript.findOlder(() => false)).toBeUndefined()
    expect(it.seqs()[0]).toBe(1)
  })

  it("[CONSOLE-29] opened around a message, it does not append live messages that would leave a gap", async () => {
    const it = aTranscript(1_000)
    it.transcript.start(200)
    await settled()
    expect(it.seqs().at(-1)).toBe(349)
    it.transcript.follow(false)
    it.write(1_001)
    it.runTimers()
    expect(it.seqs().at(-1)).toBe(349)
    expect(it.transcript.state().window.lastSeq).toBe(1_001)
    expect(it.follower()?.after()).toBe(1_001)
  })

  it("[CONSOLE-29] messages of one animation frame are applied together, without duplicates", async () => {
    const it = aTranscript(3)
    it.transcript.start(null)
    await settled()
    for (const seq of [4, 5, 5, 6]) it.write(seq)
    expect(it.seqs()).toEqual([1, 2, 3])
    it.runTimers()
    expect(it.seqs()).toEqual([1, 2, 3, 4, 5, 6])
  })

  it("[CONSOLE-4] a lost connection removes nothing, and after it the number of missed messages is reported", async () => {
    const it = aTranscript(3)
    it.transcript.start(null)
    await settled()
    it.follower()?.receive({ kind: "lost" })
    expect(it.transcript.state().line).toBe("lost")
    expect(it.seqs()).toEqual([1, 2, 3])
    it.stored.push(aMessage(4), aMessage(5))
    it.follower()?.receive({ kind: "subscribed", lastSeq: 5, status: "running" })
    it.write(4)
    it.write(5)
    it.runTimers()
    expect(it.seqs()).toEqual([1, 2, 3, 4, 5])
    expect(it.transcript.state().line).toEqual({ caughtUp: 2 })
  })

  it("[CONSOLE-4] a lost connection without missed messages reports 0", async () => {
    const it = aTranscript(3)
    it.transcript.start(null)
    await settled()
    it.follower()?.receive({ kind: "lost" })
    it.follower()?.receive({ kind: "subscribed", lastSeq: 3, status: "running" })
    expect(it.transcript.state().line).toEqual({ caughtUp: 0 })
  })

  it("[CONSOLE-29] streamed text is removed when its message is stored", async () => {
    const it = aTranscript(1)
    it.transcript.start(null)
    await settled()
    it.follower()?.receive({ kind: "delta", text: "Half a sen" })
    expect(it.transcript.state().writing.get("")).toBe("Half a sen")
    it.write(2)
    it.runTimers()
    expect(it.transcript.state().writing.size).toBe(0)
  })

  it("[CONSOLE-15] a transcript deleted while it is open reports that", async () => {
    const it = aTranscript(1)
    it.transcript.start(null)
    await settled()
    it.follower()?.receive({ kind: "deleted" })
    expect(it.transcript.state().phase).toBe("deleted")
  })
})
