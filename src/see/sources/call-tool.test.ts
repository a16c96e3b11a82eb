import { expect, test } from "vitest"
import { isAppError } from "#ground/base"
import type { Caller } from "#ground/contract"
import { parseArguments, readAnswer } from "./call-tool.ts"
import { newFixture } from "./sources.fixture.ts"

const { signal } = new AbortController()
const QUESTION = { tool: "search", args: { query: "x" } }
const AGENT: Caller = { principal: "owner", client: "codex", session: "host-1" }
const OTHER: Caller = { ...AGENT, session: "host-2" }

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "ok",
    (error: unknown) => (isAppError(error) ? error.code : String(error)),
  )

test("[SOURCES-19] an agent calls a tool of any approved source that is on in its session, and no other", async () => {
  const keys = new Map([["host-1", "run-1"]])
  await using fixture = await newFixture({
    sessionKey: async (session) => keys.get(session) ?? session,
  })
  await fixture.add("crm", "good", { provides: ["other"] })
  const { sources } = fixture
  const call = (caller?: Caller) => codeOf(sources.call("crm", QUESTION, { signal, caller }))
  await sources.switch("crm", "run-1", true)
  // Switched on, but not approved.
  expect(await call(AGENT)).toBe("SOURCES_NOT_APPROVED")
  await sources.approve("crm")
  expect([await call(AGENT), await call(OTHER), await call()]).toEqual(["ok", "SOURCES_OFF", "ok"])
  expect(await sources.list("host-1")).toMatchObject([{ slug: "crm", isOn: true }])
  expect(await sources.list("host-2")).toMatchObject([{ slug: "crm", isOn: false }])
  const { tools } = await sources.tools(undefined, { signal, caller: AGENT })
  expect(tools).toMatchObject([{ source: "crm", name: "search" }])
  expect(await sources.tools(undefined, { signal, caller: OTHER })).toEqual({
    tools: [],
    notes: [expect.stringContaining("qm source on crm --session host-2")],
  })
  await sources.switch("crm", "host-1", false)
  expect(await call(AGENT)).toBe("SOURCES_OFF")
  // The session that a client names decides, not the connection alone.
  await sources.switch("crm", "named", true)
  const named = { signal, caller: AGENT, sessionId: "named" }
  expect(await codeOf(sources.call("crm", QUESTION, named))).toBe("ok")
})

test("[SOURCES-19] sources of the setting sources.sessions are on in every session, unless switched off there", async () => {
  await using fixture = await newFixture({ alwaysOn: () => ["*"] })
  await fixture.add("crm", "good")
  await fixture.sources.approve("crm")
  const call = (caller: Caller) => codeOf(fixture.sources.call("crm", QUESTION, { signal, caller }))
  await fixture.sources.switch("crm", "host-2", false)
  expect([await call(AGENT), await call(OTHER)]).toEqual(["ok", "SOURCES_OFF"])
  await fixture.sources.enable("host-2", ["crm", "unknown"])
  expect(await call(OTHER)).toBe("ok")
})

test("[SOURCES-18] secrets in arguments of a tool are redacted at any depth", async () => {
  await using fixture = await newFixture({
    redact: async (text) => text.replaceAll("hunter2", "[redacted]"),
  })
  await fixture.add("crm", "echoes-question")
  await fixture.sources.approve("crm")
  const args = { query: "hunter2", more: [{ hunter2: "is hunter2" }] }
  const { text } = await fixture.sources.call("crm", { tool: "search", args }, { signal })
  expect(text).not.toContain("hunter2")
  expect(text).toContain("is [redacted]")
})

test("[SOURCES-20] the state of a source is known to later processes, until its description changes", async () => {
  await using fixture = await newFixture()
  await fixture.add("good", "good")
  await fixture.add("bad", "dies-at-start")
  await fixture.sources.approve("good")
  await fixture.sources.approve("bad")
  const view = async () => {
    const list = await fixture.make().list()
    return list.map((it) => [it.slug, it.health, it.tools, it.problem?.includes("exit code 1")])
  }
  expect(await view()).toEqual([
    ["bad", "dead", null, true],
    ["good", "ok", ["search"], undefined],
  ])
  expect((await fixture.make().list())[1]?.checkedAt).toBeGreaterThan(0)
  await fixture.add("good", "good", { timeoutMs: 9_000 })
  await fixture.sources.approve("good")
  await fixture.sources.close()
  await fixture.add("good", "good", { timeoutMs: 8_000 })
  expect((await view())[1]).toEqual(["good", "unapproved", null, undefined])
})

test("[SOURCES-21] the text of a result is bounded and has no hidden characters", () => {
  const called = { slug: "crm", tool: "read" }
  const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const
  const text = { type: "text", text: `a\u200b\u{e0041}b` } as const
  const content = [text, image, { type: "resource_link", name: "N", uri: "file:///n" } as const]
  expect(readAnswer(called, { content, structured: { a: 1 }, isError: false })).toEqual({
    source: "crm",
    tool: "read",
    isError: false,
    text: "ab\n\n[image: image/png, 3 bytes]\n\nN: file:///n",
    isTruncated: false,
  })
  const long = {
    content: [{ type: "text", text: "x".repeat(300_000) } as const],
    structured: 1,
    isError: true,
  }
  expect(readAnswer(called, long)).toMatchObject({ isTruncated: true, isError: true })
  expect(readAnswer(called, { content: [], structured: { a: 1 }, isError: false }).text).toBe(
    '{"a":1}',
  )
})

test("[SOURCES-21] arguments that are no JSON object are refused before anything is started", () => {
  for (const text of ["", "[]", "1", "null", "{"]) {
    expect(() => parseArguments("crm", "find", text)).toThrow(
      expect.objectContaining({ code: "SOURCES_ARGUMENTS_INVALID" }),
    )
  }
  expect(parseArguments("crm", "find", '{"a":[1]}')).toEqual({ a: [1] })
})
