import { describe, expect, test } from "vitest"
import { createIds, silentLog, systemRandom } from "#ground/base"
import { createSecrets } from "#ground/secrets"
import { openStore } from "#ground/store"
import type {
  AskOutcome,
  Host,
  HostItem,
  HostPlace,
  HostReport,
  InstalledHost,
  Survey,
} from "#see/hosts"
import { testClock } from "#test/clock"
import { memoryDisk } from "#test/memory-disk"
import { createCapture } from "./capture.ts"
import { CaptureUnknown } from "./errors.ts"
import { createHistory } from "./history.ts"
import { A_PLACE, aFound } from "./items.fixture.ts"
import { createRedact } from "./redact.ts"
import type { CaptureDeps } from "./take.ts"

const { signal } = new AbortController()
const TAKE = {
  path: ".",
  host: "claude-code",
  content: false,
  observe: false,
  trust: false,
  askServers: false,
  save: true,
  signal,
} as const

type FakeHostReport = {
  readonly survey?: Partial<Survey>
  readonly items?: readonly HostItem[]
  readonly installed?: InstalledHost
  readonly lastSession?: HostReport
  readonly answer?: AskOutcome
  readonly isVerified?: boolean
}

function hostThat(report: FakeHostReport): Host {
  const survey: Survey = {
    items: report.items ?? [],
    searched: [],
    layers: [],
    mcpServers: [],
    notes: [],
    ...report.survey,
  }
  const { answer } = report
  return {
    name: "claude-code",
    title: "Claude Code",
    factsVersions: ["2.1.325"],
    isVerified: report.isVerified ?? true,
    joinsLists: true,
    contextKeys: ["permissions", "env", "hooks", "model"],
    survey: async () => survey,
    findInstalled: async () => report.installed,
    readLastSession: async () => report.lastSession,
    ...(answer === undefined ? {} : { ask: async () => answer }),
  }
}

function worldWith(report: FakeHostReport, given: Partial<CaptureDeps> = {}) {
  const clock = testClock()
  const opening = openStore({
    location: { kind: "memory" },
    clock,
    random: systemRandom,
    log: silentLog,
  })
  const capture = createCapture({
    host: async () => hostThat(report),
    disk: memoryDisk({}),
    place: (): HostPlace => A_PLACE,
    directoryProblem: async () => undefined,
    projectFolders: async () => ["/home/a/x/sub", "/home/a/x"],
    encoding: () => "words",
    counter: async () => ({ encoding: "words", count: (text) => text.split(/\s+/).length }),
    scale: async () => null,
    redact: async () => createRedact(createSecrets({ random: systemRandom, known: [KNOWN] })),
    history: async () => createHistory((await opening).forRoom("capture")),
    isShared: () => false,
    listFiles: async () => [],
    sizes: () => ({ window: 1_000, startBudget: 100, extra: "" }),
    ids: createIds({ clock, random: systemRandom }),
    clock,
    log: silentLog,
    ...given,
  })
  return Object.assign(capture, {
    [Symbol.asyncDispose]: async () => (await opening).close(),
  })
}

const KNOWN = `known${Buffer.from(systemRandom.bytes(12)).toString("hex")}`

