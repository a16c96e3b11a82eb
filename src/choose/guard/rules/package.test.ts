import { mkdir, readdir, readFile, stat, utimes, writeFile } from "node:fs/promises"
import path from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { listenOnSocket, systemClock, systemRandom, thisMachine } from "#ground/base"
import { createClaims, createClassifier, createLedger } from "#know/ledger"
import { fcParameters } from "#test/seed"
import { tempDirectory } from "#test/temp"
import { PROMPT_LIFE_MS } from "../agent-prompts.ts"
import type { BackgroundWork, HookContext, Verdict } from "../event.ts"
import {
  indexDaemonSocket,
  LARGEST_PACKAGE_BYTES,
  LONGEST_PROMPT_BYTES,
  LONGEST_SOCKET_PATH_BYTES,
  readAnswer,
  readQuestion,
  writeAnswer,
} from "../index-daemon.ts"
import { judgeEvent } from "../judge-hook-event.ts"
import { readVerdicts } from "../verdict-log.ts"
import { LATE, packageRule, promptRule } from "./package.ts"

async function bridgeLab(options: { readonly longestAskMs?: number } = {}) {
  const temp = await tempDirectory()
  const stateDirectory = path.join(temp.path, "state")
  await mkdir(stateDirectory)
  const started: BackgroundWork[] = []
  let now = Date.now()
  const deps = { stateDirectory, clock: { now: () => now }, random: systemRandom }
  const context: HookContext = {
    root: temp.path,
    gitDirectory: undefined,
    home: path.join(temp.path, "home"),
    config: {
      level: 4,
      mayFetch: false,
      highRiskPaths: [],
      ignored: undefined,
      important: undefined,
      registration: undefined,
      largeResultBytes: 0,
      spending: { isStop: false, dayUsd: 0, weekUsd: 0, monthUsd: 0 },
    },
    ...deps,
    ledger: createLedger(deps),
    claims: createClaims({ ...deps, clock: systemClock, machine: thisMachine() }),
    classifier: createClassifier({}),
    longestAskMs: options.longestAskMs ?? 3_000,
    signal: new AbortController().signal,
    afterwards: (work) => void started.push(work),
  }
  const base = { host: "claude-code", directory: temp.path } as const
  const agentId = "agent"
  return Object.assign(temp, {
    fixture: context,
    started,
    socket: indexDaemonSocket(context),
    agents: path.join(stateDirectory, "agents"),
    pass: (ms: number) => void (now += ms),
    before: (session: string, agentType: string, prompt: string) =>
      packageRule.judge(
        { ...base, session, at: now++, kind: "before-agent", agentType, prompt },
        context,
      ),
    start: (session: string, agentType: string) =>
      packageRule.judge(
        { ...base, session, at: now++, kind: "agent-start", agentType, agentId },
        context,
      ),
    async daemon(answer: (line: string) => Promise<string>) {
      const heard: string[] = []
      const outcome = await listenOnSocket({
        path: indexDaemonSocket(context),
        maxBytes: 1_000_000,
        patienceMs: 1_000,
        maxConnections: 64,
        answer: (line) => (heard.push(line), answer(line)),
      })
      if (outcome.kind !== "listening") throw new Error(outcome.kind)
      return Object.assign(outcome.server, {
        heard,
        [Symbol.asyncDispose]: () => outcome.server.close(),
      })
    },
  })
}

async function echo(line: string): Promise<string> {
  const question = readQuestion(line)
  return writeAnswer(question?.kind === "package" ? `for: ${question.prompt}` : null)
}

const SILENT = { kind: "silent" }
const LATE_VERDICT: Verdict = {
  kind: "silent",
  note: `${LATE}: the index daemon did not answer within 200 ms.`,
}
const NO_PACKAGE: Verdict = {
  kind: "silent",
  note: "No package: no file fits, or the first scan is running.",
}
const packageVerdict = (prompt: string) => ({ kind: "context", text: `for: ${prompt}` })

