import { describe, expect, test } from "vitest"
import { git, gitWith } from "#test/git"
import { needs } from "#test/needs"
import { tempDirectory } from "#test/temp"
import { locateRepository } from "../repo.ts"
import { type Git, openGit } from "./git.ts"

async function readyAt(
  root: string,
  id: string,
  limits: { readonly roundBytes?: number } = {},
): Promise<Git> {
  git(root, "update-ref", "HEAD", id)
  const repository = await locateRepository(root)
  const environment = { PATH: process.env["PATH"] }
  const { signal } = new AbortController()
  const outcome = await openGit({ repository, environment, signal, ...limits })
  if (outcome.kind !== "ready") throw new Error(outcome.reason)
  return outcome.git
}

describe.runIf(needs("REPO-12", "git"))("unusual trees", () => {
  const put = (root: string, input: string | Buffer, ...args: string[]) =>
    gitWith(root, { input }, ...args)

  test("[REPO-12] results that do not fit into one response come in the next, except a single one that is too large", async () => {
    await using temp = await tempDirectory()
    const root = temp.path
    git(root, "init", "-q")
    const ids = ["1", "2"].map((it) => put(root, it, "hash-object", "-w", "--stdin"))
    const name = (at: number) => `${"n".repeat(200)}${String(at).padStart(6, "0")}`
    const treeOf = (count: number, changed: number) => {
      const line = (at: number) => `100644 blob ${ids[at === changed ? 1 : 0]}\t${name(at)}\n`
      return put(root, Array.from({ length: count }, (_, at) => line(at)).join(""), "mktree")
    }
    let parent: readonly string[] = []
    const commitOf = (tree: string) => {
      const made = put(root, "m", "commit-tree", tree, ...parent)
      parent = ["-p", made]
      return made
    }
    // Three trees of nine kilobytes fit into one response; the last has 36 and does not.
    const counts = [40, 40, 40, 40, 40, 160]
    const commits = counts.map((count, at) => commitOf(treeOf(count, at)))
    const last = commits.at(-1) ?? ""
    const read = await readyAt(root, last, { roundBytes: 32 * 1024 })
    const history = await read.history({ from: last, limit: 10 })
    const modified = (...at: number[]) => at.map((it) => ({ kind: "modified", path: name(it) }))
    const added = Array.from({ length: 40 }, (_, at) => ({ kind: "added", path: name(at) }))
    expect(history.map((it) => it.changes)).toEqual([
      undefined,
      modified(3, 4),
      modified(2, 3),
      modified(1, 2),
      modified(0, 1),
      added,
    ])
    const long = put(root, "m".repeat(40_000), "commit-tree", treeOf(1, 0))
    const some = await read.readCommits([long, last, ...commits.slice(0, 1)])
    expect(some.map((it) => it.id)).toEqual([last, commits[0]])
    const headersAlone = await readyAt(root, last, { roundBytes: 600 })
    expect((await headersAlone.readCommits(commits)).map((it) => it.id)).toEqual(commits)
  })

  test("[REPO-12] a damaged tree returns its intact entries, each name once", async () => {
    await using temp = await tempDirectory()
    const root = temp.path
    git(root, "init", "-q")
    const id = put(root, "1", "hash-object", "-w", "--stdin")
    const entry = (name: string) =>
      Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(id, "hex")])
    const commitOf = (bytes: Buffer) => {
      const args = ["hash-object", "-t", "tree", "-w", "--literally", "--stdin"]
      return put(root, "m", "commit-tree", put(root, bytes, ...args))
    }
    const twice = commitOf(Buffer.concat([entry("a"), entry("a"), entry("b")]))
    const cut = commitOf(Buffer.concat([entry("a"), entry("b").subarray(0, 10)]))
    const unsorted = commitOf(Buffer.concat([entry("z"), entry("a")]))
    const read = await readyAt(root, twice)
    const commits = await read.readCommits([twice, cut, unsorted])
    const added = (path: string) => ({ kind: "added", path })
    expect(commits.map((it) => it.changes)).toEqual([
      [added("a"), added("b")],
      [added("a")],
      [added("a"), added("z")],
    ])
  })

  test("[REPO-12] a message is truncated between two characters, and one that is not UTF-8 is returned", async () => {
    await using temp = await tempDirectory()
    const root = temp.path
    git(root, "init", "-q")
    const tree = put(root, "", "mktree")
    const long = put(root, `aa${"\u20ac".repeat(8_000)}`, "commit-tree", tree)
    const header = `tree ${tree}\nauthor a <a> 1 +0000\ncommitter a <a> 1 +0000\n\n`
    const other = Buffer.concat([Buffer.from(header), Buffer.from([0x61, 0xe9, 0x0a])])
    const old = put(root, other, "hash-object", "-t", "commit", "-w", "--stdin")
    const commits = await (await readyAt(root, long)).readCommits([long, old])
    expect(commits.map((it) => it.message)).toEqual([`aa${"\u20ac".repeat(5_460)}`, "a\u00e9\n"])
  })
})
