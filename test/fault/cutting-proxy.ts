import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** Integers below a bound, repeatable by seed (mulberry32). */
export function createChance(from: number): (below: number) => number {
  let state = from >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** Most connections end in or soon after the handshake, a third in the middle of the data. */
export function budgetOf(chance: (below: number) => number, largestBytes: number): number {
  return 1 + chance(chance(3) === 0 ? largestBytes : 2_000)
}

/** Forwards bytes up to the budget in either direction, then cuts both sides at that byte. */
export async function cuttingProxy(port: number, budget: () => number) {
  let cuts = 0
  let isCalm = false
  let pairs: { client: Socket; target: Socket; isFrozen: boolean }[] = []
  const proxy = createServer((client) => {
    const target = connect(port, "127.0.0.1")
    const pair = { client, target, isFrozen: false }
    pairs.push(pair)
    let left = isCalm ? Number.POSITIVE_INFINITY : budget()
    const end = () => {
      client.destroy()
      target.destroy()
    }
    const pass = (to: Socket) => (chunk: Buffer) => {
      if (pair.isFrozen || left <= 0) return
      to.write(chunk.subarray(0, left))
      left -= chunk.length
      if (left > 0) return
      cuts++
      // Ends the connection without a reset, so that the bytes before the cut arrive.
      client.end(end)
    }
    client.on("data", pass(target))
    target.on("data", pass(client))
    for (const socket of [client, target]) {
      socket.on("error", end)
      socket.on("close", () => !pair.isFrozen && end())
    }
  })
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    cuts: () => cuts,
    /** Stops cutting; clients on a connection with a budget must reconnect. */
    calm(): void {
      isCalm = true
      for (const { client, target } of pairs) for (const it of [client, target]) it.destroy()
      pairs = []
    },
    /** Open connections stop forwarding without being closed. */
    freeze(): void {
      for (const pair of pairs) pair.isFrozen = true
    },
    [Symbol.dispose]() {
      for (const { client, target } of pairs) for (const it of [client, target]) it.destroy()
      proxy.close()
    },
  }
}

type NumberedMessage = { readonly seq: number; readonly id: string }

/** The first difference as a short text, because two lists of thousands are unreadable. */
export function findFault(
  received: readonly NumberedMessage[],
  all: readonly NumberedMessage[],
): string {
  const at = all.findIndex((it, place) => received[place]?.id !== it.id)
  if (at === -1) return received.length === all.length ? "none" : "more came than there is"
  return `place ${at}: expected ${all[at]?.seq}, received ${received[at]?.seq}`
}
