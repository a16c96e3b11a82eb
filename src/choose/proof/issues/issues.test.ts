import { writeFileSync } from "node:fs"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import { Config } from "#ground/contract"
import { createTokens } from "#ground/tokens"
import { commit, git } from "#test/git"
import { needs } from "#test/needs"
import { type TempDirectory, tempDirectory } from "#test/temp"
import { benchHandlers } from "../proof.ts"
import { chooseIssues, readIssueRows } from "./issue-tasks.ts"
import { measureOrder } from "./issues.ts"
import { measurePackage } from "./lines.ts"

const { signal } = new AbortController()
const { counter } = createTokens({ encoding: "claude" })
const proof = benchHandlers({
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
  environment: { PATH: process.env["PATH"] ?? "" },
  counter,
  settings: () => Config.parse({}).pack,
  resolve: (it: string) => it,
})

const LINES = "export function roundInvoiceLine(cents: number) {\n  return Math.floor(cents)\n}\n"

describe.runIf(needs("PROOF-14", "git"))("issues of a repository", () => {
  let temp: TempDirectory
  let base: string
  beforeAll(async () => {
    temp = await tempDirectory()
    const root = path.join(temp.path, "corner", "shop")
    git(temp.path, "init", "-q", "-b", "trunk", root)
    const others = Object.fromEntries(
      Array.from({ length: 12 }, (_, at) => [
        `src/part${at}.ts`,
        `export function helper${at}() {\n  return "lamp ${at}"\n}\n`,
      ]),
    )
    base = commit(root, "begin the shop", { "src/money.ts": LINES, ...others })
  })
  afterAll(() => temp[Symbol.asyncDispose]())

  const write = (...rows: readonly object[]) => {
    const file = path.join(temp.path, "tasks.jsonl")
    writeFileSync(file, rows.map((it) => JSON.stringify(it)).join("\n"))
    return { file, repos: temp.path, tasks: 10, half: "all" } as const
  }
  const row = {
    id: "corner__shop-1",
    repo: "corner/shop",
    task: "Invoice line is rounded down\n\n`roundInvoiceLine` cuts the cents off.",
    gold_files: ["src/money.ts"],
  }

  test("[PROOF-14] the files of a fix are searched in the tree of its base commit", async () => {
    const unknown = { ...row, id: "other", repo: "no/where", base_commit: base }
    const lost = { ...row, id: "lost", base_commit: "1".repeat(40) }
    const gone = { ...row, id: "gone", base_commit: base, gold_files: ["src/new.ts"] }
    const input = write({ ...row, base_commit: base }, unknown, lost, gone)
    const result = await proof.issues({ ...input, ablation: false, peers: false }, { signal })
    expect(result).toMatchObject({
      tasks: 1,
      repositories: 1,
      skipped: [
        { reason: "its commit cannot be read", tasks: 1 },
        { reason: "none of its files is source code of that commit", tasks: 1 },
        { reason: "no such repository", tasks: 1 },
      ],
    })
    expect(result.rankers.map((it) => it.ranker)).toEqual(["bm25", "qm"])
    expect(result.rankers[1]?.accuracy).toEqual([1, 3, 5, 10].map((rank) => ({ rank, value: 1 })))
  })

  test("[PROOF-15] packages are compared with the expected lines at each cap", async () => {
    const lines = { "src/money.ts": [[2, 2]] }
    const input = write({ ...row, base_commit: base, gold_lines: lines })
    const { results } = await proof.lines({ ...input, peers: false }, { signal })
    const ours = results.filter((it) => it.ranker === "qm")
    expect(ours.map((it) => [it.budget, it.recall])).toEqual(
      [1_000, 2_000, 4_000, 8_000, 16_000].map((budget) => [budget, 1]),
    )
    for (const { budget, tokens } of results) expect(tokens).toBeLessThanOrEqual(budget)
    await expect(
      proof.lines({ ...write({ ...row, base_commit: base }), peers: false }, { signal }),
    ).rejects.toMatchObject({ code: "PROOF_NO_ISSUE" })
  })

  test("[PROOF-14] an invalid line of the task file is an error with its number", async () => {
    const input = write({ ...row, base_commit: base }, { id: "x" })
    await expect(readIssueRows(input.file)).rejects.toMatchObject({
      code: "PROOF_TASKS_INVALID",
      data: { line: 2 },
    })
    const missing = path.join(temp.path, "missing.jsonl")
    await expect(readIssueRows(missing)).rejects.toMatchObject({ code: "PROOF_TASKS_INVALID" })
  })
})

test("[PROOF-14] accuracy needs all expected files, recall counts each", () => {
  const ranked = ["a", "b", "c", "d", "e", "f"]
  expect(measureOrder(ranked, new Set(["b", "e"]))).toEqual({
    accuracy: [0, 0, 1, 1],
    recall: [0, 0.5, 1, 1],
    mrr: 0.5,
  })
  expect(measureOrder(ranked, new Set(["z"])).mrr).toBe(0)
})

test("[PROOF-15] a line counts once, and a package without lines has precision 0", () => {
  const edited = [{ path: "a", hunks: [{ fromLine: 1, toLine: 4 }] }]
  const ranges = [
    { fromLine: 3, toLine: 6 },
    { fromLine: 5, toLine: 6 },
  ]
  const lines = new Map([
    ["a", ranges],
    ["b", []],
  ])
  expect(measurePackage({ lines, tokens: 7 }, edited)).toEqual({
    recall: 0.5,
    precision: 0.5,
    f1: 0.5,
    filePrecision: 1,
    files: 1,
    tokens: 7,
  })
  const none = measurePackage({ lines: new Map(), tokens: 0 }, edited)
  expect([none.recall, none.precision, none.f1]).toEqual([0, 0, 0])
})

test("[PROOF-14] a task is always in the same half, and both halves are all tasks", () => {
  const rows = Array.from({ length: 40 }, (_, at) => ({
    id: `t${at}`,
    repo: "a/b",
    commit: "",
    text: "",
    files: [],
    lines: new Map(),
  }))
  const ids = (half: "tune" | "report" | "all", most = 100) =>
    [...chooseIssues(rows, { half, most }).values()].flat().map((it) => it.id)
  expect(new Set([...ids("tune"), ...ids("report")])).toEqual(new Set(ids("all")))
  expect(ids("tune").filter((it) => ids("report").includes(it))).toEqual([])
  expect(ids("all", 4)).toEqual(["t0", "t10", "t20", "t30"])
})
