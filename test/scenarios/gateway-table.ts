import { formatExact } from "#ground/base"
import { claudeStory, gatewayUser, type WireRoute } from "#test/gateway-story"
import type { ModelTurn, StrictRequest } from "#test/strict-anthropic"
import { type BranchFigures, branchFigures } from "./branch-figures.ts"
import { close, GO, open, read, type SceneFolder } from "./gateway-scenes.ts"

const READS_BEFORE = 2
const READS_INSIDE = 25
const SEARCHES_INSIDE = 3
const READS_AFTER = 9
const LARGE_FILE_BYTES = 43_000
const SMALL_FILE_BYTES = 480

/** The index (from 0) of the request that contains the answer of `return`. */
export const AFTER_RETURN = READS_BEFORE + 1 + READS_INSIDE + SEARCHES_INSIDE + 1

export type RequestMeasure = {
  readonly bytes: number
  readonly tokens: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

export type MainRun = {
  readonly requests: readonly RequestMeasure[]
  readonly problems: readonly string[]
  readonly code: number | null
  readonly figures: readonly BranchFigures[]
  /** Notices about the budget in the last request before the return. */
  readonly notices: readonly string[]
}

/** `as installed`: default settings and the hooks of level 4. */
export type MainRunSetup = "without limits" | "as installed"

/**
 * The branch-heavy run of the table: two reads, a branch with 25 reads of 43 kB and three searches,
 * then nine reads and the answer.
 */
export async function mainRun(
  way: WireRoute,
  setup: MainRunSetup = "without limits",
): Promise<MainRun> {
  const options = setup === "as installed" ? { folding: {}, hookLevel: 4 } : {}
  await using user = await gatewayUser(mainFiles(), options)
  const stories = [{ hears: GO, says: mainStory({ folder: user.project, tag: "main" }) }]
  const played = await claudeStory(user, { stories, enforce: true }, [
    () => ({ way, prompts: [GO] }),
  ])
  const isAsInstalled = setup === "as installed" && way === "fold"
  return {
    figures: isAsInstalled ? await branchFigures(user) : [],
    notices: noticesIn(played.requests[AFTER_RETURN - 1]),
    requests: played.requests.map(measure),
    problems: played.requests.flatMap((it) => [...it.violations, ...it.mismatches]),
    code: played.ended[0]?.code ?? null,
  }
}

function noticesIn(request: StrictRequest | undefined): readonly string[] {
  const text = JSON.stringify(request?.body ?? "")
  return [...text.matchAll(/Branch br_\w+ has used [^.]+|The budget is used up: [^.]+/g)].map(
    (it) => it[0].replaceAll(/br_\w+/g, "br_…"),
  )
}

function measure({ bytes, usage }: StrictRequest): RequestMeasure {
  const { cacheRead, cacheWrite } = usage
  return { bytes, tokens: usage.input + cacheRead + cacheWrite, cacheRead, cacheWrite }
}

function mainStory(at: SceneFolder): readonly ModelTurn[] {
  const reads = (name: string, count: number): readonly ModelTurn[] =>
    Array.from({ length: count }, (_, index) => [read(at, `${name}-${index}.ts`)])
  const searches = Array.from({ length: SEARCHES_INSIDE }, (_, index) => [
    {
      use: "Grep",
      input: { pattern: `step ${index + 1}7"`, path: at.folder, output_mode: "content" },
    },
  ])
  return [
    ...reads("small", READS_BEFORE),
    [open("A")],
    ...reads("large", READS_INSIDE),
    ...searches,
    [close(at, "A")],
    ...reads("small", READS_AFTER),
    "Done.",
  ]
}

function mainFiles(): Readonly<Record<string, string>> {
  const file = (name: string, index: number, bytes: number) =>
    [`${name}-${index}.ts`, code(index, bytes)] as const
  return Object.fromEntries([
    ...Array.from({ length: READS_INSIDE }, (_, it) => file("large", it, LARGE_FILE_BYTES)),
    ...Array.from({ length: READS_AFTER }, (_, it) => file("small", it, SMALL_FILE_BYTES)),
  ])
}

/** Looks like code, is the same every time, and differs between files. */
function code(index: number, bytes: number): string {
  let text = ""
  for (let line = 0; text.length < bytes; line++) {
    text += `export const value_${index}${line} = compute(${line * 7 + index}, "step ${line}")\n`
  }
  return text
}

const ROWS: readonly (readonly [index: number, name: string])[] = [
  [0, "first"],
  [5, "in the branch"],
  [15, "in the branch"],
  [AFTER_RETURN - 1, "before the return"],
  [AFTER_RETURN, "after the return"],
  [AFTER_RETURN + 1, ""],
  [AFTER_RETURN + 4, ""],
  [AFTER_RETURN + READS_AFTER, "last"],
]

/** The table of docs/reference/folding.md, as measured. */
export function tableOf(off: MainRun, folded: MainRun): string {
  const lines = [
    "| request | bytes off | tokens off | bytes folded | tokens folded | cache read / written, off | cache read / written, folded | saved |",
    "|---|---|---|---|---|---|---|---|",
  ]
  for (const [index, name] of ROWS) {
    const [a, b] = [off.requests[index], folded.requests[index]]
    if (a !== undefined && b !== undefined) lines.push(row(`${index} ${name}`.trim(), a, b))
  }
  const after = (run: MainRun): readonly RequestMeasure[] => run.requests.slice(AFTER_RETURN)
  const sums = `sum after the return (${after(off).length})`
  lines.push(row(sums, total(after(off)), total(after(folded))))
  const whole = `sum of the run (${off.requests.length})`
  lines.push(row(whole, total(off.requests), total(folded.requests)))
  return `${lines.join("\n")}\n`
}

function row(name: string, off: RequestMeasure, folded: RequestMeasure): string {
  const cache = (it: RequestMeasure): string =>
    `${formatExact(it.cacheRead)} / ${formatExact(it.cacheWrite)}`
  const cells = [
    name,
    formatExact(off.bytes),
    formatExact(off.tokens),
    formatExact(folded.bytes),
    formatExact(folded.tokens),
    cache(off),
    cache(folded),
    `${((1 - folded.tokens / off.tokens) * 100).toFixed(1)} %`,
  ]
  return `| ${cells.join(" | ")} |`
}

function total(requests: readonly RequestMeasure[]): RequestMeasure {
  const sum = (of: (it: RequestMeasure) => number): number =>
    requests.reduce((whole, it) => whole + of(it), 0)
  return {
    bytes: sum((it) => it.bytes),
    tokens: sum((it) => it.tokens),
    cacheRead: sum((it) => it.cacheRead),
    cacheWrite: sum((it) => it.cacheWrite),
  }
}