describe("counting and redaction", () => {
  test("[CAPTURE-1][CAPTURE-2] listings count their line, bodies count on demand, settings count nothing", async () => {
    const items = [
      aFound("/home/a/.claude/CLAUDE.md", { text: "one two", frame: "Contents of it: " }),
      aFound("/home/a/x/.claude/skills/s/SKILL.md", {
        load: "name-only",
        kind: "tools",
        text: "---\nname: s\n---\nbody of three",
        sent: "- s: does it",
        later: "body of three",
      }),
      aFound("/home/a/x/.claude/settings.json", { load: "config-only", text: "{}", sent: "" }),
    ]
    await using fixture = worldWith({ items })
    const { manifest, budget } = await fixture.take(TAKE)
    expect(manifest.items.map((it) => [it.label, it.tokens, it.tokensOnDemand, it.bytes])).toEqual([
      ["~/.claude/CLAUDE.md", 5, 0, 7],
      [".claude/skills/s/SKILL.md", 4, 3, 29],
      [".claude/settings.json", 0, 0, 2],
    ])
    expect(manifest.items.map((it) => it.sentSha256 === undefined)).toEqual([false, false, true])
    expect(manifest.totals).toEqual({
      files: 3,
      bytes: 38,
      tokensInWindow: 9,
      tokensOnDemand: 3,
    })
    expect(budget).toMatchObject({
      share: 0.009,
      startBudget: 100,
      kinds: [
        { kind: "tools", tokens: 4 },
        { kind: "instructions", tokens: 5 },
      ],
    })
  })

  test("[CAPTURE-3] the disclaimer says that it is an estimate and names the host version of its rules", async () => {
    const noteOf = async (report: FakeHostReport) => {
      await using fixture = worldWith(report)
      const { manifest } = await fixture.take(TAKE)
      expect(manifest.disclaimer).toMatch(/estimate.*may include additional content/)
      return [manifest.hostVersion, ...manifest.notes.map((it) => `${it.code}: ${it.text}`)]
    }
    const program = "/usr/bin/claude"
    const here = { program, foundAt: program }
    expect(await noteOf({})).toEqual([undefined])
    expect(await noteOf({ installed: { version: "2.1.325", ...here } })).toEqual(["2.1.325"])
    expect(await noteOf({ installed: { version: "3.0.0", ...here } })).toEqual([
      "3.0.0",
      "version-unknown: Claude Code 3.0.0 is installed; the rules were checked with 2.1.325.",
    ])
    expect(await noteOf({ installed: { version: undefined, ...here } })).toEqual([
      undefined,
      "version-unknown: The installed version of Claude Code is unknown; the rules were checked with 2.1.325.",
    ])
    expect(await noteOf({ isVerified: false })).toEqual([
      undefined,
      "host-unverified: The rules for Claude Code come from its documentation; they were not checked with the real program.",
    ])
  })

  test("[CAPTURE-4][CAPTURE-5] secrets are redacted, and the text behind an external link is withheld", async () => {
    const items = [
      aFound("/home/a/x/CLAUDE.md", { text: `The key is ${KNOWN}.`, reason: `Since ${KNOWN}` }),
      aFound("/home/a/x/link.md", { text: "somebody's diary", trust: "external" }),
      aFound("/home/a/x/settings.json", {
        load: "config-only",
        text: `{"env":{"A":"plain words"},"model":"opus"}`,
        sent: "",
      }),
      aFound("/home/a/x/broken.json", { load: "config-only", text: `{"env":`, sent: "" }),
      aFound("/home/a/x/config.toml", {
        load: "config-only",
        text: `model = "x"\n[mcp.env]\nA = "plain words"\n`,
        sent: "",
      }),
      aFound("/home/a/x/broken.toml", { load: "config-only", text: "= =", sent: "" }),
    ]
    await using fixture = worldWith({ items })
    const { manifest, texts } = await fixture.take({ ...TAKE, content: true })
    expect(JSON.stringify([manifest, texts])).not.toMatch(new RegExp(`${KNOWN}|plain words|diary`))
    expect(manifest.items.map((it) => it.redactions)).toEqual([1, 0, 1, 0, 1, 0])
    expect(texts[0]?.text).toMatch(/^The key is \[redacted: .+\]\.$/)
    expect(texts[2]?.text).toContain('"model": "opus"')
    expect(texts[4]?.text).toContain('model = "x"')
    expect(texts.map((it) => it.withheld !== undefined)).toEqual([
      false,
      true,
      false,
      true,
      false,
      true,
    ])
  })

  test("[CAPTURE-4] a very long text is truncated at a whole character", async () => {
    await using fixture = worldWith({
      items: [aFound("/home/a/x/A.md", { text: "😀".repeat(110_000) })],
    })
    const { texts } = await fixture.take({ ...TAKE, content: true })
    expect([texts[0]?.isCut, texts[0]?.text.length, texts[0]?.text.isWellFormed()]).toEqual([
      true,
      200_000,
      true,
    ])
  })
})