describe("agent prompts", () => {
  test("[GUARD-60] a prompt is private, is truncated, and is deleted when it is claimed", async () => {
    await using lab = await bridgeLab()
    await using daemon = await lab.daemon(echo)
    expect(await lab.before("s/1\0", "general-purpose", "é".repeat(50_000))).toEqual(SILENT)
    const [folder = ""] = await readdir(lab.agents)
    const [name = ""] = await readdir(path.join(lab.agents, folder))
    const file = path.join(lab.agents, folder, name)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const { prompt } = JSON.parse(await readFile(file, "utf8"))
    expect(Buffer.byteLength(prompt)).toBe(LONGEST_PROMPT_BYTES)
    await lab.start("s/1\0", "general-purpose")
    expect(await readdir(path.join(lab.agents, folder))).toEqual([])
    expect(daemon.heard).toHaveLength(2)
  })

  test("[GUARD-60] an unclaimed prompt is deleted after an hour and never handed out", async () => {
    await using lab = await bridgeLab()
    await using _daemon = await lab.daemon(echo)
    await lab.before("old", "general-purpose", "an old secret plan")
    const [folder = ""] = await readdir(lab.agents)
    await writeFile(path.join(lab.agents, folder, "taken-by-a-dead-process"), "left")
    await utimes(path.join(lab.agents, folder), 1, 1)
    lab.pass(PROMPT_LIFE_MS)
    expect(await lab.start("old", "general-purpose")).toEqual(SILENT)
    await lab.before("new", "general-purpose", "a new one")
    expect(await readdir(lab.agents)).toHaveLength(1)
    expect(await readdir(lab.agents)).not.toContain(folder)
  })

  test("[GUARD-60] a start claims the oldest prompt of its session and type", async () => {
    await using lab = await bridgeLab()
    await using _daemon = await lab.daemon(echo)
    await lab.before("a", "explorer", "first")
    await lab.before("b", "explorer", "of another session")
    await lab.before("a", "reviewer", "of another type")
    await lab.before("a", "explorer", "second")
    expect(await lab.start("a", "explorer")).toEqual(packageVerdict("first"))
    expect(await lab.start("a", "reviewer")).toEqual(packageVerdict("of another type"))
    expect(await lab.start("a", "explorer")).toEqual(packageVerdict("second"))
    expect(await lab.start("a", "explorer")).toEqual(SILENT)
    expect(await lab.start("b", "explorer")).toEqual(packageVerdict("of another session"))
  })

  test("[GUARD-60] any order of prompts and starts hands out each prompt at most once", async () => {
    const type = fc.constantFrom("explorer", "reviewer")
    const step = fc.record({ isStart: fc.boolean(), session: fc.constantFrom("a", "b"), type })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        await using lab = await bridgeLab()
        await using _daemon = await lab.daemon(echo)
        const waiting = new Map<string, string[]>()
        for (const [at, { isStart, session, type: agentType }] of steps.entries()) {
          const key = `${session} ${agentType}`
          const own = waiting.get(key) ?? []
          waiting.set(key, own)
          if (isStart) {
            const next = own.shift()
            const verdict = await lab.start(session, agentType)
            expect(verdict).toEqual(next === undefined ? SILENT : packageVerdict(next))
          } else {
            await lab.before(session, agentType, `prompt ${at}`)
            own.push(`prompt ${at}`)
          }
        }
      }),
      fcParameters({ numRuns: 15 }),
    )
  })

  test("[GUARD-60] twenty simultaneous starts get twenty prompts", async () => {
    await using lab = await bridgeLab()
    await using _daemon = await lab.daemon(echo)
    const all = Array.from({ length: 20 }, (_, at) => `prompt ${at}`)
    await Promise.all(all.map((it) => lab.before("s", "explorer", it)))
    const verdicts = await Promise.all(all.map(() => lab.start("s", "explorer")))
    const texts = verdicts.map((it) => ("text" in it ? it.text : it.kind))
    expect(texts.toSorted()).toEqual(all.map((it) => `for: ${it}`).toSorted())
  })
})

