import { request as requestPlain, type ServerResponse } from "node:http"
import { describe, expect, test } from "vitest"
import { giveOthersATurn } from "#ground/base"
import { testClock } from "#test/clock"
import { ask, newFixture, newProvider } from "./proxy.fixture.ts"

async function newStream(options: { readonly keepsServer: boolean }) {
  const clock = testClock()
  const answers: ServerResponse[] = []
  const provider = await newProvider((response) => {
    response.write("begin ")
    answers.push(response)
  })
  const fixture = await newFixture(provider, { clock })
  if (options.keepsServer) {
    await fixture.proxy.open({ upstream: provider.url, wire: "anthropic", done() {} })
  }
  const headers = { host: fixture.host }
  const at = { host: "127.0.0.1", port: fixture.port, path: `${fixture.base}/v1`, headers }
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
    fixture,
    read,
    finish: () => void answers[0]?.end("end"),
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]()
      await fixture.proxy.close()
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
    const { fixture } = stream
    const closed = fixture.session.close()
    await acceptsNoMore()
    expect(await ask(fixture.port, { path: `${fixture.base}/v1` })).toMatchObject({ status: 403 })
    stream.finish()
    expect(await stream.read).toBe("begin end")
    await closed
    expect(fixture.exchanges.map((it) => it.outcome)).toEqual(["answered"])
  })

  test("requests that take longer than two seconds are aborted and reported before close resolves", async () => {
    await using stream = await newStream({ keepsServer: false })
    const { fixture, clock } = stream
    let isClosed = false
    const closed = fixture.session.close().then(() => {
      isClosed = true
    })
    await acceptsNoMore()
    await clock.advance(1_999)
    expect(isClosed).toBe(false)
    await clock.advance(1)
    await expect(stream.read).rejects.toThrow("aborted")
    await closed
    expect(fixture.exchanges.map((it) => it.outcome)).toEqual(["cut"])
  })

  test("the server stops with the last proxied session and starts with the next", async () => {
    await using provider = await newProvider((response) => response.end("ok"))
    const fixture = await newFixture(provider)
    const port = { upstream: provider.url, wire: "gemini", done() {} } as const
    const second = await fixture.proxy.open(port)
    await fixture.session.close()
    await fixture.session.close()
    const { pathname, port: number } = new URL(second.url)
    expect(await ask(Number(number), { path: `${pathname}/v1` })).toMatchObject({ status: 200 })
    await second.close()
    await expect(ask(Number(number), { path: pathname })).rejects.toThrow("ECONNREFUSED")
    const third = new URL((await fixture.proxy.open(port)).url)
    const path = `${third.pathname}/v1`
    expect(await ask(Number(third.port), { path })).toMatchObject({ status: 200 })
    await fixture.proxy.close()
    await expect(ask(Number(third.port), { path })).rejects.toThrow("ECONNREFUSED")
  })

  test("proxied sessions that open and close concurrently share one server", async () => {
    await using provider = await newProvider((response) => response.end("ok"))
    await using fixture = await newFixture(provider)
    const port = { upstream: provider.url, wire: "openai", done() {} } as const
    const [first] = await Promise.all([fixture.proxy.open(port), fixture.session.close()])
    const all = await Promise.all(Array.from({ length: 5 }, () => fixture.proxy.open(port)))
    const ports = new Set([first, ...all].map((it) => new URL(it.url).port))
    expect(ports.size).toBe(1)
    await Promise.all(all.map((it) => it.close()))
    const { pathname, port: number } = new URL(first.url)
    expect(await ask(Number(number), { path: `${pathname}/v1` })).toMatchObject({ status: 200 })
  })
})