describe("host report", () => {
  const items = [aFound("/home/a/x/CLAUDE.md")]
  const report: HostReport = {
    by: "transcript",
    at: 5_000,
    files: [{ path: "/home/a/x/CLAUDE.md", text: "text" }],
    categories: [],
  }
  const installed = { version: "1", program: "/usr/bin/claude", foundAt: "/usr/bin/claude" }

  test("[CAPTURE-13] the host's last session is read without asking the host", async () => {
    await using fixture = worldWith({ items, lastSession: report })
    const { observation } = await fixture.take(TAKE)
    expect(observation).toMatchObject({ by: "transcript", agreed: 1, accuracy: 1 })
  })

  test("[CAPTURE-21] the newer of gateway record and transcript is used; for the same session the gateway record", async () => {
    const heard = async (
      wire: Partial<HostReport> | undefined,
      transcript: Partial<HostReport> | undefined,
    ) => {
      const lastSession =
        transcript === undefined ? {} : { lastSession: { ...report, ...transcript } }
      const seen = wire === undefined ? undefined : { ...report, by: "wire" as const, ...wire }
      await using fixture = worldWith({ items, ...lastSession }, { wireReport: async () => seen })
      return (await fixture.take(TAKE)).observation?.by
    }
    expect(await heard({ at: 6_000 }, { at: 5_000 })).toBe("wire")
    expect(await heard({ at: 5_000 }, { at: 5_000 })).toBe("wire")
    expect(await heard({ at: 4_000 }, { at: 5_000 })).toBe("transcript")
    expect(await heard({ at: 4_000, session: "a" }, { session: "b" })).toBe("transcript")
    expect(await heard({ at: 4_000, session: "a" }, { session: "a" })).toBe("wire")
    expect(await heard({ at: 6_000, files: [] }, { wholeText: "text" })).toBe("transcript")
    expect(await heard({ at: 6_000 }, { wholeText: "text" })).toBe("wire")
    expect(await heard({}, undefined)).toBe("wire")
    expect(await heard(undefined, {})).toBe("transcript")
    expect(await heard(undefined, undefined)).toBeUndefined()
  })

  test("[CAPTURE-21] a direct host query takes precedence over the gateway record, and a broken record is ignored", async () => {
    const wireReport = async () => ({ ...report, by: "wire" as const, at: 9_000 })
    const answer = { kind: "answered", report: { ...report, by: "host" } } as const
    await using asked = worldWith({ items, installed, answer }, { wireReport })
    expect((await asked.take({ ...TAKE, observe: true })).observation?.by).toBe("host")
    const broken = async () => {
      throw CaptureUnknown({ id: "x" })
    }
    await using fixture = worldWith({ items, lastSession: report }, { wireReport: broken })
    expect((await fixture.take(TAKE)).observation?.by).toBe("transcript")
  })

  test("[CAPTURE-21] the gateway record is read for this host and folder, and its texts are redacted", async () => {
    const asked: unknown[] = []
    const wireReport: CaptureDeps["wireReport"] = async (place, host) => {
      asked.push([place.workingDirectory, host])
      const files = [{ path: `/home/a/x/${KNOWN}.md` }]
      return { ...report, by: "wire", session: `s-${KNOWN}`, files }
    }
    await using fixture = worldWith({ items }, { wireReport })
    const { observation } = await fixture.take(TAKE)
    expect(asked).toEqual([["/home/a/x", "claude-code"]])
    expect(observation).toMatchObject({ by: "wire", compared: 2 })
    expect(JSON.stringify(observation)).not.toContain(KNOWN)
  })

  test("[CAPTURE-14] the host is started only if the user requests it, and a refusal is reported", async () => {
    const heard = async (given: FakeHostReport) => {
      await using fixture = worldWith({ items, installed, ...given })
      const { observation, observationProblem } = await fixture.take({ ...TAKE, observe: true })
      return observationProblem?.text ?? observation?.by
    }
    const answer = { kind: "answered", report: { ...report, by: "host" } } as const
    expect(await heard({ answer })).toBe("host")
    expect(await heard({ answer: { kind: "not-trusted" } })).toMatch(/does not trust/)
    expect(await heard({ answer: { kind: "failed", reason: "it ended" } })).toMatch(/it ended/)
    expect(await heard({})).toMatch(/cannot report its context without calling a model/)
    const brought = "/home/a/x/node_modules/.bin/claude"
    for (const inside of [{ program: brought }, { foundAt: brought }]) {
      const said = await heard({ answer, installed: { ...installed, ...inside } })
      expect(said).toMatch(/is inside this project/)
    }
    await using fixture = worldWith({ items, answer })
    const { observationProblem } = await fixture.take({ ...TAKE, observe: true })
    expect(observationProblem?.code).toBe("not-installed")
  })
})

