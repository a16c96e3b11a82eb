import type { Clock, Log, Random } from "#ground/base"
import type { WireName } from "#ground/contract"
import { UpgradeRefused } from "./errors.ts"
import { digestOfToken, judge } from "./guard.ts"
import { pairsOf, valuesOf } from "./headers.ts"
import { CARRY_ID_BYTES, CLOSE_GRACE_MS, TOKEN_BYTES } from "./limits.ts"
import { type Arrival, type Listener, listen } from "./listen.ts"
import { answerOurselves } from "./own-answer.ts"
import type { CarryPort } from "./port.ts"
import { type Relay, relay } from "./relay.ts"
import { createUpstream, type ProxyEnvironment, type Upstream } from "./upstream.ts"

export type { Asked, CarryPort, Exchange, Header, Prepared } from "./port.ts"

type ProxyDeps = {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** HTTPS_PROXY and NO_PROXY of the person, in either case. */
  readonly proxyEnvironment: ProxyEnvironment
}

export type OpenCarry = {
  readonly id: string
  /** `http://127.0.0.1:PORT/t/TOKEN`: a secret, for one process alone. */
  readonly url: string
  /** Its address is void at once; what is under way gets a moment and is then cut. */
  close(): Promise<void>
}

/** One server a process, there from the first carry to the last. */
export function createProxy(deps: ProxyDeps) {
  const carries = new Set<Carry>()
  const server = shared(() => listen((arrival) => meet(arrival, carries, deps)))

  async function open(port: CarryPort): Promise<OpenCarry> {
    const upstream = createUpstream(port.upstream, deps.proxyEnvironment)
    // So begun, it is known for what it is wherever somebody prints it. (ground/secrets)
    const token = `qmgw_${hex(deps.random, TOKEN_BYTES)}`
    const { port: number } = await server.take()
    const carry: Carry = {
      id: hex(deps.random, CARRY_ID_BYTES),
      tokenDigest: digestOfToken(token),
      port,
      upstream,
      relays: new Set(),
      close: once(async () => {
        carries.delete(carry)
        await endAll(carry.relays, deps.clock)
        upstream.close()
        await server.giveBack()
      }),
    }
    carries.add(carry)
    return { id: carry.id, url: `http://127.0.0.1:${number}/t/${token}`, close: carry.close }
  }

  return {
    open,
    async close(): Promise<void> {
      await Promise.all([...carries].map((carry) => carry.close()))
    },
  }
}

type Carry = {
  readonly id: string
  readonly tokenDigest: Buffer
  readonly port: CarryPort
  readonly upstream: Upstream
  readonly relays: Set<Relay>
  close(): Promise<void>
}

function meet(arrival: Arrival, carries: ReadonlySet<Carry>, deps: ProxyDeps): void {
  const { request, response, port } = arrival
  const headers = pairsOf(request.rawHeaders)
  const verdict = judge({ url: request.url ?? "", headers }, { port, carries })
  if (verdict.kind === "refuse") {
    const { status, error } = verdict
    deps.log.warn("the gateway refused a request", { code: error.code })
    request.resume()
    return answerOurselves(response, { wire: oneWireOf(carries), status, error })
  }
  const { carry, path } = verdict
  // Hosts that try a socket first fall back to POST at this answer; other upgrades may be ignored.
  const isSocket = valuesOf(headers, "upgrade").some((it) => it.toLowerCase() === "websocket")
  if (isSocket) {
    request.resume()
    const { wire } = carry.port
    return answerOurselves(response, { wire, status: 426, error: UpgradeRefused({}) })
  }
  if (arrival.isWaiting) response.writeContinue()
  const started = relay({ carry, request, response, path, headers }, deps)
  carry.relays.add(started)
  void started.ended.then(() => carry.relays.delete(started))
}

/** Who has no address of ours has no wire either; mostly there is but one. */
function oneWireOf(carries: ReadonlySet<Carry>): WireName {
  const wires = new Set([...carries].map((carry) => carry.port.wire))
  const [first] = wires
  return wires.size === 1 && first !== undefined ? first : "anthropic"
}

/** Waits for what is under way, for a moment; then cuts it and waits for the word of its end. */
async function endAll(relays: ReadonlySet<Relay>, clock: Clock): Promise<void> {
  const open = [...relays]
  if (open.length === 0) return
  const allEnded = Promise.all(open.map((it) => it.ended))
  const timer = new AbortController()
  const late = clock.sleep(CLOSE_GRACE_MS, timer.signal).catch(() => {})
  await Promise.race([allEnded, late])
  timer.abort()
  for (const it of open) it.cut()
  await allEnded
}

/** Started for the first who takes it, closed by the last who gives it back. */
function shared(start: () => Promise<Listener>) {
  let listener: Promise<Listener> | undefined
  let users = 0
  const giveBack = async () => {
    users--
    if (users > 0) return
    const last = listener
    listener = undefined
    await (await last?.catch(() => undefined))?.close()
  }
  return {
    async take(): Promise<Listener> {
      users++
      listener ??= start()
      try {
        return await listener
      } catch (error) {
        await giveBack()
        throw error
      }
    },
    giveBack,
  }
}

function once(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= act()
    return done
  }
}

function hex(random: Random, bytes: number): string {
  return Buffer.from(random.bytes(bytes)).toString("hex")
}
