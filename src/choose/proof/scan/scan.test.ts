import { chmodSync, cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import { Config } from "#ground/contract"
import { createTokens } from "#ground/tokens"
import { commit, git } from "#test/git"
import { madeTree } from "#test/indexed-tree"
import { needs } from "#test/needs"
import { type TempDirectory, tempDirectory } from "#test/temp"
import { benchHandlers } from "../proof.ts"
import { readUsage } from "./peers.ts"
import { withOneChanged } from "./scan.ts"

const { signal } = new AbortController()
const tokens = createTokens({ encoding: "claude" })

function proofWith(searchPath: string) {
  return benchHandlers({
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    environment: { PATH: searchPath },
    counter: tokens.counter,
    settings: () => Config.parse({}).pack,
    resolve: (it) => it,
  })
}

describe.runIf(needs("PROOF-11", "git"))("scan benchmark", () => {
  let temp: TempDirectory
  let root: string
  let tools: string
  const systemPath = process.env["PATH"] ?? ""
  beforeAll(async () => {
    temp = await tempDirectory()
    root = path.join(temp.path, "tree")
    tools = path.join(temp.path, "tools")
    mkdirSync(tools)
    git(temp.path, "init", "-q", root)
    commit(root, "one", { "a.ts": "export function a() {\n  return 1\n}\n", "b.md": "b\n" })
    commit(root, "two", { "a.ts": "export function a() {\n  return 2\n}\n", "c.py": "x = 1\n" })
    git(root, "mv", "c.py", "d.py")
    commit(root, "three")
  })
  afterAll(() => temp[Symbol.asyncDispose]())

  function tool(name: string, body: string): void {
    const file = path.join(tools, name)
    writeFileSync(file, `#!/bin/sh\n${body}\n`)
    chmodSync(file, 0o755)
  }

  test("[PROOF-11] after each commit the incremental index equals a new one", async () => {
    const progress: string[] = []
    const result = await proofWith(systemPath).scan(
      { repo: root, commits: 3 },
      { signal, onProgress: (it) => progress.push(`${it.what} ${it.done} of ${it.total}`) },
    )
    expect(result).toMatchObject({
      repository: "tree",
      files: 3,
      lines: 5,
      commitsCompared: 3,
      commitsEqual: 3,
    })
    expect(progress.filter((it) => it.startsWith("commits"))).toEqual([
      "commits 0 of 3",
      "commits 1 of 3",
      "commits 2 of 3",
    ])
    const [own] = result.rows
    expect(own).toMatchObject({ tool: "qm", note: "cold, new database" })
    expect(own?.seconds).toBeGreaterThan(0)
    expect(own?.peakMegabytes).toBeGreaterThan(10)
    expect(result.oneFileChangedMs).toBeGreaterThan(0)
  })

  test("[PROOF-12] scans the newest commit of a bare repository, and starts no peer", async () => {
    const bare = path.join(temp.path, "tree.git")
    git(temp.path, "clone", "-q", "--bare", root, bare)
    const result = await proofWith(systemPath).scan({ repo: bare, commits: 0 }, { signal })
    expect(result).toMatchObject({ repository: "tree.git", files: 3, lines: 5 })
    expect(result.rows.map((it) => it.tool)).toEqual(["qm"])
    expect(result.oneFileChangedMs).toBeGreaterThan(0)
  })

  test("[PROOF-10] a peer that is missing or fails is listed without numbers", async () => {
    tool("repomix", '[ "$1" = --version ] || exit 3')
    const nowhere = path.join(temp.path, "nowhere")
    const result = await proofWith(`${tools}:${nowhere}`).scan(
      { repo: root, commits: 0 },
      { signal },
    )
    const figures = result.rows.map((it) => [it.tool, it.note, it.seconds])
    expect(figures.slice(1)).toEqual([
      ["universal-ctags", "not installed", null],
      ["repomix", "installed, but it failed", null],
    ])
  })

  test("[PROOF-10] a peer gets the tree and writes into a temporary folder", async () => {
    const output = path.join(temp.path, "said")
    tool("ctags", `pwd >> "${output}"; echo "$@" >> "${output}"`)
    const listed = () => new Set(readdirSync(root, { recursive: true, encoding: "utf8" }))
    const before = listed()
    const result = await proofWith(`${tools}:${systemPath}`).scan(
      { repo: root, commits: 0 },
      { signal },
    )
    const ctags = result.rows.find((it) => it.tool === "universal-ctags")
    expect(ctags?.seconds).toBeGreaterThan(0)
    expect(ctags?.filesPerSecond).toBeGreaterThan(0)
    expect(listed()).toEqual(before)
  })

  test("[PROOF-10] never starts a program from the scanned tree", async () => {
    const own = path.join(root, "node_modules/.bin")
    mkdirSync(own, { recursive: true })
    cpSync(path.join(tools, "repomix"), path.join(own, "repomix"))
    const result = await proofWith(`${own}:node_modules/.bin`).scan(
      { repo: root, commits: 0 },
      { signal },
    )
    rmSync(path.join(root, "node_modules"), { recursive: true })
    expect(result.rows.map((it) => it.note)).toEqual([
      "cold, new database",
      "not installed",
      "not installed",
    ])
  })

  test("[PROOF-10] reads the output of GNU time, and reports no memory without it", () => {
    const text = [
      '\tCommand being timed: "ctags"',
      "\tUser time (seconds): 1.25",
      "\tSystem time (seconds): 0.50",
      "\tMaximum resident set size (kbytes): 2000",
    ].join("\n")
    expect(readUsage(text)).toEqual({ cpuSeconds: 1.75, peakMegabytes: 2.048 })
    expect(readUsage("")).toEqual({ cpuSeconds: null, peakMegabytes: null })
  })
})

test("[PROOF-13] adds one line to one file, and the index reads only that file", async () => {
  await using made = await madeTree({
    "a.ts": "export const a = 1\n",
    "b.ts": "export const bb = 22\n",
    "c.ts": "export const ccc = 333\n",
    "d.md": "nothing of this is code, however long it may be\n",
  })
  let hasEarlierListing = false
  const source: typeof made.source = {
    ...made.source,
    list(signal, before) {
      hasEarlierListing = before !== undefined
      return made.source.list(signal, before)
    },
  }
  const changed = withOneChanged(source, made.tree)
  expect(changed).toBeDefined()
  if (changed === undefined) return
  const { result, tree } = await made.index.scan(changed, { mode: "incremental", signal })
  expect(result.filesChanged).toBe(1)
  expect(hasEarlierListing).toBe(true)
  expect(tree.files.map((it) => it.lines)).toEqual([1, 3, 1, 1])
  await using prose = await madeTree({ "d.md": "no code\n" })
  expect(withOneChanged(prose.source, prose.tree)).toBe(undefined)
})
