import path from "node:path"
import { expect, test } from "vitest"
import type { Cursor } from "#ground/contract"
import { type Child, child } from "#test/child"
import { follow, neverReads, readToken } from "#test/server"
import { tempDirectory } from "#test/temp"

const EVENTS = 200_000

/** How long a client may read nothing (LIVE_STALLED_MS of show/http). */
const STALLED_MS = 10_000
const MOST_GROWTH_BYTES = 100_000_000

type State = { readonly rssBytes: number; readonly clients: number }

test("[N2] a client that never reads costs no memory and is disconnected; another receives all 200,000 events", async () => {
  await using folder = await tempDirectory()
  await using server = child(new URL("live-slow.child.ts", import.meta.url), [folder.path])
  const { port, head } = await hear<{ port: number; head: Cursor }>(server)
  const token = await readToken(path.join(folder.path, "home"))
  const order = async (line: string): Promise<State> => {
    server.send(line)
    return hear<State>(server)
  }
  // The first writes load code and grow the heap to its working size, which is not caused by the
  // client.
  await order("push 20000")
  const stalled = await neverReads(port, { token, after: head })
  const isCut = new Promise<void>((resolve) => stalled.on("close", () => resolve()))
  using quick = follow(`http://127.0.0.1:${port}`, { token, after: head })
  await quick.until(() => quick.entries.length >= 20_000)
  const before = await order("look")

  const after = await order(`push ${EVENTS}`)
  await quick.until(() => quick.entries.length >= EVENTS + 20_000)
  expect(after.rssBytes - before.rssBytes).toBeLessThan(MOST_GROWTH_BYTES)
  // On a busy machine the missing heartbeat, which has a real clock, may end the stalled client first.
  expect(before.clients).toBe(2)
  expect(after.clients).toBeGreaterThanOrEqual(1)

  const cut = await order(`advance ${STALLED_MS}`)
  stalled.resume()
  await isCut
  expect([cut.clients, quick.cuts]).toEqual([1, []])
  const wrong = quick.entries.findIndex((it, at) => it.seq !== head.seq + 1 + at)
  expect([wrong, quick.entries.length]).toEqual([-1, EVENTS + 20_000])
})

async function hear<Said>(server: Child): Promise<Said> {
  const line = await server.nextLine()
  if (line === undefined) throw new Error(`the server ended: ${(await server.exited).stderr}`)
  return JSON.parse(line) as Said
}
