import { formatExact } from "#ground/base"
import { AFTER_RETURN, mainRun } from "../test/scenarios/gateway-table.ts"

/**
 * Plays the branch-heavy run of docs/reference/folding.md with the real Claude Code, the hooks of
 * level 4 and default settings, and prints the window before and after the return and the figures
 * of the branch on every surface: `node scripts/fold-demo.ts`. It calls no provider.
 */
const run = await mainRun("fold", "as installed")
if (run.problems.length > 0)
  throw new Error(`the strict model reported: ${run.problems.join("; ")}`)

const [before, after] = [run.requests[AFTER_RETURN - 1], run.requests[AFTER_RETURN]]
const tokens = (it: { readonly tokens: number } | undefined): string => formatExact(it?.tokens ?? 0)
const saved = 100 * (1 - (after?.tokens ?? 0) / (before?.tokens ?? 1))
const rows = run.figures.map(
  (it) =>
    `| ${it.from} | ${formatExact(it.used)} | ${formatExact(it.inWindow)} | ${formatExact(it.keptOut)} |`,
)
const isEqual = run.figures.every((figure) => {
  const [first] = run.figures
  return (
    figure.used === first?.used &&
    figure.inWindow === first.inWindow &&
    figure.keptOut === first.keptOut
  )
})
process.stdout.write(
  [
    `Window before the return: ${tokens(before)} tokens. After it: ${tokens(after)}. Saved: ${saved.toFixed(1)} %.`,
    "Told to the agent in the branch:",
    ...run.notices.map((it) => `- ${it}`),
    "",
    "| figures of the branch | used | in the window | kept out |",
    "|---|---|---|---|",
    ...rows,
    "",
    isEqual ? "The figures are equal." : "The figures differ.",
    "",
  ].join("\n"),
)
// The shared browser would keep the process alive.
process.exit(isEqual && run.figures.length === 4 ? 0 : 1)
