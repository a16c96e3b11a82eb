import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import { Config } from "#ground/contract"
import { createTokens } from "#ground/tokens"
import { commit, git } from "#test/git"
import { needs } from "#test/needs"
import { type TempDirectory, tempDirectory } from "#test/temp"
import { openBench, pastOf } from "../bench.ts"
import { benchHandlers } from "../proof.ts"
import { createMemory, setTask } from "./tasks.ts"

const { signal } = new AbortController()
const { counter } = createTokens({ encoding: "claude" })
const deps = {
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
  environment: { PATH: process.env["PATH"] ?? "" },
  counter,
  settings: () => Config.parse({}).pack,
  resolve: (it: string) => it,
}
const proof = benchHandlers(deps)
const all = { tasks: 10, budget: 1_000, half: "all", ablation: false, peers: false } as const

const money = (rounding: string) =>
  [
    "export function roundInvoiceLine(cents: number) {",
    `  return Math.${rounding}(cents)`,
    "}",
    "",
    "export function addInvoiceLines(lines: number[]) {",
    "  return lines.reduce((sum, it) => sum + roundInvoiceLine(it), 0)",
    "}",
    "",
  ].join("\n")

describe.runIf(needs("PROOF-3", "git"))("recall on a repository with history", () => {
  let temp: TempDirectory
  let root: string
  let rounding: string
  beforeAll(async () => {
    temp = await tempDirectory()
    root = path.join(temp.path, "shop")
    git(temp.path, "init", "-q", "-b", "trunk", root)
    const others = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [
        `src/part${at}.ts`,
        `export function helper${at}() {\n  return "lamp ${at}"\n}\n`,
      ]),
    )
    commit(root, "begin the shop with all of its parts", {
      "src/money.ts": money("floor"),
      "src/money.test.ts": "test rounds invoice lines\n",
      ...others,
    })
    rounding = commit(root, "round invoice lines half up", { "src/money.ts": money("round") })
    commit(root, "brighter lamp from helper7 please", {
      "src/part7.ts": 'export function helper7() {\n  return "bright lamp 7"\n}\n',
    })
    commit(root, "read me", { "README.md": "a shop\n" })
  })
  afterAll(() => temp[Symbol.asyncDispose]())

  test("[PROOF-7] measures every contender on every task, BM25 first", async () => {
    const result = await proof.recall({ ...all, repo: root, ablation: true }, { signal })
    expect(result).toMatchObject({
      repository: "shop",
      head: git(root, "rev-parse", "HEAD"),
      files: 31,
      tasks: 2,
      tasksSkipped: 2,
      budget: 1_000,
    })
    expect(result.rankers.map((it) => it.ranker)).toEqual([
      "bm25",
      "page-rank",
      "qm",
      "qm --fill",
      "qm without history",
      "qm without definitions",
      "qm without paths",
      "qm without names",
      "qm with word table",
      "qm with second stage",
      "qm without closure",
      "qm of whole files",
    ])
    for (const { hunks } of result.rankers) {
      expect(hunks.map((it) => it.budget)).toEqual([500, 1_000, 2_000])
    }
    const [bm25, , ours] = result.rankers
    expect(bm25?.overBm25).toBe(null)
    expect(ours).toMatchObject({ recallAt10: 1, recallAt20: 1, mrr: 1, truthInBudget: 1 })
    expect(ours?.hunks.map((it) => it.recall)).toEqual([1, 1, 1])
    expect(ours?.overBm25?.recallAt10).toEqual({ mean: 0, low: 0, high: 0 })
  })

  test("[PROOF-3] a task sees the tree and the history before its commit, not the commit itself", async () => {
    await using bench = await openBench(root, deps, signal)
    await using fresh = await bench.freshIndex()
    const past = await pastOf(bench)
    const task = {
      id: rounding,
      parent: git(root, "rev-parse", `${rounding}^`),
      text: "round invoice lines half up",
      truth: ["src/money.ts", "src/not-there.ts"],
    }
    const isSource = (file: string) => file.endsWith(".ts") && !file.includes("test")
    const setting = { ...past, index: fresh.index, isSource, remember: createMemory(), signal }
    const set = await setTask(task, setting)
    expect(set?.truth).toEqual(new Set(["src/money.ts"]))
    expect(set?.edited).toEqual([{ path: "src/money.ts", hunks: [{ fromLine: 2, toLine: 2 }] }])
    expect(set?.tree.commits.map((it) => it.message)).toEqual([
      "begin the shop with all of its parts",
    ])
    expect(set?.tree.files.map((it) => it.path)).not.toContain("src/money.test.ts")
    const texts = await set?.tree.texts(["src/money.ts"])
    expect(texts?.get("src/money.ts")).toBe(money("floor"))
    expect(await setTask({ ...task, truth: ["src/not-there.ts"] }, setting)).toBe(undefined)
  })

  test("[PROOF-12] writes nothing into the repository, and accepts a bare one", async () => {
    const bare = path.join(temp.path, "shop.git")
    git(temp.path, "clone", "-q", "--bare", root, bare)
    const listed = () => new Set(readdirSync(temp.path, { recursive: true, encoding: "utf8" }))
    const before = listed()
    const { tasks } = await proof.recall({ ...all, repo: bare, tasks: 1 }, { signal })
    expect(tasks).toBe(1)
    await using bench = await openBench(root, deps, signal)
    await pastOf(bench)
    expect(listed()).toEqual(before)
    expect([...before].filter((it) => it.includes("git-view"))).toEqual([])
  })

  test("[PROOF-17] installed tools are contenders on the same files, missing ones are listed", async () => {
    const tools = path.join(temp.path, "tools")
    mkdirSync(tools)
    const program = (name: string, text: string) => {
      writeFileSync(path.join(tools, name), text)
      chmodSync(path.join(tools, name), 0o755)
      return path.join(tools, name)
    }
    const input = { ...all, repo: root, peers: true }
    const measured = (searchPath: string) =>
      benchHandlers({ ...deps, environment: { PATH: searchPath } }).recall(input, { signal })
    const gitPath = process.env["PATH"] ?? ""
    const onlyGit = await measured(`${tools}:${gitPath}`)
    const names = onlyGit.rankers.map((it) => it.ranker)
    expect(names.includes("repomix")).toBe(!onlyGit.missingPeers.includes("repomix"))
    // The last argument but two of `repomix` is the output, and both list only one file.
    program("repomix", `#!/bin/sh\nprintf '<file path="src/money.ts">\\n' > "$5"\n`)
    const python = program("python", `#!/bin/sh\necho '[["src/money.ts", 2], ["gone.ts", 1]]'\n`)
    program("aider", `#!${python}\nimport aider\n`)
    const both = await measured(`${tools}:${gitPath}`)
    expect(both.missingPeers).toEqual([])
    const peers = both.rankers.filter((it) => ["repomix", "aider map"].includes(it.ranker))
    expect(peers.map((it) => [it.ranker, it.recallAt10, it.hunks[1]?.recall])).toEqual([
      ["repomix", 0.5, 0.5],
      ["aider map", 0.5, 0.5],
    ])
    program("repomix", "#!/bin/sh\necho no room >&2\nexit 3\n")
    await expect(measured(`${tools}:${gitPath}`)).rejects.toMatchObject({
      code: "PROOF_PEER_FAILED",
      message: "repomix failed: no room",
    })
  })

  test("[PROOF-9] without a task in the half, the error says what a task is", async () => {
    const empty = path.join(temp.path, "empty")
    git(temp.path, "init", "-q", empty)
    commit(empty, "the first of all commits", { "a.ts": "export const a = 1\n" })
    await expect(proof.recall({ ...all, repo: empty, half: "tune" }, { signal })).rejects.toThrow(
      expect.objectContaining({
        code: "PROOF_TOO_FEW_TASKS",
        message: "None of 1 commits can be a task in the half tune.",
      }),
    )
  })

  test("[PROOF-9] without git, the error says that there is no history", async () => {
    const plain = path.join(temp.path, "plain")
    git(temp.path, "init", "-q", plain)
    await expect(proof.recall({ ...all, repo: plain }, { signal })).rejects.toThrow(
      expect.objectContaining({ code: "PROOF_NO_HISTORY" }),
    )
  })
})
