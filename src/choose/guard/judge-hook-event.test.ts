import { execFile } from "node:child_process"
import { chmod, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, test } from "vitest"
import { createIds, systemRandom } from "#ground/base"
import { hookFixture } from "#test/hook-fixture"
import { judgeEvent, RULES } from "./judge-hook-event.ts"
import { createOverrides } from "./overrides.ts"

const SILENT = { verdict: { kind: "silent" }, rule: null }
const editOf = (...paths: readonly string[]) => ({ tool: "Edit", paths })
const pitfalls = (count: number, line: string) =>
  JSON.stringify({
    version: 1,
    items: Array.from({ length: count }, (_, n) => ({
      id: `mem_${n}`,
      title: "t",
      line,
      paths: ["a.ts"],
    })),
  })

describe("judgeEvent", () => {
  test("[GUARD-17] each level has the hooks that the kit lists", () => {
    const hooksOf = (level: number) =>
      RULES.filter((it) => it.level <= level)
        .map((it) => it.name)
        .toSorted()
    expect(hooksOf(1)).toEqual([])
    expect(hooksOf(2)).toEqual(["boot", "compaction", "drift", "loaded", "secrets", "track"])
    expect(hooksOf(3)).toEqual([...hooksOf(2), "budget", "concurrency", "window"].toSorted())
    expect(hooksOf(4)).toEqual([...hooksOf(3), "package", "results"].toSorted())
    expect(hooksOf(5)).toEqual([...hooksOf(4), "guideline", "pitfall", "prompt", "risk"].toSorted())
    expect(hooksOf(7)).toEqual(hooksOf(5))
  })

  test("[GUARD-17] skips a rule above the configured level", async () => {
    await using it = await hookFixture({ highRiskPaths: ["*.ts"] })
    await it.claim("theirs", "a.ts")
    const before = it.event("before-edit", editOf("a.ts"))
    expect(await judgeEvent(before, it.with({ level: 2 }))).toEqual(SILENT)
    expect((await judgeEvent(before, it.with({ level: 3 }))).rule).toBe("concurrency")
    expect((await judgeEvent(it.event("before-edit", editOf("b.ts")), it)).rule).toBe("risk")
  })

  test("[GUARD-17] returns a refusal alone; otherwise joins all verdicts, the most severe first", async () => {
    await using it = await hookFixture()
    await it.write(".git/qm/pitfalls.json", pitfalls(1, "it rounds"))
    await it.ledger.modified("theirs", { path: "a.ts", tool: "Edit" })
    const before = () => judgeEvent(it.event("before-edit", editOf("a.ts")), it)
    const { verdict, rule } = await before()
    expect([rule, verdict.kind]).toEqual(["concurrency", "warn"])
    const text = verdict.kind === "silent" ? "" : verdict.text
    expect(text.indexOf("Session theirs")).toBe(0)
    expect(text).toContain("[mem_0]")
    await it.claim("theirs", "a.ts")
    expect(await before()).toMatchObject({ verdict: { kind: "deny" }, rule: "concurrency" })
    const ids = createIds({ ...it, random: systemRandom })
    const overrides = createOverrides({ ...it, ids })
    await overrides.allow({ paths: ["a.ts"], reason: "agreed", minutes: 5 })
    expect(await before()).toMatchObject({ verdict: { kind: "override" }, rule: "concurrency" })
  })

  test("[GUARD-17] truncates the text to 9,000 bytes at the end of a line", async () => {
    await using it = await hookFixture()
    const paths = Array.from({ length: 50 }, (_, n) => `${n}.ts`)
    const session = `theirs-${"ü".repeat(100)}`
    for (const path of paths) await it.ledger.modified(session, { path, tool: "Edit" })
    const { verdict } = await judgeEvent(it.event("before-edit", editOf(...paths)), it)
    const text = verdict.kind === "silent" ? "" : verdict.text
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(9_000)
    expect(Buffer.byteLength(text)).toBeGreaterThan(8_000)
    expect(text.endsWith("keep that session's changes.")).toBe(true)
  })

  test("[GUARD-17] skips a rule that fails and evaluates the others", async () => {
    await using it = await hookFixture()
    await it.write(".git/qm/pitfalls.json", pitfalls(1, "it rounds"))
    // A ledger that is a folder makes every read throw.
    await it.write(".git/qm/ledger", "")
    await writeFile(join(it.stateDirectory, "claims"), "")
    const judged = await judgeEvent(it.event("before-edit", editOf("a.ts")), it)
    expect(judged.rule).toBe("pitfall")
    expect(await judgeEvent(it.event("stop", { isAgain: false, isBusy: false }), it)).toEqual(
      SILENT,
    )
    const after = { ...editOf("a.ts"), tokens: 1 }
    expect(await judgeEvent(it.event("after-edit", after), it)).toEqual(SILENT)
  })

  test("[GUARD-17] returns the verdicts so far when the deadline passes", async () => {
    await using it = await hookFixture({ highRiskPaths: ["*.ts"] })
    const before = it.event("before-edit", editOf("a.ts"))
    expect(await judgeEvent(before, { ...it, signal: AbortSignal.abort() })).toEqual(SILENT)
    const late = new AbortController()
    const claims = { ...it.claims, find: () => undefined }
    const ledger = { ...it.ledger, touchesOfOthers: () => new Promise<never>(() => late.abort()) }
    expect(await judgeEvent(before, { ...it, claims, ledger, signal: late.signal })).toEqual(SILENT)
  })
})

