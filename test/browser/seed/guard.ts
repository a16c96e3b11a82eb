import path from "node:path"
import { appendVerdict } from "#choose/guard"
import type { VerdictLine } from "#ground/contract"
import { createLedger } from "#know/ledger"
import type { ConsoleFixture } from "../console-fixture.ts"

export const CLAUDE = "5f0c2d1e-7a44-4c1b-9a0e-3f1b7c2d9e10"
export const FILE = "docs/tariff.md"

export type GuardStory = Awaited<ReturnType<typeof seedGuard>>

export async function seedGuard({ project }: ConsoleFixture) {
  const stateDirectory = path.join(project, ".git", "qm")
  const now = Date.now()
  const say = (given: Partial<VerdictLine>) =>
    appendVerdict(stateDirectory, { ...LINE, at: now, ...given })
  let at = now - 60_000
  const ledger = createLedger({
    stateDirectory,
    clock: { now: () => ++at },
    random: { bytes: (count) => new Uint8Array(count) },
  })
  await ledger.opened(CLAUDE, "claude-code")
  for (const file of [FILE, FILE, "README.md"]) {
    await ledger.modified(CLAUDE, { path: file, tool: "Edit" })
  }
  await ledger.changedOutside(CLAUDE, "README.md")
  await ledger.simulated(CLAUDE, { id: "sim_1", files: [], risk: 0.62 })
  await say({ at: now - 9_000, verdict: "silent", rule: null, text: "" })
  await say({ at: now - 8_000, verdict: "warn", rule: "concurrency", text: "Somebody was faster" })
  await say({ at: now - 7_000, text: `${FILE} is of high risk.\nSimulate it first.` })
  const boot = { event: "session-start", tool: null, paths: [] }
  await say({
    at: now - 60_000,
    ...boot,
    verdict: "context",
    rule: "boot",
    text: "2 commits ahead",
  })
  return { stateDirectory, now, say, ledger }
}

const LINE: VerdictLine = {
  at: 0,
  host: "claude-code",
  event: "before-edit",
  session: CLAUDE,
  tool: "Edit",
  paths: [FILE],
  rule: "risk",
  verdict: "deny",
  text: "",
  ms: 4,
}
