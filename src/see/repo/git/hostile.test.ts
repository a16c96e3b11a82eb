import { execFileSync } from "node:child_process"
import { appendFileSync, cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { isAppError } from "#ground/base"
import { commit, git } from "#test/git"
import { needs } from "#test/needs"
import { isNight } from "#test/seed"
import { type TempDirectory, tempDirectory } from "#test/temp"
import { locateRepository } from "../repo.ts"
import { openGit } from "./git.ts"

type Folder = {
  at(name: string): string
  readonly head: string
  readonly outside: string
}

const objectOf = ({ at, head }: Folder) => at(`objects/${head.slice(0, 2)}/${head.slice(2)}`)

function replace(file: string, content: string | Buffer): void {
  rmSync(file, { force: true, recursive: true })
  writeFileSync(file, content)
}

const FOLDERS: Readonly<Record<string, readonly [string, (folder: Folder) => void]>> = {
  "nothing wrong": ["2 commits", () => {}],
  "packed refs that are none": [
    "2 commits",
    ({ at }) => writeFileSync(at("packed-refs"), Buffer.alloc(100_000, "\u001b[2J\0\xff")),
  ],
  "a great many refs": [
    "2 commits",
    ({ at, head }) => {
      const count = isNight() ? 1_000_000 : 100_000
      const refs = Array.from({ length: count }, (_, n) => `${head} refs/heads/r${n}\n`)
      writeFileSync(at("packed-refs"), refs.join(""))
      replace(at("HEAD"), `ref: refs/heads/r${count - 1}\n`)
    },
  ],
  "names of refs with escapes": [
    "2 commits",
    ({ at, head }) => {
      writeFileSync(at("refs/heads/\u001b[2J\u202e"), head)
      writeFileSync(at("packed-refs"), `${head} refs/heads/$(touch pwned)\n`)
    },
  ],
  "a head that leads out": [
    "no readable commit",
    ({ at }) => replace(at("HEAD"), "ref: refs/../../../outside/id\n"),
  ],
  "a head with escapes": [
    "no readable commit",
    ({ at }) => replace(at("HEAD"), "ref: refs/heads/\u001b[2J\n"),
  ],
  "a head of a megabyte": [
    "no readable commit",
    ({ at, head }) => replace(at("HEAD"), `${head}\n`.repeat(25_000)),
  ],
  "a head that is a pipe": [
    "not in a git repository",
    ({ at }) => {
      rmSync(at("HEAD"))
      execFileSync("mkfifo", [at("HEAD")])
    },
  ],
  "a head that is a link": [
    "not in a git repository",
    ({ at, outside }) => {
      rmSync(at("HEAD"))
      symlinkSync(path.join(outside, "id"), at("HEAD"))
    },
  ],
  "a ref that is a pipe": [
    "no readable commit",
    ({ at }) => {
      rmSync(at("refs/heads/trunk"))
      execFileSync("mkfifo", [at("refs/heads/trunk")])
    },
  ],
  "objects of others": [
    "uses objects of another",
    ({ at, outside }) => writeFileSync(at("objects/info/alternates"), `${outside}\n`),
  ],
  "grafts that rewrite the past": [
    "2 commits",
    ({ at, head }) => writeFileSync(at("info/grafts"), `${head}\n`),
  ],
  "a list of shallow commits that is none": [
    "REPO_GIT_FAILED",
    ({ at }) => writeFileSync(at("shallow"), "\u001b[2J\n"),
  ],
  "a list of shallow commits that is a pipe": [
    "2 commits",
    ({ at }) => void execFileSync("mkfifo", [at("shallow")]),
  ],
  "a commit that is no object": ["REPO_GIT_FAILED", (it) => replace(objectOf(it), "garbage")],
  "a commit that is gone": ["REPO_GIT_FAILED", (it) => rmSync(objectOf(it))],
  "packs that are none": [
    "2 commits",
    ({ at }) => {
      for (const kind of ["idx", "pack", "promisor", "keep", "bitmap"])
        writeFileSync(at(`objects/pack/pack-${"0".repeat(40)}.${kind}`), "garbage")
    },
  ],
  "a commit graph that is none": [
    "2 commits",
    ({ at }) => writeFileSync(at("objects/info/commit-graph"), "garbage".repeat(100)),
  ],
  "an index that is none": ["2 commits", ({ at }) => writeFileSync(at("index"), "garbage")],
  "a config that is none": ["2 commits", ({ at }) => appendFileSync(at("config"), "[[[\n\0")],
}

describe.runIf(needs("F3", "git"))("manipulated git folders", () => {
  let temp: TempDirectory
  let head: string
  beforeAll(async () => {
    temp = await tempDirectory()
    const template = path.join(temp.path, "template")
    mkdirSync(template)
    git(template, "init", "-q", "-b", "trunk")
    commit(template, "first", { a: "1" })
    head = commit(template, "second", { a: "2" })
    for (const folder of ["objects/info", "objects/pack", "info"])
      mkdirSync(path.join(template, ".git", folder), { recursive: true })
  })
  afterAll(() => temp[Symbol.asyncDispose]())

  async function historyIn(root: string): Promise<string> {
    const repository = await locateRepository(root)
    const environment = { PATH: process.env["PATH"] }
    const { signal } = new AbortController()
    const outcome = await openGit({ repository, environment, signal })
    if (outcome.kind !== "ready") return outcome.reason
    try {
      const commits = await outcome.git.history({ from: head, limit: 10 })
      expect(commits.every((it) => it.changes?.length === 1)).toBe(true)
      return `${commits.length} commits`
    } catch (error) {
      if (!isAppError(error)) throw error
      return error.code
    }
  }

  test.each(Object.keys(FOLDERS))("[F3] [REPO-12] reading is safe with %s", async (name) => {
    const [expected, work] = FOLDERS[name] ?? ["", () => {}]
    const base = path.join(temp.path, name.replace(/\W+/g, "-"))
    const [root, outside] = [path.join(base, "root"), path.join(base, "outside")]
    mkdirSync(outside, { recursive: true })
    writeFileSync(path.join(outside, "id"), `${head}\n`)
    cpSync(path.join(temp.path, "template"), root, { recursive: true })
    work({ at: (file) => path.join(root, ".git", file), head, outside })
    expect(await historyIn(root)).toContain(expected)
  })
})
