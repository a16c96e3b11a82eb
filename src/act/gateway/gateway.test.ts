import { describe, expect, it } from "vitest"
import { foldReceipt, openReceipt } from "#choose/fold"
import { ask, gatewayFixture, KEY, SETTINGS, TOOLS } from "#test/gateway-room"
import { askFoldEligibility } from "./fold-eligibility.ts"

const BRANCH = "br_0123456789abcdef0123456789abcdef"
const LONG = "a line of a file that was read\n".repeat(200)

const user = (text: string) => ({ role: "user", content: [{ type: "text", text }] })
const said = (text: string) => ({ role: "assistant", content: [{ type: "text", text }] })
const call = (id: string, name: string, input: object = {}) => ({
  role: "assistant",
  content: [{ type: "tool_use", id, name, input }],
})
const result = (id: string, content: string) => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content }],
})

const OPENED = [
  user("go"),
  call("t1", "mcp__qm__branch"),
  result("t1", JSON.stringify({ branch_id: BRANCH, receipt: openReceipt(KEY, BRANCH) })),
]
const WORKED = [...OPENED, call("t2", "Read"), result("t2", LONG)]
const RETURNED = [
  ...WORKED,
  call("t3", "mcp__qm__return", { branch_id: BRANCH }),
  result("t3", JSON.stringify({ message: "found it", receipt: foldReceipt(KEY, BRANCH) })),
]