describe("the index daemon", () => {
  test("[GUARD-62] adds nothing without a prompt, without an index daemon, or for an empty prompt", async () => {
    await using lab = await bridgeLab({ longestAskMs: 200 })
    expect(await lab.start("s", "explorer")).toEqual(SILENT)
    await lab.before("s", "explorer", "  \n")
    expect(lab.started).toEqual([])
    await lab.before("s", "explorer", "nobody listens")
    expect(await lab.start("s", "explorer")).toEqual(LATE_VERDICT)
  })

  test.for<readonly [string, (line: string) => Promise<string>, Verdict]>([
    ["never responds", () => new Promise(() => {}), LATE_VERDICT],
    ["returns garbage", async () => "{{{", NO_PACKAGE],
    ["returns another version", async () => '{"v":2,"text":"x"}', NO_PACKAGE],
    ["returns no package", async () => writeAnswer(null), NO_PACKAGE],
    [
      "returns too large a package",
      async () => writeAnswer("x".repeat(LARGEST_PACKAGE_BYTES + 1)),
      NO_PACKAGE,
    ],
    ["closes the connection", () => Promise.reject(new Error("no")), LATE_VERDICT],
  ])(
    "[GUARD-62] adds nothing and notes the reason when the index daemon %s",
    async ([, answer, verdict]) => {
      await using lab = await bridgeLab({ longestAskMs: verdict === LATE_VERDICT ? 200 : 20_000 })
      await using _daemon = await lab.daemon(answer)
      await lab.before("s", "explorer", "some words")
      expect(await lab.start("s", "explorer")).toEqual(verdict)
    },
  )

  test("[T11][GUARD-62] the first sub-agent after a cold start gets its package from a daemon that is still starting", async () => {
    await using lab = await bridgeLab({ longestAskMs: 20_000 })
    await lab.before("s", "explorer", "first")
    expect(lab.started).toEqual([{ kind: "index-daemon" }])
    const started = lab.start("s", "explorer")
    await new Promise((resolve) => setTimeout(resolve, 150))
    await using _daemon = await lab.daemon(echo)
    expect(await started).toEqual(packageVerdict("first"))
  })

  test("[T12][GUARD-63] a prompt gets a package; a command and a short answer do not", async () => {
    await using lab = await bridgeLab({ longestAskMs: 20_000 })
    await using daemon = await lab.daemon(echo)
    const base = { host: "claude-code", directory: lab.path, session: "s", at: 1 } as const
    const judge = (prompt: string) =>
      promptRule.judge({ ...base, kind: "prompt", prompt }, lab.fixture)
    for (const it of ["/compact all of it now", "yes, go on", "!ls -l a b", "  "]) {
      expect(await judge(it)).toEqual(SILENT)
    }
    expect(daemon.heard).toEqual([])
    expect(await judge("fix the rounding of quotes")).toEqual(
      packageVerdict("fix the rounding of quotes"),
    )
  })

  test("[GUARD-63] a prompt that no index daemon answers starts one; an answered prompt starts none", async () => {
    await using lab = await bridgeLab({ longestAskMs: 50 })
    const base = { host: "claude-code", directory: lab.path, session: "s", at: 1 } as const
    const judge = (prompt: string) =>
      promptRule.judge({ ...base, kind: "prompt", prompt }, lab.fixture)
    expect(await judge("fix the rounding of quotes")).toMatchObject({
      kind: "silent",
      note: expect.stringContaining(LATE),
    })
    expect(lab.started).toEqual([{ kind: "index-daemon" }])
    await using patient = await bridgeLab({ longestAskMs: 20_000 })
    await using _daemon = await patient.daemon(echo)
    const event = { ...base, kind: "prompt", prompt: "fix the rounding of quotes" } as const
    expect(await promptRule.judge(event, patient.fixture)).toEqual(
      packageVerdict("fix the rounding of quotes"),
    )
    expect(patient.started).toEqual([])
  })

  test("[T11][GUARD-62] a late package is a line in the verdict log", async () => {
    await using lab = await bridgeLab({ longestAskMs: 50 })
    await lab.before("s", "explorer", "first")
    const at = Date.now()
    const base = { host: "claude-code", directory: lab.path, session: "s", at } as const
    const start = { ...base, kind: "agent-start", agentType: "explorer", agentId: "a" } as const
    await judgeEvent(start, lab.fixture)
    const { stateDirectory } = lab.fixture
    const { verdicts } = await readVerdicts({ stateDirectory, now: at, sinceMs: 0, limit: 9 })
    expect(verdicts).toMatchObject([
      { rule: "package", verdict: "silent", text: expect.stringContaining(LATE) },
    ])
  })

  test("[GUARD-62] adds nothing for a damaged record, and reads the next one", async () => {
    await using lab = await bridgeLab()
    await using _daemon = await lab.daemon(echo)
    await lab.before("s", "explorer", "first")
    const [folder = ""] = await readdir(lab.agents)
    const [name = ""] = await readdir(path.join(lab.agents, folder))
    await writeFile(path.join(lab.agents, folder, name), '{"agentType":"explo')
    await lab.before("s", "explorer", "second")
    expect(await lab.start("s", "explorer")).toEqual(SILENT)
    expect(await lab.start("s", "explorer")).toEqual(packageVerdict("second"))
  })

  test("announces the prompt at once, and starts an index daemon when none listens", async () => {
    await using lab = await bridgeLab()
    await lab.before("s", "explorer", "first")
    expect(lab.started).toEqual([{ kind: "index-daemon" }])
    await using daemon = await lab.daemon(echo)
    await lab.before("s", "explorer", "second")
    expect(lab.started).toHaveLength(1)
    const question = { session: "s", agentType: "explorer", prompt: "second" }
    expect(daemon.heard.map(readQuestion)).toEqual([{ kind: "prepare", ...question }])
  })

  test("[GUARD-62] rejects any malformed request or response", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
        expect(readQuestion(line)).toBeUndefined()
        expect(readAnswer(line)).toBeUndefined()
      }),
      fcParameters({ numRuns: 500 }),
    )
  })
})

test("a worktree has one socket path, short enough wherever the home folder is", () => {
  const at = (home: string, stateDirectory: string, root = "/r") =>
    indexDaemonSocket({ home, stateDirectory, root })
  expect(at("/home/a/.qm", "/r/.git/qm")).toMatch(/^\/home\/a\/\.qm\/kit\/run\/[0-9a-f]{16}\.sock$/)
  expect(at("/home/a/.qm", "/r/.git/qm")).not.toBe(at("/home/a/.qm", "/s/.git/qm"))
  expect(at("/home/a/.qm", "/r/.git/qm")).not.toBe(at("/home/a/.qm", "/r/.git/qm", "/w"))
  const far = at(`/home/${"a".repeat(100)}/.qm`, "/r/.git/qm")
  expect(Buffer.byteLength(far)).toBeLessThan(LONGEST_SOCKET_PATH_BYTES)
  expect(far).toContain(`qm-${process.getuid?.()}`)
})
