import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import path from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { commit, git, gitWith } from "#test/git"
import { needs } from "#test/needs"
import { fcParameters, seed } from "#test/seed"
import { tempDirectory } from "#test/temp"
import { bareRepository, locateRepository } from "../repo.ts"
import { type Git, openGit } from "./git.ts"
import { headCommit } from "./head.ts"
import { blobId, differingEntries, parseBatch, parseTree } from "./parse.ts"

const { signal } = new AbortController()
const environment = { PATH: process.env["PATH"] }

async function opened(root: string, options: { readonly timeoutMs?: number } = {}) {
  const repository = await locateRepository(root)
  return openGit({ repository, environment, signal, ...options })
}

async function ready(root: string): Promise<Git> {
  const outcome = await opened(root)
  if (outcome.kind !== "ready") throw new Error(outcome.reason)
  return outcome.git
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

describe.runIf(needs("REPO-11", "git"))("real repositories", () => {
  test.each(["sha1", "sha256"] as const)(
    "[REPO-12] results equal those of git in a repository with %s ids",
    async (format) => {
      await using temp = await tempDirectory()
      const root = temp.path
      git(root, "init", "-q", `--object-format=${format}`)
      const first = commit(root, "first\n\nwith a body", { "a.ts": "one\n", "d/b.ts": "two\n" })
      const long = "line\n".repeat(50)
      const second = commit(root, "second", { "d/c é\n.ts": long, "a.ts": "changed\n" })
      renameSync(path.join(root, "d/c é\n.ts"), path.join(root, "moved.ts"))
      rmSync(path.join(root, "d/b.ts"))
      const third = commit(root, "third", { "a.ts": "again\n" })

      const read = await ready(root)
      expect(read.format).toBe(format)
      expect(await read.headCommit()).toBe(third)
      const tree = await read.listTree(third)
      expect(tree).toEqual({
        entries: [
          { path: "a.ts", mode: "100644", id: git(root, "rev-parse", "HEAD:a.ts") },
          { path: "moved.ts", mode: "100644", id: git(root, "rev-parse", "HEAD:moved.ts") },
        ],
        unnameable: 0,
      })
      expect(blobId(Buffer.from("again\n"), format)).toBe(tree.entries[0]?.id)

      const none = "0".repeat(third.length)
      const ids = [...tree.entries.map((it) => it.id), none, third]
      expect(await collect(read.readBlobs(ids, { maxBlobBytes: 100 }))).toEqual([
        { kind: "read", id: ids[0], bytes: Buffer.from("again\n") },
        { kind: "too-large", id: ids[1], sizeBytes: 250 },
        { kind: "missing", id: none },
        { kind: "not-blob", id: third },
      ])

      const history = await read.history({ from: third, limit: 10 })
      const at = 1_700_000_000_000
      expect(history).toEqual([
        {
          id: third,
          tree: git(root, "rev-parse", `${third}^{tree}`),
          parents: [second],
          committedAtMs: at,
          author: "t",
          message: "third\n",
          changes: [
            { kind: "modified", path: "a.ts" },
            { kind: "deleted", path: "d/b.ts" },
            { kind: "renamed", path: "moved.ts", from: "d/c é\n.ts" },
          ],
        },
        {
          id: second,
          tree: git(root, "rev-parse", `${second}^{tree}`),
          parents: [first],
          committedAtMs: at,
          author: "t",
          message: "second\n",
          changes: [
            { kind: "modified", path: "a.ts" },
            { kind: "added", path: "d/c é\n.ts" },
          ],
        },
        {
          id: first,
          tree: git(root, "rev-parse", `${first}^{tree}`),
          parents: [],
          committedAtMs: at,
          author: "t",
          message: "first\n\nwith a body\n",
          changes: [
            { kind: "added", path: "a.ts" },
            { kind: "added", path: "d/b.ts" },
          ],
        },
      ])
      const ofLast = await read.history({ from: third, limit: 10, since: second })
      expect(ofLast.map((it) => it.id)).toEqual([third])
      expect((await read.history({ from: third, limit: 2 })).length).toBe(2)
      expect(await read.commitIds({ from: third, limit: 10 })).toEqual([third, second, first])
      expect(await read.commitIds({ from: third, limit: 10, since: first })).toEqual([
        third,
        second,
      ])
      const some = await read.readCommits([first, none, ids[0] ?? "", third])
      expect(some).toEqual([history[2], history[0]])
      expect(await read.diffNames(first, third)).toEqual([
        { kind: "modified", path: "a.ts" },
        { kind: "deleted", path: "d/b.ts" },
        { kind: "added", path: "moved.ts" },
      ])
      expect(await read.isAncestor(first, third)).toBe(true)
      expect(await read.isAncestor(third, third)).toBe(true)
      expect(await read.isAncestor(third, first)).toBe(false)
      expect(await read.isAncestor(none, third)).toBe(false)
    },
  )

  test("[REPO-12] tree differences equal those of git, also for folders that become files", async () => {
    await using temp = await tempDirectory()
    const root = temp.path
    git(root, "init", "-q")
    const name = fc.constantFrom("a", "b", "a.b", "a-b")
    const file = fc.array(name, { minLength: 1, maxLength: 3 }).map((it) => it.join("/"))
    const tree = fc.dictionary(file, fc.constantFrom("1", "2", ""), { maxKeys: 6 })
    const samples = fc.sample(tree, { seed: seed(), numRuns: 25 })
    const ids = samples.map((files, at) => {
      for (const it of ["a", "b", "a.b", "a-b"])
        rmSync(path.join(root, it), { recursive: true, force: true })
      const possible = Object.keys(files).toSorted()
      const kept = possible.filter((it) => !possible.some((other) => other.startsWith(`${it}/`)))
      return commit(root, String(at), Object.fromEntries(kept.map((it) => [it, files[it] ?? ""])))
    })
    const read = await ready(root)
    for (const [at, to] of ids.entries()) {
      const from = ids[(at * 7) % ids.length] ?? to
      const changes = await read.diffNames(from, to)
      const plain = changes.flatMap((it) =>
        it.kind === "renamed"
          ? [`D ${it.from}`, `A ${it.path}`]
          : [`${it.kind.charAt(0).toUpperCase()} ${it.path}`],
      )
      const said = git(root, "diff-tree", "-r", "--no-renames", "--name-status", from, to)
      expect(plain.toSorted()).toEqual(
        said.replaceAll("\t", " ").split("\n").filter(Boolean).toSorted(),
      )
    }
  })

  test("[REPO-12] worktrees, detached heads, packed refs and shallow clones are read", async () => {
    await using temp = await tempDirectory()
    const main = path.join(temp.path, "main")
    mkdirSync(main)
    git(main, "init", "-q", "-b", "trunk")
    const first = commit(main, "first", { a: "1" })
    const second = commit(main, "second", { a: "2" })
    git(main, "pack-refs", "--all")
    expect(await headCommit(await locateRepository(main))).toBe(second)
    const tree = path.join(temp.path, "tree")
    git(main, "worktree", "add", "-q", "-b", "other", tree, first)
    expect(await (await ready(tree)).headCommit()).toBe(first)
    git(main, "checkout", "-q", "--detach", first)
    expect(await (await ready(main)).headCommit()).toBe(first)
    const shallow = path.join(temp.path, "shallow")
    git(temp.path, "clone", "-q", "--depth=1", "-b", "trunk", `file://${main}`, shallow)
    const history = await (await ready(shallow)).history({ from: second, limit: 10 })
    expect(history.map((it) => it.id)).toEqual([second])
  })

  test("[REPO-12] a partial clone reads the blobs it has and fetches nothing", async () => {
    await using temp = await tempDirectory()
    const main = path.join(temp.path, "main")
    mkdirSync(main)
    git(main, "init", "-q", "-b", "trunk")
    git(main, "config", "uploadpack.allowFilter", "true")
    const long = "line\n".repeat(50)
    commit(main, "first", { old: long })
    renameSync(path.join(main, "old"), path.join(main, "new"))
    const second = commit(main, "second", { new: `${long}more\n`, other: "x" })
    const partial = path.join(temp.path, "partial")
    git(temp.path, "clone", "-q", "--no-checkout", "--filter=blob:none", `file://${main}`, partial)
    const read = await ready(partial)
    const tree = await read.listTree(second)
    const ids = tree.entries.map((it) => it.id)
    const blobs = await collect(read.readBlobs(ids, { maxBlobBytes: 100 }))
    expect(blobs.map((it) => it.kind)).toEqual(["missing", "missing"])
    const [last] = await read.history({ from: second, limit: 10 })
    expect(last?.changes?.map((it) => it.kind)).toEqual(["added", "deleted", "added"])
  })

  test("[REPO-12] names resolve as in git, to loose and packed refs, and unknown ones to none", async () => {
    await using temp = await tempDirectory()
    const root = temp.path
    git(root, "init", "-q", "-b", "trunk")
    const first = commit(root, "first", { "a b.ts": "one\n" })
    git(root, "tag", "-a", "v1.0.0", "-m", "v1.0.0")
    git(root, "pack-refs", "--all")
    const second = commit(root, "second", { "c.ts": "two\n" })
    git(root, "tag", "team/v2")
    const read = await ready(root)
    expect(await read.tags()).toEqual(["team/v2", "v1.0.0"])
    const names = ["v1.0.0", "HEAD~1", "HEAD^", "trunk~", first.slice(0, 9), "team/v2", "HEAD"]
    expect(await Promise.all(names.map((it) => read.resolve(it)))).toEqual([
      ...Array.from({ length: 5 }, () => first),
      second,
      second,
    ])
    const unknown = [
      "v3",
      "HEAD~9",
      "a..b",
      "--all",
      "HEAD:a b.ts",
      "",
      "abc",
      "../../HEAD",
      "x\ny",
    ]
    const none = unknown.map(() => undefined)
    expect(await Promise.all(unknown.map((it) => read.resolve(it)))).toEqual(none)
    const blob = git(root, "rev-parse", "HEAD:a b.ts")
    const places = ["a b.ts", "c.ts", "x y z", "a\nb"].map((it) => ({ commit: first, path: it }))
    expect(await read.blobsAt(places)).toEqual([blob, undefined, undefined, undefined])
  })

  test("[REPO-17] a bare repository is read if it was named, and nothing is written into it", async () => {
    await using temp = await tempDirectory()
    const [main, bare] = [path.join(temp.path, "main"), path.join(temp.path, "bare")]
    mkdirSync(main)
    git(main, "init", "-q", "-b", "trunk")
    const first = commit(main, "first", { a: "1" })
    git(temp.path, "clone", "-q", "--bare", main, bare)
    git(bare, "pack-refs", "--all")
    // A mirror may have been created without this file.
    rmSync(path.join(bare, "config"))
    const before = readdirSync(bare, { encoding: "utf8", recursive: true }).toSorted()
    const stateDirectory = path.join(temp.path, "state")
    const repository = await bareRepository(bare, { stateDirectory })
    if (repository === undefined) throw new Error("it is a bare repository")
    const outcome = await openGit({ repository, environment, signal })
    if (outcome.kind !== "ready") throw new Error(outcome.reason)
    expect(await outcome.git.headCommit()).toBe(first)
    const history = await outcome.git.history({ from: first, limit: 10 })
    expect(history.map((it) => it.changes)).toEqual([[{ kind: "added", path: "a" }]])
    expect(readdirSync(bare, { encoding: "utf8", recursive: true }).toSorted()).toEqual(before)
  })

  test("[REPO-11] if git cannot be used, the reason is returned", async () => {
    await using temp = await tempDirectory()
    const at = (name: string) => path.join(temp.path, name)
    const reason = async (name: string) => {
      const outcome = await opened(at(name))
      return outcome.kind === "without" ? outcome.reason : outcome.kind
    }
    mkdirSync(at("plain"))
    expect(await reason("plain")).toContain("not in a git repository")
    mkdirSync(at("unborn"))
    git(at("unborn"), "init", "-q")
    expect(await reason("unborn")).toContain("no readable commit")

    mkdirSync(at("main"))
    git(at("main"), "init", "-q")
    const head = commit(at("main"), "first", { a: "1" })
    expect(await reason("main")).toBe("ready")
    const repository = await locateRepository(at("main"))
    const nowhere = await openGit({ repository, environment: { PATH: "bin:" }, signal })
    expect(nowhere).toMatchObject({ reason: "git was not found on the PATH" })
    const above = at("node_modules/.bin")
    mkdirSync(above, { recursive: true })
    writeFileSync(path.join(above, "git"), "", { mode: 0o755 })
    const byNpm = await openGit({ repository, environment: { PATH: above }, signal })
    expect(byNpm).toMatchObject({ reason: "git was not found on the PATH" })
    git(temp.path, "clone", "-q", "--shared", at("main"), at("shared"))
    expect(await reason("shared")).toContain("uses objects of another")
    renameSync(at("main/.git/objects/pack"), at("pack"))
    symlinkSync(at("pack"), at("main/.git/objects/pack"))
    expect(await reason("main")).toContain("symbolic link among its objects")
    rmSync(at("main/.git/objects/pack"))
    renameSync(at("pack"), at("main/.git/objects/pack"))

    const outcome = await opened(at("main"), { timeoutMs: 1_000 })
    if (outcome.kind !== "ready") throw new Error(outcome.reason)
    const object = at(`main/.git/objects/${head.slice(0, 2)}/${head.slice(2)}`)
    renameSync(object, at("object"))
    execFileSync("mkfifo", [object])
    await expect(outcome.git.listTree(head)).rejects.toMatchObject({ code: "REPO_GIT_TIMED_OUT" })
    expect(await reason("main")).toContain("FIFO among its objects")
    renameSync(at("object"), object)
    const ended = { repository, environment, signal: AbortSignal.abort() }
    const late = await openGit(ended)
    if (late.kind !== "ready") throw new Error(late.reason)
    await expect(late.git.listTree(head)).rejects.toThrow("aborted")

    const read = await ready(at("main"))
    await expect(read.diffNames(head, "0".repeat(40))).rejects.toMatchObject({
      code: "REPO_GIT_FAILED",
    })
    await expect(read.listTree("0".repeat(40))).rejects.toMatchObject({ code: "REPO_GIT_FAILED" })
    await expect(read.listTree("--output=x")).rejects.toThrow("invariant broken")
  })

  test("[REPO-11] a tree that contains itself a thousand times ends at the limit", async () => {
    await using temp = await tempDirectory()
    git(temp.path, "init", "-q")
    const put = (input: string | Buffer, ...args: string[]) =>
      gitWith(temp.path, { input }, ...args)
    const name = "n".repeat(200)
    let id = put("x", "hash-object", "-w", "--stdin")
    let line = (n: number) => `100644 blob ${id}\t${name}${n}\n`
    for (let level = 0; level < 7; level++) {
      const entries = Array.from({ length: 10 }, (_, n) => line(n)).join("")
      id = put(entries, "mktree")
      line = (n) => `040000 tree ${id}\t${name}${n}\n`
    }
    const bomb = put("bomb", "commit-tree", id)
    git(temp.path, "update-ref", "HEAD", bomb)
    const read = await ready(temp.path)
    await expect(read.listTree(bomb)).rejects.toMatchObject({ code: "REPO_GIT_ANSWER_TOO_LARGE" })
    expect((await read.history({ from: bomb, limit: 1 }))[0]?.changes).toBeUndefined()
  })
})

test("[REPO-12] refs that point outside or nowhere are ignored", async () => {
  await using temp = await tempDirectory()
  const at = (name: string) => path.join(temp.path, name)
  mkdirSync(at(".git/objects"), { recursive: true })
  mkdirSync(at(".git/refs/heads"), { recursive: true })
  const id = "ab".repeat(20)
  writeFileSync(at("outside"), `${id}\n`)
  writeFileSync(at(".git/refs/heads/a"), "ref: refs/heads/b\n")
  writeFileSync(at(".git/refs/heads/b"), "ref: refs/heads/a\n")
  writeFileSync(at(".git/refs/heads/deep"), `${id}\n`)
  symlinkSync(at("outside"), at(".git/refs/heads/link"))
  writeFileSync(
    at(".git/packed-refs"),
    `# pack-refs with: peeled\n${"zz".repeat(20)} refs/heads/bogus\n${id} refs/heads/packed\n^${id}\n${id} refs/heads/pack\n`,
  )
  const head = async (text: string) => {
    writeFileSync(at(".git/HEAD"), text)
    return headCommit(await locateRepository(temp.path))
  }
  expect(await head("ref: refs/heads/deep\n")).toBe(id)
  expect(await head("ref: refs/heads/packed\n")).toBe(id)
  expect(await head("ref: refs/heads/pack\n")).toBe(id)
  expect(await head(`${id}\n`)).toBe(id)
  for (const name of ["a", "bogus", "link", "none", "../../../outside", "x/../deep", "packe"]) {
    expect(await head(`ref: refs/heads/${name}\n`)).toBeUndefined()
  }
  expect(await head("ref: ../outside\n")).toBeUndefined()
  expect(await head("nonsense")).toBeUndefined()
})

test("[REPO-12] [F1] no output of git makes the parser hang or fail", () => {
  const bytes = fc.uint8Array({ maxLength: 200 }).map((it) => Buffer.from(it))
  const property = fc.property(bytes, (output) => {
    for (const parse of [parseTree, parseBatch]) {
      try {
        parse(output)
      } catch (error) {
        expect(String(error)).toContain("invariant broken")
      }
    }
    expect(differingEntries(output, Buffer.from(output), 20)).toEqual([])
    const gone = differingEntries(output, Buffer.alloc(0), 20)
    expect(gone.every((it) => it.is === undefined && it.was !== undefined)).toBe(true)
  })
  fc.assert(property, fcParameters({ numRuns: 1_000 }))
})