describe("a proxied session", () => {
  it("a request is recorded with its usage and price, and the next with its new items", async () => {
    await using fixture = await gatewayFixture()
    const proxied = await fixture.proxy({ mode: "record" })
    await ask(proxied, OPENED)
    await ask(proxied, WORKED)
    await proxied.end()
    const [first, second] = await fixture.requests(proxied.id)
    expect(first).toMatchObject({
      session: "session-1",
      agent: null,
      model: "claude-opus-5-5",
      usage: { input: 10, output: 5, cacheRead: 100, cacheWrite: 7 },
      costUsd: 0.05,
      outcome: "answered",
      status: 200,
    })
    expect(second?.added.map((it) => `${it.kind} ${it.name}`)).toEqual(["call Read", "result Read"])
    const { sessions } = await fixture.gateway.list({ limit: 10 })
    expect(sessions[0]).toMatchObject({ mode: "record", requests: 2, isAlive: false })
  })

  it("a resumed session adds only items that it had not sent before", async () => {
    await using fixture = await gatewayFixture()
    const proxied = await fixture.proxy({ mode: "record" })
    await ask(proxied, OPENED)
    await proxied.end()
    const other = fixture.another()
    const later = await fixture.proxyBy(other, { mode: "record" })
    await ask(later, WORKED)
    await later.end()
    await other.close()
    const [first] = await fixture.requests(later.id)
    expect(first?.added.map((it) => `${it.kind} ${it.name}`)).toEqual(["call Read", "result Read"])
  })

  it("[GATE-101] [GATE-102] a request is stored with its cache report, also after a resume, and a costly miss is an event", async () => {
    const notes: unknown[] = []
    await using fixture = await gatewayFixture({
      settings: () => ({ ...SETTINGS, cacheAlertTokens: 20_000 }),
      noteCache: async (note) => void notes.push(note),
    })
    const { say } = fixture.provider
    const cached = (read: number, written: number) => ({
      input_tokens: 3,
      output_tokens: 9,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
    })
    const marked = (text: string) => ({
      role: "user",
      content: [{ type: "text", text, cache_control: { type: "ephemeral" } }],
    })
    const long = user("a long text of the user ".repeat(9_000))
    const proxied = await fixture.proxy({ mode: "record" })
    say.usage = cached(0, 60_000)
    await ask(proxied, [long, marked("go")])
    say.usage = cached(60_000, 500)
    await ask(proxied, [long, user("go"), said("yes"), marked("on")])
    await proxied.end()
    const other = fixture.another()
    const later = await fixture.proxyBy(other, { mode: "record" })
    say.usage = cached(0, 61_000)
    const note = user("<system-reminder>\nAttribution for git commits\n</system-reminder>")
    await ask(later, [note, long, user("go"), said("yes"), user("on"), said("ok"), marked("x")])
    await later.end()
    await other.close()
    const reports = (await fixture.requests(proxied.id)).map((it) => it.cache)
    expect(reports.map((it) => it?.verdict)).toEqual(["first", "hit"])
    const { requests, causes, misses } = await fixture.gateway.cache({ id: later.id })
    expect(requests[0]?.cache).toMatchObject({
      verdict: "miss",
      cause: "resume",
      comparedWith: { proxiedSession: proxied.id, seq: 2 },
      firstDifference: { change: "added", kind: "reminder" },
      settings: { lifetimeMs: 300_000, markers: 1 },
    })
    expect(requests[0]?.cache.lostTokens).toBeGreaterThan(50_000)
    expect([misses, causes[0]?.cause]).toEqual([1, "resume"])
    const page = await fixture.journal({ namePrefix: "gateway.cache" })
    expect(page).toMatchObject([{ proxiedSession: later.id, seq: 1, cause: "resume" }])
    expect(notes).toHaveLength(3)
    expect(notes[0]).toMatchObject({ session: "session-1", tokens: 60_012 })
    expect((await fixture.gateway.cache({ id: proxied.id, misses: true })).requests).toEqual([])
  })

  it("[GATE-88] no key is stored, whatever header contains it", async () => {
    await using fixture = await gatewayFixture()
    const proxied = await fixture.proxy({ mode: "record", hasContent: true })
    await ask(proxied, [user("the word is hunter2")], { headers: { "x-other": "hunter2" } })
    await proxied.end()
    expect(fixture.provider.heard[0]?.headers["x-api-key"]).toBe("hunter2")
    const manifest = await fixture.gateway.request({ id: proxied.id, seq: 1 })
    const texts = await fixture.gateway.texts({ id: proxied.id, seq: 1, from: 0, limit: 100 })
    expect(texts.pieces.some((it) => it.text?.includes("[redacted]"))).toBe(true)
    expect(JSON.stringify([manifest, texts])).not.toContain("hunter2")
  })

  it("branches with both receipts are folded, the saving is reported, and the trail is stored", async () => {
    await using fixture = await gatewayFixture()
    const proxied = await fixture.proxy()
    await ask(proxied, WORKED)
    await ask(proxied, RETURNED)
    await proxied.end()
    const wire = fixture.provider.heard.map((it) => it.body)
    expect(wire[0]).toBe(JSON.stringify(bodyOf(WORKED)))
    expect(wire[1]).not.toContain("a line of a file")
    expect(wire[1]).toContain("found it")
    const [, folded] = await fixture.requests(proxied.id)
    expect(folded?.folded.map((it) => it.branchId)).toEqual([BRANCH])
    expect(folded?.forwardedBytes).toBeLessThan(folded?.sentBytes ?? 0)
    expect(fixture.trails[0]?.branchId).toBe(BRANCH)
    expect(fixture.trails[0]?.tools).toContain("Read")
  })

  it("removed turns of a branch are read once, and again while their trail is not stored", async () => {
    const kept: string[] = []
    // The first time it cannot be scrubbed.
    const keepTrail = async (branchId: string) => kept.push(branchId) > 1
    await using fixture = await gatewayFixture({ keepTrail })
    const proxied = await fixture.proxy()
    const more = [...RETURNED, said("And now?"), user("Go on")]
    for (const messages of [RETURNED, more, [...more, said("Well"), user("Go on")]]) {
      await ask(proxied, messages)
    }
    await proxied.end()
    expect(kept).toEqual([BRANCH, BRANCH])
    const folded = (await fixture.requests(proxied.id)).map((it) => it.folded)
    expect(folded[0]).toMatchObject([{ branchId: BRANCH }])
    expect(folded[0]?.[0]?.tokens).toBeGreaterThan(0)
    expect(folded).toEqual([folded[0], folded[0], folded[0]])
  })

  it("in record mode nothing is folded", async () => {
    await using fixture = await gatewayFixture()
    const proxied = await fixture.proxy({ mode: "record" })
    await ask(proxied, RETURNED)
    expect(fixture.provider.heard[0]?.body).toBe(JSON.stringify(bodyOf(RETURNED)))
  })

  it.each([
    ["a login", { "x-api-key": "", authorization: "Bearer word" }],
    ["a compressed body", { "content-encoding": "zstd" }],
    ["no session", { "x-claude-code-session-id": "two words" }],
  ])("[GATE-90] %s is never folded", async (_, headers) => {
    await using fixture = await gatewayFixture()
    const proxied = await fixture.proxy()
    await ask(proxied, RETURNED, { headers: headers as Record<string, string> })
    expect(fixture.provider.heard[0]?.body).toBe(JSON.stringify(bodyOf(RETURNED)))
  })

  it("[GATE-91] a refused fold is sent again unfolded, reported, and never tried again", async () => {
    await using fixture = await gatewayFixture()
    const proxied = await fixture.proxy()
    fixture.provider.say.refusesFolded = true
    const { status } = await ask(proxied, RETURNED)
    expect(status).toBe(200)
    expect(fixture.provider.heard.map((it) => it.body.includes("qm-open:"))).toEqual([false, true])
    expect(fixture.told).toEqual([
      "Folding is off for the rest of this session: the provider refused a folded request and accepted the original. The session continues unfolded.",
    ])
    expect(fixture.unfolded).toEqual([BRANCH])
    await ask(proxied, RETURNED)
    expect(fixture.provider.heard).toHaveLength(3)
    await proxied.end()
    // Another process, later: the session stays latched off.
    const other = fixture.another()
    const later = await fixture.proxyBy(other)
    await ask(later, RETURNED)
    expect(fixture.provider.heard.at(-1)?.body).toContain("qm-open:")
    const [again] = (await fixture.gateway.show({ id: later.id, limit: 10 })).sessions
    expect(again?.latchedOff).toContain("refused")
    expect(fixture.told).toHaveLength(2)
    await ask(later, RETURNED, { session: "session-2" })
    expect(fixture.provider.heard.map((it) => it.body.includes("qm-open:")).slice(-2)).toEqual([
      false,
      true,
    ])
    await other.close()
    const [proxiedSession] = (await fixture.gateway.show({ id: proxied.id, limit: 10 })).sessions
    expect(proxiedSession?.latchedOff).toContain("refused")
  })

  it.each([
    ["a login", { "x-api-key": "", authorization: "Bearer word" }, /not signed in with an API key/],
    ["compressed bodies", { "content-encoding": "zstd" }, /compressed/],
  ])(
    "[GATE-93] the user gets one message that nothing is folded with %s",
    async (_, headers, why) => {
      await using fixture = await gatewayFixture()
      const proxied = await fixture.proxy()
      for (let at = 0; at < 3; at++) {
        await ask(proxied, OPENED, { headers: headers as Record<string, string> })
      }
      expect(fixture.told).toEqual([expect.stringMatching(why)])
    },
  )

  it("[GATE-93] a host without our tools gets a notice that says how to add them", async () => {
    await using fixture = await gatewayFixture()
    const proxied = await fixture.proxy()
    const base = proxied.environment["ANTHROPIC_BASE_URL"] ?? ""
    const headers = { "x-api-key": "k", "x-claude-code-session-id": "s" }
    const body = JSON.stringify({ model: "m", messages: [user("go")], tools: [] })
    for (let at = 0; at < 3; at++) {
      await fetch(`${base}/v1/messages`, { method: "POST", headers, body }).then((it) => it.text())
    }
    expect(fixture.told).toEqual([expect.stringContaining("claude mcp add qm -- qm mcp")])
  })

  it("a host that sent no request leaves no row behind", async () => {
    await using fixture = await gatewayFixture()
    await (await fixture.proxy()).end()
    expect((await fixture.gateway.list({ limit: 10 })).sessions).toEqual([])
  })

  it("[GATE-84] other processes can query the eligibility shown by the last request, while the session is open", async () => {
    await using fixture = await gatewayFixture()
    const proxied = await fixture.proxy()
    const question = { session: "session-1", branchId: BRANCH }
    expect((await askFoldEligibility(fixture.place, question)).kind).toBe("no")
    await ask(proxied, OPENED)
    expect((await askFoldEligibility(fixture.place, { session: "session-1" })).kind).toBe(
      "eligible",
    )
    expect(await askFoldEligibility(fixture.place, question)).toMatchObject({ why: /too little/ })
    await ask(proxied, WORKED)
    expect((await askFoldEligibility(fixture.place, question)).kind).toBe("eligible")
    await proxied.end()
    expect((await askFoldEligibility(fixture.place, question)).kind).toBe("no")
  })

  it("[GATE-83] a session that cannot be folded is refused before anything is opened", async () => {
    await using fixture = await gatewayFixture()
    const wanted = { host: "copilot", title: "copilot", wire: "openai" } as const
    await expect(fixture.proxy(wanted)).rejects.toMatchObject({ code: "GATEWAY_FOLD_NOT_OFFERED" })
    expect((await fixture.gateway.list({ limit: 10 })).sessions).toEqual([])
  })

  it("[GATE-92] a proxied session that cannot be opened leaves nothing open", async () => {
    await using fixture = await gatewayFixture()
    const environment = { ANTHROPIC_BASE_URL: `${fixture.provider.url}/?with=a-query` }
    await expect(fixture.proxy({ environment })).rejects.toThrow(/cannot forward to this address/)
    const { sessions } = await fixture.gateway.list({ limit: 10 })
    expect(sessions.map((it) => it.endedAt === null)).toEqual(sessions.map(() => false))
    expect((await ask(await fixture.proxy(), WORKED)).status).toBe(200)
  })

  it("closing waits for a proxied session that is ending, and all its requests are stored", async () => {
    await using fixture = await gatewayFixture()
    const other = fixture.another()
    const proxied = await fixture.proxyBy(other, { mode: "record" })
    for (let at = 0; at < 3; at++) await ask(proxied, WORKED)
    void proxied.end()
    await other.close()
    const { sessions } = await fixture.gateway.list({ limit: 10 })
    expect(sessions.map((it) => [it.requests, it.endedAt === null])).toEqual([[3, false]])
  })

  it("[GATE-91] when the provider refuses the original too, the fold is not blamed", async () => {
    await using fixture = await gatewayFixture()
    const proxied = await fixture.proxy()
    fixture.provider.say.status = 400
    expect((await ask(proxied, RETURNED)).status).toBe(400)
    fixture.provider.say.status = 200
    await ask(proxied, RETURNED)
    expect(fixture.provider.heard.at(-1)?.body).not.toContain("qm-open:")
    expect(fixture.told).toEqual([])
  })

  it("[GATE-92] requests beyond the recording queue are reported and not read", async () => {
    await using fixture = await gatewayFixture({ mostWaitingBytes: 100_000 })
    const proxied = await fixture.proxy({ mode: "record" })
    const large = [user("x ".repeat(30_000))]
    await Promise.all([0, 1, 2, 3].map(() => ask(proxied, large)))
    await proxied.end()
    const requests = await fixture.requests(proxied.id)
    expect(requests).toHaveLength(4)
    const problems = requests.map((it) => it.problem ?? "").filter((it) => it !== "")
    expect(problems.every((it) => it.includes("too busy"))).toBe(true)
    expect(problems.length).toBeGreaterThan(0)
    expect(requests.every((it) => it.sentBytes > 60_000)).toBe(true)
  })

  it("[GATE-92] a failing store does not affect any response", async () => {
    await using fixture = await gatewayFixture()
    const proxied = await fixture.proxy()
    await fixture.gateway.delete({ id: proxied.id })
    expect((await ask(proxied, WORKED)).status).toBe(200)
    await proxied.end()
  })

  it("[GATE-92] an unreadable request is recorded as unreadable", async () => {
    await using fixture = await gatewayFixture()
    const proxied = await fixture.proxy()
    const base = proxied.environment["ANTHROPIC_BASE_URL"] ?? ""
    const answers = await Promise.all([
      fetch(`${base}/v1/messages`, { method: "POST", body: "{not json" }),
      fetch(`${base}/v1/unheard-of?x=1`),
    ])
    expect(answers.map((it) => it.status)).toEqual([200, 200])
    await proxied.end()
    const heard = fixture.provider.heard.map((it) => `${it.path} ${it.body}`)
    expect(new Set(heard)).toEqual(new Set(["/v1/messages {not json", "/v1/unheard-of?x=1 "]))
    expect(await fixture.requests(proxied.id)).toHaveLength(2)
  })
})