describe("the verdict log", () => {
  test("[GUARD-28] has one line per event, readable by its owner only", async () => {
    await using it = await hookFixture({ highRiskPaths: ["*.ts"] })
    await judgeEvent(it.event("before-edit", editOf("a.ts")), it)
    await judgeEvent(it.event("stop", { isAgain: false, isBusy: false }, "s".repeat(9_000)), it)
    const file = "verdicts/2020-01-09.jsonl"
    const base = { at: it.clock.now(), host: "claude-code", ms: 0 }
    expect(await it.lines(file)).toEqual([
      {
        ...base,
        event: "before-edit",
        session: "mine",
        tool: "Edit",
        paths: ["a.ts"],
        rule: "risk",
        verdict: "deny",
        text: expect.stringMatching(/^Edit blocked: .*The override is logged\.$/s),
      },
      {
        ...base,
        event: "stop",
        session: "s".repeat(500),
        tool: null,
        paths: [],
        rule: null,
        verdict: "silent",
        text: "",
      },
    ])
    const modeOf = async (name: string) => (await stat(join(it.stateDirectory, name))).mode & 0o777
    expect([await modeOf("verdicts"), await modeOf(file)]).toEqual([0o700, 0o600])
  })

  test("[GUARD-28] writes at most 64 kB for an event with very many files", async () => {
    await using it = await hookFixture()
    const paths = Array.from({ length: 5_000 }, (_, n) => `${"é".repeat(100)}/${n}.txt`)
    await judgeEvent(it.event("before-edit", { tool: "apply_patch", paths }), it.with({ level: 1 }))
    const [line] = await it.lines("verdicts/2020-01-09.jsonl")
    const size = Buffer.byteLength(JSON.stringify(line))
    expect(size).toBeLessThanOrEqual(64 * 1024)
    expect(size).toBeGreaterThan(30 * 1024)
  })

  test("[GUARD-28] a log that cannot be written does not change the verdict", async () => {
    await using it = await hookFixture({ highRiskPaths: ["*.ts"] })
    await rm(it.stateDirectory, { recursive: true })
    await writeFile(it.stateDirectory, "")
    await chmod(it.stateDirectory, 0o400)
    const judged = await judgeEvent(it.event("before-edit", editOf("a.ts")), it)
    expect(judged).toMatchObject({ verdict: { kind: "deny" }, rule: "risk" })
  })
})

const SCRIPT = `
  import { registerHooks } from "node:module"
  const loaded = []
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
  const room = await import("#choose/guard")
  process.stdout.write(JSON.stringify({ loaded, names: Object.keys(room) }))
`

test("[GUARD-13] importing the room loads no package, and no room but ground/base and know/ledger", async () => {
  const root = `${import.meta.dirname}/../../..`
  const args = ["--input-type=module", "--eval", SCRIPT]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root })
  const { loaded, names }: { loaded: string[]; names: string[] } = JSON.parse(stdout)
  const others = loaded.filter(
    (url) =>
      !url.startsWith("node:") && !/\/src\/(?:choose\/guard|know\/ledger|ground\/base)\//.test(url),
  )
  expect(others).toEqual([])
  expect(names).toContain("judgeEvent")
  expect(loaded.some((url) => url.endsWith("/choose/guard/simulate/reach.ts"))).toBe(true)
})
