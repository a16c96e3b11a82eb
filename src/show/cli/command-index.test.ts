import { expect, test } from "vitest"
import { type Operation, SIGNATURES } from "#ground/contract"
import { inputFields } from "#show/app"
import { buildCommandIndex } from "./command-index.ts"
import { renderHelp } from "./help.ts"
import { createPaint } from "./paint.ts"
import { parseLine } from "./parse.ts"
import { PRESENTATION } from "./presentation.ts"
import { renderers } from "./render/renderers.ts"

type Name = keyof typeof SIGNATURES

/** What rooms offer on the command line, without the rooms: here only shapes count. */
const NAMES = [
  "fold.list",
  "fold.restore",
  "fold.search",
  "fold.show",
  "fold.tree",
  "memory.confirm",
  "memory.feedback",
  "memory.forget",
  "memory.list",
  "memory.record",
  "memory.search",
  "memory.show",
] as const satisfies readonly Name[]

function offered(name: Name): Operation {
  const { input, output }: Pick<Operation, "input" | "output"> = SIGNATURES[name]
  const run = () => Promise.reject(new Error("not run here"))
  return {
    name,
    summary: `Summary of ${name}`,
    effect: "read",
    surfaces: ["cli"],
    input,
    output,
    run,
  }
}

const COMMANDS = buildCommandIndex(NAMES.map(offered), inputFields)

test("[CLI-24] two ways to say it are two commands of one operation", () => {
  const typed = COMMANDS.map((it) => `${it.words.join(" ")}: ${it.operation}`)
  expect(typed).toEqual([
    "fold: fold.tree",
    "fold list: fold.list",
    "fold restore: fold.restore",
    "fold search: fold.search",
    "fold show: fold.show",
    "fold tree: fold.tree",
    "memory: memory.list",
    "memory add: memory.record",
    "memory confirm: memory.confirm",
    "memory feedback: memory.feedback",
    "memory forget: memory.forget",
    "memory list: memory.list",
    "memory search: memory.search",
    "memory show: memory.show",
  ])
})

test.each([
  ["fold --all", "fold.tree", { all: true }],
  ["fold tree --session s", "fold.tree", { session: "s" }],
  ["fold restore br_1 --budget 900", "fold.restore", { id: "br_1", budget: 900 }],
  ["fold search cents", "fold.search", { words: "cents" }],
  ["memory --kind rule", "memory.list", { kind: "rule" }],
  [
    "memory add T B --kind fix --cites a.ts --cites b.ts#c",
    "memory.record",
    { title: "T", body: "B", kind: "fix", cites: ["a.ts", "b.ts#c"] },
  ],
  [
    "memory feedback mem_1 --verdict helpful",
    "memory.feedback",
    { id: "mem_1", verdict: "helpful" },
  ],
  ["memory forget mem_1", "memory.forget", { id: "mem_1" }],
])("[CLI-4] `qm %s` is %s with its input", (line, operation, input) => {
  const { action } = parseLine(line.split(" "), COMMANDS)
  expect(action).toMatchObject({ kind: "run", command: { operation }, input })
})

test.each(["memory add T B", "memory add T --kind fix", "fold show", "memory search"])(
  "[CLI-2] `qm %s` says what is missing",
  (line) => {
    expect(() => parseLine(line.split(" "), COMMANDS)).toThrow(
      expect.objectContaining({ code: "CLI_ARGUMENT_MISSING" }),
    )
  },
)

test("[CLI-4] folds are among what is chosen, memories among what is known", () => {
  const help = renderHelp([], COMMANDS, createPaint({ isColored: false }))
  expect(help).toMatch(/\nKnow\n {2}memory [^]+\nChoose\n {2}fold /)
  for (const name of NAMES) expect(help).toContain(`Summary of ${name}`)
})

test("[CLI-13] every command of folds and memories has a text of its own", () => {
  for (const name of NAMES) {
    expect(renderers[name], name).toBeDefined()
    expect(PRESENTATION[name], name).toBeDefined()
  }
})
