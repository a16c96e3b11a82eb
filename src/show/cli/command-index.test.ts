import { writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { foldOperations, memoryOperations, OPERATIONS } from "#ground/contract"
import { tempDirectory } from "#test/temp"
import { BUILT_IN_COMMANDS } from "./command.ts"
import { checkIndexStale, loadCommands } from "./command-index.ts"
import { deriveCommands } from "./derive-commands.ts"
import { renderHelp } from "./help.ts"
import { parseLine } from "./parse.ts"
import { loadPrinters } from "./render/renderers.fixture.ts"
import { createPaint } from "./screen.ts"

const renderers = await loadPrinters()

const OFFERED = [...Object.values(foldOperations), ...Object.values(memoryOperations)].filter(
  (it) => it.surfaces.includes("cli"),
)
const COMMANDS = deriveCommands(OFFERED)

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
  for (const { summary } of OFFERED) expect(help).toContain(summary)
})

test("[CLI-13] every command of folds and memories has a text of its own", () => {
  for (const { name } of OFFERED) expect(renderers[name], name).toBeDefined()
})

const DERIVED = deriveCommands(Object.values(OPERATIONS))
const find = (words: string) => DERIVED.find((it) => it.words.join(" ") === words)

test("[CLI-4] a command takes the fields of its operation, and what its descriptor adds", () => {
  const run = find("run")
  const fields = Object.keys(OPERATIONS["agents.start"].input.shape)
  const typed = [...(run?.arguments ?? []), ...(run?.flags ?? [])]
  expect(typed.map((it) => it.key)).toEqual(expect.arrayContaining([...fields, "detach"]))
  expect(typed).toHaveLength(fields.length + 1)
  expect(typed.find((it) => it.key === "type")).toMatchObject({
    name: "agent",
    values: ["claude-code", "codex", "copilot", "synthetic"],
    defaultText: "claude-code",
  })
  expect(find("approve")).toMatchObject({
    given: { decision: "allow" },
    flags: [{ key: "always" }],
  })
  expect(find("deny")).toMatchObject({ given: { decision: "deny" }, flags: [{ key: "note" }] })
  expect(find("credential set")).toMatchObject({ arguments: [{ key: "name" }], flags: [] })
})

test("[CLI-4] the exit codes of a run are in the help of what follows one", () => {
  for (const words of ["run", "send"]) {
    const { notes = [] } = find(words) ?? {}
    expect(notes.join(" ")).toMatch(/0 when .+ 1 when .+ 3 when .+ 4 when .+ 130 after Ctrl-C/)
    for (const note of notes) expect(note.length).toBeLessThanOrEqual(100)
  }
})

test("[CLI-29] commands come from the built index, and without one from the descriptors", async () => {
  await using folder = await tempDirectory()
  const index = path.join(folder.path, "commands.json")
  const words = (commands: readonly { readonly words: readonly string[] }[]) =>
    commands.map((it) => it.words.join(" ")).toSorted()
  const all = words([...DERIVED, ...BUILT_IN_COMMANDS])
  expect(await checkIndexStale(index)).toBe(true)
  expect(words(await loadCommands(index))).toEqual(all)
  await writeFile(index, JSON.stringify(DERIVED.slice(0, 2)))
  expect(await checkIndexStale(index)).toBe(false)
  expect(words(await loadCommands(index))).toEqual(
    words([...DERIVED.slice(0, 2), ...BUILT_IN_COMMANDS]),
  )
  await writeFile(index, "not an index")
  expect(words(await loadCommands(index))).toEqual(all)
})
