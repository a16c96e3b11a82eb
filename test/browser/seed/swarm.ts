import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { commit, git } from "#test/git"
import { GIT_ENVIRONMENT } from "#test/worktree-room"
import type { ConsoleFixture } from "../console-fixture.ts"

/** Does in each new worktree what an agent would: its own file, and for two of them the same one. */
const SETUP = `const { writeFileSync } = require("node:fs")
const name = process.env.QM_WORKTREE
writeFileSync(name + ".txt", name)
if (!name.endsWith("ws3")) writeFileSync("shared.txt", name)`

/** Answers as GitHub's command line does, for the branch that it is asked about. */
const GITHUB_TOOL = `const { readFileSync } = require("node:fs")
if (process.argv[2] === "auth") process.exit(0)
const { branch } = JSON.parse(readFileSync(0, "utf8")).variables
const state = branch.endsWith("ws1") ? "SUCCESS" : "FAILURE"
const pull = {
  number: 12,
  title: "Apply stacked coupons in a fixed order",
  url: "https://github.com/team/tideline/pull/12",
  state: "OPEN",
  isDraft: false,
  headRefName: branch,
  baseRefName: "main",
  author: { login: "ann" },
  reviewDecision: branch.endsWith("ws1") ? "APPROVED" : "CHANGES_REQUESTED",
  commits: { nodes: [{ commit: { oid: "c0ffee", statusCheckRollup: { state } } }] },
}
const repository = { pullRequests: { nodes: [pull] } }
process.stdout.write(JSON.stringify({ data: { repository } }))`

type Folders = { readonly project: string; readonly parent: string }

/**
 * A repository with a commit, where a swarm of the synthetic agent can run, and a stand-in for the
 * user's program for pull requests.
 */
export async function prepareSwarm({ project, parent }: Folders) {
  commit(project, "first", {
    "src/a.ts": "a\n",
    "src/b.ts": "b\n",
    "src/c.ts": "c\n",
    "shared.txt": "base\n",
    "../setup.cjs": SETUP,
    "../gh.cjs": GITHUB_TOOL,
  })
  git(project, "remote", "add", "origin", "https://github.com/team/tideline.git")
  const bin = path.join(parent, "bin")
  await mkdir(bin)
  const start = `#!/bin/sh\nexec '${process.execPath}' '${parent}/gh.cjs' "$@"\n`
  await writeFile(path.join(bin, "gh"), start, { mode: 0o755 })
  return {
    ...GIT_ENVIRONMENT,
    PATH: `${bin}${path.delimiter}${process.env["PATH"] ?? ""}`,
    QM_WORKTREES_SETUP: `${process.execPath} ${parent}/setup.cjs`,
    QM_WORKTREES_PORTS: "0",
    QM_BOARD_CHECKS: "git --version",
    QM_SWARM_AGENT: "synthetic",
  }
}

/** Three workstreams parked at testing, two of which conflict; the third was sent back once. */
export async function runSwarm({ call }: ConsoleFixture): Promise<void> {
  const titles = {
    a: "Apply stacked coupons in a fixed order",
    b: "Show the shipping cost before the address step",
    c: "Retry failed webhooks with backoff",
  }
  for (const [file, title] of Object.entries(titles)) {
    const accept = ["A failed call is retried 5 times", "A duplicate event changes nothing"]
    await call("ticket.new", { title, paths: [`src/${file}.ts`], accept })
  }
  await call("swarm.run", {})
  await call("swarm.reject", {
    workstream: "ws3",
    feedback: "Take the price from the server, and add a test with three items.",
  })
  await call("swarm.run", {})
}
