import { readFileSync } from "node:fs"
import path from "node:path"
import { describe, expect, test } from "vitest"
import type { FoldTree } from "#ground/contract"
import { claudeStory, type GatewayUser, gatewayUser } from "#test/gateway-story"
import { needs } from "#test/needs"
import { runQm } from "#test/qm"
import { close, GO, open, read } from "./gateway-scenes.ts"
import { AFTER_RETURN, mainRun } from "./gateway-table.ts"

// Level-4 hooks, `gateway run --mode fold` and default settings, as a user has them.

const A_SESSION_MS = 600_000

/** Real code of this repository, as large as asked. */
function codeFile(name: string, bytes: number): string {
  const text = [`// BIGMARK-${name}`, ...SOURCES].join("\n")
  return `${text.slice(0, bytes)}\n`
}

const SOURCES = ["choose/fold/branch/create.ts", "act/agents/sessions/claude-transcript.ts"]
  .concat(["see/capture/manifest.ts", "know/map/tree/scan.ts", "act/gateway/proxy/relay.ts"])
  .map((it) => readFileSync(path.join(import.meta.dirname, "../../src", it), "utf8"))

async function play({ reads, bytes }: { readonly reads: number; readonly bytes: number }) {
  const names = Array.from({ length: reads }, (_, at) => `big${at}`)
  const files = Object.fromEntries(names.map((it) => [`${it}.ts`, codeFile(it, bytes)]))
  const user = await gatewayUser(
    { ...files, "small.ts": "const small = 1\n" },
    {
      folding: {},
      hookLevel: 4,
    },
  )
  const at = { folder: user.project, tag: "b" }
  const says = [
    [open("A")],
    ...names.map((it) => [read(at, `${it}.ts`)]),
    [close(at, "A")],
    [read(at, "small.ts")],
    "Done.",
  ]
  const options = { stories: [{ hears: GO, says }], enforce: true }
  const played = await claudeStory(user, options, [() => ({ way: "fold", prompts: [GO] })])
  return { ...played, user, [Symbol.asyncDispose]: user[Symbol.asyncDispose].bind(user) }
}

async function branchOf(user: GatewayUser) {
  const shown = await runQm(["fold", "--all", "--json"], { cwd: user.project, env: user.env })
  expect([shown.code, shown.stderr]).toEqual([0, ""])
  const tree: FoldTree = JSON.parse(shown.stdout)
  const branch = tree.sessions[0]?.branches[0]
  if (branch === undefined) throw new Error("no branch is stored")
  return branch
}

const sent = (request: { readonly body: unknown } | undefined): string =>
  JSON.stringify(request?.body ?? "")

const countOf = (text: string, word: string): number => text.split(word).length - 1

describe
  .runIf(needs("FOLD-6", "claude-code"))
  .concurrent("the real Claude Code with level-4 hooks, folding and default settings", () => {
    test("[T7][FOLD-6] a branch with two reads of 37 kB returns its result and is folded", {
      timeout: A_SESSION_MS,
    }, async () => {
      await using it = await play({ reads: 2, bytes: 37_000 })
      expect(it.ended.map((end) => [end.code, end.stderr, end.results])).toEqual([
        [0, "", ["Done."]],
      ])
      const last = sent(it.requests.at(-1))
      expect(last).toContain("RESULT-A-b")
      expect(last).not.toContain("BIGMARK-big0")
      expect(await branchOf(it.user)).toMatchObject({
        status: "completed",
        endReason: "returned",
        mode: "wire",
        isLowerBound: false,
      })
    })

    test("[T7][FOLD-6] a branch over its budget was warned, returns its result and is folded", {
      timeout: A_SESSION_MS,
    }, async () => {
      await using it = await play({ reads: 8, bytes: 20_000 })
      expect(it.ended.map((end) => [end.code, end.stderr, end.results])).toEqual([
        [0, "", ["Done."]],
      ])
      const last = sent(it.requests.at(-1))
      expect(last).toContain("RESULT-A-b")
      expect(last).not.toContain("BIGMARK")
      const beforeReturn = sent(it.requests.at(-3))
      // Charges settle every second: on a loaded machine both limits may be passed at once.
      expect(countOf(beforeReturn, "of its budget")).toBeLessThanOrEqual(1)
      expect(countOf(beforeReturn, "budget is used up")).toBe(1)
      const branch = await branchOf(it.user)
      expect(branch).toMatchObject({ status: "completed", endReason: "budget", mode: "wire" })
      expect(branch.budgetUsed).toBeGreaterThan(branch.budgetTotal)
    })

    test("[T7][FOLD-32] the scene of docs/reference/folding.md is folded as installed, with equal figures everywhere", {
      timeout: A_SESSION_MS,
    }, async () => {
      const run = await mainRun("fold", "as installed")
      expect([run.code, run.problems]).toEqual([0, []])
      const [before, after] = [run.requests[AFTER_RETURN - 1], run.requests[AFTER_RETURN]]
      expect((after?.tokens ?? 0) / (before?.tokens ?? 1)).toBeLessThan(0.1)
      expect(run.notices.filter((it) => it.startsWith("The budget is used up"))).toHaveLength(1)
      const [first, ...others] = run.figures.map(({ from: _from, ...figures }) => figures)
      expect(others).toEqual([first, first, first])
      expect(first?.used).toBeGreaterThan(400_000)
    })
  })