describe("capture history", () => {
  test("[CAPTURE-8] settings texts are never stored, nor personal texts in a shared store", async () => {
    const items = [
      aFound("/home/a/.claude/CLAUDE.md", { trust: "own", text: "mine" }),
      aFound("/home/a/x/CLAUDE.md", { text: "ours" }),
      aFound("/home/a/x/s.json", { load: "config-only", text: "{}", sent: "" }),
    ]
    const shown = async (isShared: boolean) => {
      await using fixture = worldWith({ items }, { isShared: () => isShared })
      const { manifest } = await fixture.take(TAKE)
      const texts = items.map(async ({ path }) => {
        const text = await fixture.text({ id: manifest.id, path })
        return text.withheld === undefined ? text.text : "withheld"
      })
      return await Promise.all(texts)
    }
    expect(await shown(false)).toEqual(["mine", "ours", "withheld"])
    expect(await shown(true)).toEqual(["withheld", "ours", "withheld"])
  })

  test("[CAPTURE-9] a capture that is not stored can be compared", async () => {
    await using fixture = worldWith({ items: [aFound("/home/a/x/CLAUDE.md")] })
    const first = await fixture.take(TAKE)
    const second = await fixture.take({ ...TAKE, save: false, diff: "last" })
    expect([first.previous, second.previous?.id]).toEqual([null, first.manifest.id])
    expect((await fixture.take(TAKE)).previous).toBeNull()
    expect(second.diff).toMatchObject({ from: { id: first.manifest.id }, changes: [] })
    expect((await fixture.list({ limit: 10 })).captures).toHaveLength(1)
    expect((await fixture.list({ path: ".", host: "codex", limit: 10 })).captures).toEqual([])
    const shown = await fixture.show({ id: "last", content: true })
    expect([shown.manifest.id, shown.texts.length]).toEqual([first.manifest.id, 1])
    await expect(fixture.text({ id: "last", path: "/none" })).rejects.toMatchObject({
      code: "CAPTURE_ITEM_UNKNOWN",
    })
    await expect(fixture.take({ ...TAKE, diff: "cap_none" })).rejects.toMatchObject({
      code: "CAPTURE_UNKNOWN",
    })
    expect((await fixture.diff({ from: "last", to: "last" })).changes).toEqual([])
  })
})

test("[CAPTURE-12] settings are shown redacted, MCP servers with their state", async () => {
  const survey: Partial<Survey> = {
    layers: [
      {
        layer: "project",
        path: "/p.json",
        trust: "project",
        outcome: { kind: "found", values: { env: { A: "plain" }, model: "opus" } },
      },
      {
        layer: "user",
        path: "/u.json",
        trust: "own",
        outcome: { kind: "broken", problem: `at ${KNOWN}` },
      },
      {
        layer: "managed",
        path: "/m.json",
        trust: "own",
        outcome: { kind: "unreadable", reason: "EACCES" },
      },
      {
        layer: "local",
        path: "/l.json",
        trust: "external",
        outcome: { kind: "found", values: { diary: "plain" } },
      },
    ],
    mcpServers: [
      {
        name: "s",
        scope: "project",
        path: "/p/.mcp.json",
        transport: "stdio",
        target: "server --api-key hunter2 --port 80 --header Authorization: Bearer x",
        launch: { kind: "unknown" },
        state: "connects",
        trust: "project",
      },
      {
        name: "linked",
        scope: "project",
        path: "/p/.mcp.json",
        transport: "stdio",
        target: "plain",
        launch: { kind: "unknown" },
        state: "connects",
        trust: "external",
      },
    ],
  }
  await using fixture = worldWith({ survey })
  const shown = await fixture.settings({ path: ".", host: "claude-code" })
  expect(JSON.stringify(shown)).not.toMatch(new RegExp(`${KNOWN}|plain|hunter2|Bearer`))
  expect(shown.settings.map((it) => it.key)).toEqual(["env.A", "model"])
  expect(shown.layers.map((it) => it.outcome)).toEqual(["found", "broken", "unreadable", "found"])
  expect(shown.mcpServers.map((it) => it.name)).toEqual(["s"])
  expect(shown.mcpServers[0]?.target).toContain("--port 80")
})