function bodyOf(messages: readonly unknown[]) {
  return { model: "claude-opus-5-5", messages, tools: TOOLS }
}

describe("masks in record mode", () => {
  it("[GATE-133] a session that records although autoFold is on says that no request is changed", async () => {
    await using fixture = await gatewayFixture({
      settings: () => ({ ...SETTINGS, autoFold: "on" }),
    })
    const noticesOf = async (options: Parameters<typeof fixture.proxy>[0]) => {
      const told: string[] = []
      const proxied = await fixture.proxy({ ...options, tell: (text) => void told.push(text) })
      const { sessions } = await fixture.gateway.list({ limit: 1 })
      await proxied.end()
      return { told, notice: sessions[0]?.notice }
    }
    const notice = expect.stringMatching(/^gateway\.autoFold is on, but record mode/)
    expect(await noticesOf({ mode: "record" })).toEqual({ told: [notice], notice })
    expect(await noticesOf({ mode: "record", autoFold: "off" })).toEqual({ told: [] })
    expect(await noticesOf({ mode: "fold" })).toEqual({ told: [] })
  })
})

describe("suggested masks", () => {
  const file = (version: number) => `${version}\tconst a = ${version}\n`.repeat(2_000)
  const read = (id: string, version: number) => [
    call(id, "Read", { file_path: "/p/a.ts" }),
    result(id, file(version)),
  ]
  const commands = Array.from({ length: 40 }, (_, it) => [
    call(`c${it}`, "Bash", { command: `echo ${it}` }),
    result(`c${it}`, String(it)),
  ]).flat()
  const marked = (text: string) => ({
    role: "user",
    content: [{ type: "text", text, cache_control: { type: "ephemeral" } }],
  })
  const begun = [user("begin"), ...commands, ...read("old", 1), ...read("new", 2), said("Done.")]

  it("[GATE-128] in mode suggest nothing is changed, each request is stored with its maskable results, and there is one notice", async () => {
    const notes: { readonly maskableTokens: number }[] = []
    await using room = await gatewayFixture({
      settings: () => ({ ...SETTINGS, autoFold: "suggest", autoFoldAt: 1 }),
      noteCache: async (note) => void notes.push(note),
    })
    const proxied = await room.proxy()
    const later = [...begun, user("go on"), said("More is done."), marked("and on")]
    const sent = [await ask(proxied, [...begun, marked("go on")]), await ask(proxied, later)]
    await proxied.end()
    expect(sent.map((it) => it.status)).toEqual([200, 200])
    const bodies = room.provider.heard.map((it) => JSON.parse(it.body).messages)
    expect(bodies).toEqual([[...begun, marked("go on")], later])
    const requests = await room.requests(proxied.id)
    expect(requests.map((it) => it.masked)).toEqual([undefined, undefined])
    const [first] = requests.map((it) => it.maskable)
    expect(first?.results).toBe(1)
    expect(first?.tokens).toBeGreaterThan(2_000)
    const words = room.told.filter((it) => it.includes("could be masked"))
    expect(words).toEqual([
      expect.stringMatching(/^1 old tool result with [\d,]+ tokens could be masked\. /),
    ])
    expect(notes.map((it) => it.maskableTokens > 2_000)).toEqual([true, true])
    const listed = await room.gateway.listMasks({ id: proxied.id })
    expect(listed).toMatchObject({ masks: [], maskable: { results: 1 } })
  })

  it("[GATE-100] a miss that follows from our masks is named as our fold", async () => {
    await using room = await gatewayFixture({
      settings: () => ({ ...SETTINGS, autoFold: "on", autoFoldAt: 1 }),
    })
    const { say } = room.provider
    const cached = (read: number, written: number) => ({
      input_tokens: 3,
      output_tokens: 9,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
    })
    const proxied = await room.proxy()
    say.usage = cached(0, 60_000)
    await ask(proxied, begun.slice(0, -1))
    // The provider read as far as the masked result.
    say.usage = cached(1_000, 30_000)
    await ask(proxied, [...begun, marked("go on")])
    await proxied.end()
    const [, masked] = await room.requests(proxied.id)
    expect(masked?.masked).toMatchObject({ results: 1, added: 1 })
    expect(masked?.cache).toMatchObject({
      verdict: "miss",
      cause: "fold",
      detail: "the gateway masked 1 old tool result",
    })
  })
})

