import { commit } from "#test/git"
import { GIT_ENVIRONMENT } from "#test/worktree-room"
import type { ConsoleFixture } from "../console-fixture.ts"

/** Does in each new worktree what an agent would: its own file, and for two of them the same one. */
const SETUP = `const { writeFileSync } = require("node:fs")
const name = process.env.QM_WORKTREE
writeFileSync(name + ".txt", name)
if (!name.endsWith("ws3")) writeFileSync("shared.txt", name)`

type Folders = { readonly project: string; readonly parent: string }

/** A repository with a commit, where a swarm of the synthetic agent can run. */
export async function prepareSwarm({ project, parent }: Folders) {
  commit(project, "first", {
    "src/a.ts": "a\n",
    "src/b.ts": "b\n",
    "src/c.ts": "c\n",
    "shared.txt": "base\n",
    "../setup.cjs": SETUP,
  })
  return {
    ...GIT_ENVIRONMENT,
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