test("[T1][CAPTURE-25] after a recorded request the figures are the provider's, and servers on the wire are known", async () => {
  const launch = { kind: "stdio", command: "gh", args: [], env: {} } as const
  const server = {
    name: "gh",
    scope: "user",
    path: "/home/a/.claude.json",
    trust: "own",
    transport: "stdio",
    target: "gh",
    state: "connects",
    launch,
  } as const
  const other = { ...server, name: "other" }
  const report: HostReport = {
    by: "wire",
    at: 5,
    files: [],
    totalTokens: 13_000,
    categories: [{ name: "system", tokens: 13_000 }],
    tools: [{ name: "mcp__gh__search", tokens: 700, isLoaded: true }],
  }
  await using fixture = worldWith(
    { survey: { mcpServers: [server, other] } },
    { wireReport: async () => report },
  )
  const { headline, manifest } = await fixture.take(TAKE)
  expect([headline.by, headline.tokens]).toEqual(["wire", 13_000])
  expect(manifest.start?.servers).toMatchObject([
    { name: "gh", source: "wire", tokens: 700, tools: [{ name: "search", isLoaded: true }] },
    { name: "other", source: "unknown", tokens: null },
  ])
  expect(manifest.start?.notCounted.map((it) => it.name)).toContain("other")
})

test("[T4][CAPTURE-27] a secret in a file that is sent is a note and the first advice", async () => {
  const items = [aFound("/home/a/x/CLAUDE.md", { text: `key ${KNOWN}` })]
  await using fixture = worldWith({ items })
  const { manifest, advice } = await fixture.take(TAKE)
  const redacted = manifest.items.filter((it) => it.redactions > 0).map((it) => it.path)
  expect(redacted).toEqual(["/home/a/x/CLAUDE.md"])
  expect(manifest.notes.map((it) => it.code)).toContain("secret-sent")
  expect(advice[0]?.kind).toBe("secret")
})

test("[T9][CAPTURE-29] files and servers are counted for the host's model, and an earlier count is scaled again", async () => {
  const model = "claude-opus-5-5"
  const scaled = (factor: number) => ({ model, factor, basis: "stated" }) as const
  let scale: ReturnType<typeof scaled> | null = null
  const asked: (string | undefined)[] = []
  const items = [aFound("/home/a/x/A.md", { text: "one two three four five" })]
  await using fixture = worldWith(
    { items },
    {
      scale: async (of) => {
        asked.push(of)
        return scale
      },
    },
  )
  const take = async () => (await fixture.take({ ...TAKE, save: true })).manifest
  const plain = await take()
  scale = scaled(2)
  const doubled = await take()
  scale = scaled(3)
  const tripled = await take()
  const tokens = plain.items.find((it) => it.path.endsWith("A.md"))?.tokens ?? 0
  expect(tokens).toBeGreaterThan(0)
  expect([plain.scale, doubled.scale?.factor, tripled.scale?.factor]).toEqual([undefined, 2, 3])
  const totals = [plain, doubled, tripled].map((it) => it.totals.tokensInWindow)
  expect(totals).toEqual([tokens, tokens * 2, tokens * 3])
  expect(asked).toEqual([undefined, undefined, undefined])
})
