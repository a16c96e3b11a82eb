import { mkdirSync } from "node:fs"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { commit, git, gitWith } from "#test/git"
import { needs } from "#test/needs"
import { tempDirectory } from "#test/temp"
import { locateRepository } from "../repo.ts"
import { LARGEST_GIT_OBJECT_BYTES } from "./ask.ts"
import { openGit } from "./git.ts"

describe.runIf(needs("REPO-11", "git") && needs("REPO-11", "full mode"))(
  "an object larger than the memory limit",
  () => {
    test("[REPO-11] git runs out of its memory limit, and the reason is returned", async () => {
      await using temp = await tempDirectory()
      const root = path.join(temp.path, "root")
      mkdirSync(root)
      git(root, "init", "-q")
      const head = commit(root, "first", { a: "1" })
      const input = Buffer.alloc(LARGEST_GIT_OBJECT_BYTES + 1)
      const args = ["hash-object", "-t", "tree", "-w", "--literally", "--stdin"]
      const tree = gitWith(root, { input }, ...args)
      const bomb = gitWith(root, { input: "m" }, "commit-tree", tree, "-p", head)
      const environment = { PATH: process.env["PATH"] }
      const { signal } = new AbortController()
      const repository = await locateRepository(root)
      const outcome = await openGit({ repository, environment, signal })
      if (outcome.kind !== "ready") throw new Error(outcome.reason)
      await expect(outcome.git.readCommits([bomb])).rejects.toMatchObject({
        code: "REPO_GIT_FAILED",
        message: expect.stringContaining("over limit"),
      })
      expect((await outcome.git.readCommits([head])).length).toBe(1)
    })
  },
)