describe("folding by hand", () => {
  const log = `${"a line of the log\n".repeat(100)}`
  const work = [
    { role: "user", content: "begin" },
    { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "Read", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: log }] },
  ]
  const later = [
    ...work,
    { role: "assistant", content: [{ type: "text", text: "Done." }] },
    { role: "user", content: "go on" },
  ]

  it("[GATE-130] the summary of a person replaces the results of the span at the next prompt, redacted", async () => {
    await using room = await gatewayFixture()
    const first = await room.proxy()
    await ask(first, work)
    await first.end()
    const input = { id: "last", from: 1, to: 1, summary: "hunter2 is wrong" }
    expect(await room.gateway.foldByHand(input)).toMatchObject({ session: "session-1", results: 1 })
    const second = await room.proxy()
    await ask(second, later)
    await second.end()
    const body = room.provider.heard.at(-1)?.body ?? ""
    expect(body).toContain("written by the user:\\n[redacted] is wrong")
    expect(body).not.toContain("a line of the log")
    expect(await room.gateway.listMasks({ id: "last" })).toMatchObject({
      masks: [{ kind: "hand" }],
    })
  })

  it("[GATE-130] a span without results and a session that was only recorded are refused", async () => {
    await using room = await gatewayFixture()
    const folded = await room.proxy()
    await ask(folded, work)
    await folded.end()
    const input = { id: folded.id, from: 7, to: 9, summary: "x" }
    const refusal = { code: "GATEWAY_HAND_FOLD_REFUSED" }
    await expect(room.gateway.foldByHand(input)).rejects.toMatchObject(refusal)
    const recorded = await room.proxy({ mode: "record" })
    await ask(recorded, work)
    await recorded.end()
    await expect(room.gateway.foldByHand({ ...input, id: recorded.id })).rejects.toMatchObject(
      refusal,
    )
  })
})
