import { request as requestPlain, type ServerResponse } from "node:http"
import { describe, expect, test } from "vitest"
import { giveOthersATurn } from "#ground/base"
import { testClock } from "#test/clock"
import { ask, newProvider, newWorld } from "./proxy.fixture.ts"

async function newStream(options: { readonly keepsServer: boolean }) {
  const clock = testClock()
  const answers: ServerResponse[] = []
  const provider = await newProvider((response) => {
    response.write("begin ")
    answers.push(response)
  })
  const world = await newWorld(provider, { clock })
  if (options.keepsServer) {
    await world.proxy.open({ upstream: provider.url, wire: "anthropic", done() {} })
  }
  const headers = { host: world.host }
  const at = { host: "127.0.0.1", port: world.port, path: `${world.base}/v1`, headers }
  const sent = requestPlain({ ...at, agent: false }).end()
  const answer = await new Promise<import("node:http").IncomingMessage>((resolve, reject) => {
    sent.on("response", resolve)
    sent.on("error", reject)
  })
  const read = (async () => {
    let text = ""
    for await (const chunk of answer) text += String(chunk)
    return text
  })()
  read.catch(() => {})
  return {
    clock,
    world,
    read,
    finish: () => void answers[0]?.end("end"),
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]()
      await world.proxy.close()
    },
  }
}

/** `close()` accepts requests for 8 turns of the event loop; this waits for more. */
async function acceptsNoMore(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await giveOthersATurn()
}

describe("the end of a proxied session", () => {
  test("its address is refused after the requests already sent, while active ones may finish", async () => {
    await using stream = await newStream({ keepsServer: true })
    const { world } = stream
    const closed = world.session.close()
    await acceptsNoMore()
    expect(await ask(world.port, { path: `${world.base}/v1` })).toMatchObject({ status: 403 })
    stream.finish()
    expect(await stream.read).toBe("begin end")
    await closed
    expect(world.exchanges.map((it) => it.outcome)).toEqual(["answered"])
  })

  test("requests that take longer than two seconds are aborted and reported before close resolves", async () => {
    await using stream = await newStream({ keepsServer: false })
    const { world, clock } = stream
    let isClosed = false
    const closed = world.session.close().then(() => {
      isClosed = true
    })
    await acceptsNoMore()
    await clock.advance(1_999)
    expect(isClosed).toBe(false)
    await clock.advance(1)
    await expect(stream.read).rejects.toThrow("aborted")
    await closed
    expect(world.exchanges.map((it) => it.outcome)).toEqual(["cut"])
  })

  test("the server stops with the last proxied session and starts with the next", async () => {
    await using provider = await newProvider((response) => response.end("ok"))
    const world = await newWorld(provider)
    const port = { upstream: provider.url, wire: "gemini", done() {} } as const
    const second = await world.proxy.open(port)
    await world.session.close()
    await world.session.close()
    const { pathname, port: number } = new URL(second.url)
    expect(await ask(Number(number), { path: `${pathname}/v1` })).toMatchObject({ status: 200 })
    await second.close()
    await expect(ask(Number(number), { path: pathname })).rejects.toThrow("ECONNREFUSED")
    const third = new URL((await world.proxy.open(port)).url)
    const path = `${third.pathname}/v1`
    expect(await ask(Number(third.port), { path })).toMatchObject({ status: 200 })
    await world.proxy.close()
    await expect(ask(Number(third.port), { path })).rejects.toThrow("ECONNREFUSED")
  })

  test("proxied sessions that open and close concurrently share one server", async () => {
    await using provider = await newProvider((response) => response.end("ok"))
    await using world = await newWorld(provider)
    const port = { upstream: provider.url, wire: "openai", done() {} } as const
    const [first] = await Promise.all([world.proxy.open(port), world.session.close()])
    const all = await Promise.all(Array.from({ length: 5 }, () => world.proxy.open(port)))
    const ports = new Set([first, ...all].map((it) => new URL(it.url).port))
    expect(ports.size).toBe(1)
    await Promise.all(all.map((it) => it.close()))
    const { pathname, port: number } = new URL(first.url)
    expect(await ask(Number(number), { path: `${pathname}/v1` })).toMatchObject({ status: 200 })
  })
})
