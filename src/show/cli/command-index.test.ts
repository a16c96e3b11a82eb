import { writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { foldOperations, memoryOperations, OPERATIONS } from "#ground/contract"
import { tempDirectory } from "#test/temp"
import { BUILT_IN_COMMANDS } from "./command.ts"
import { arrange, checkIndexStale, loadCommands } from "./command-index.ts"
import { deriveCommands } from "./derive-commands.ts"
import { FEATURED, renderHelp } from "./help/help.ts"
import { parseLine } from "./parse.ts"
import { loadPrinters } from "./render/renderers.fixture.ts"
import { createScreen } from "./terminal/screen.ts"

const renderers = await loadPrinters()

const OFFERED = [...Object.values(foldOperations), ...Object.values(memoryOperations)].filter(
  (it) => it.surfaces.includes("cli"),
)
const COMMANDS = deriveCommands(OFFERED)

test("[CLI-24] two forms of a command belong to one operation", () => {
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
])("[CLI-4] `qm %s` calls %s with its input", (line, operation, input) => {
  const { action } = parseLine(line.split(" "), COMMANDS)
  expect(action).toMatchObject({ kind: "run", command: { operation }, input })
})

test.each(["memory add T B", "memory add T --kind fix", "fold show", "memory search"])(
  "[CLI-2] `qm %s` is refused, because an argument is missing",
  (line) => {
    expect(() => parseLine(line.split(" "), COMMANDS)).toThrow(
      expect.objectContaining({ code: "CLI_ARGUMENT_MISSING" }),
    )
  },
)

test("[CLI-24] `qm help --all` lists a command once, without its aliases", () => {
  const screen = createScreen({ isColored: false, columns: undefined })
  const help = renderHelp({ words: [], isAll: true }, COMMANDS, screen)
  for (const { operation } of COMMANDS) {
    const { summary } = COMMANDS.find((it) => it.operation === operation) ?? { summary: "" }
    expect(help.split(`  ${summary}\n`)).toHaveLength(2)
  }
  expect(help).not.toContain("fold tree")
  expect(renderHelp({ words: ["fold"] }, COMMANDS, screen)).toContain("Same as: qm fold tree\n")
  expect(renderHelp({ words: ["fold", "tree"] }, COMMANDS, screen)).toContain("Same as: qm fold\n")
})

test("[CLI-13] every command of folds and memories has a renderer", () => {
  for (const { name } of OFFERED) expect(renderers[name], name).toBeDefined()
})

const DERIVED = deriveCommands(Object.values(OPERATIONS))
const find = (words: string) => DERIVED.find((it) => it.words.join(" ") === words)

test("[CLI-4] a command takes the fields of its operation, and the flags of its descriptor", () => {
  const run = find("run")
  const fields = Object.keys(OPERATIONS["agents.start"].input.shape)
  const typed = [...(run?.arguments ?? []), ...(run?.flags ?? [])]
  expect(typed.map((it) => it.key)).toEqual(expect.arrayContaining([...fields, "detach"]))
  expect(typed).toHaveLength(fields.length + 1)
  expect(typed.find((it) => it.key === "type")).toMatchObject({
    name: "agent",
    values: ["claude-code", "codex", "copilot", "gemini", "opencode", "acp", "synthetic"],
    defaultText: "claude-code",
  })
  expect(find("approve")).toMatchObject({
    given: { decision: "allow" },
    flags: [{ key: "always" }],
  })
  expect(find("deny")).toMatchObject({ given: { decision: "deny" }, flags: [{ key: "note" }] })
  expect(find("credential set")).toMatchObject({ arguments: [{ key: "name" }], flags: [] })
})

test("[CLI-4] help of commands that follow a run lists its exit codes", () => {
  for (const words of ["run", "send"]) {
    const { notes = [] } = find(words) ?? {}
    expect(notes.join(" ")).toMatch(/0 when .+ 1 when .+ 3 when .+ 4 when .+ 130 after Ctrl-C/)
  }
})

const ALL = arrange(DERIVED)
const SHELL_WORD = /"([^"]*)"|(\S+)/g
/** The words of `qm …` in an example, without other shell commands. */
function wordsOf(example: string): readonly string[] {
  const line = /(?:^|\| |<\()qm (.*?)(?:\)| \| | < .*|$)/.exec(example)?.[1] ?? example
  return [...line.matchAll(SHELL_WORD)].map(([, quoted, plain = ""]) => quoted ?? plain)
}

test("[CLI-30] every command has an example, and each example parses to its command", () => {
  for (const command of ALL) {
    const name = command.words.join(" ")
    expect(command.examples.length, name).toBeGreaterThan(0)
    for (const example of command.examples) {
      const line = example.startsWith("claude mcp add") ? "qm mcp" : example
      const { action } = parseLine(wordsOf(line), ALL)
      if (action.kind === "run") expect(action.command.operation, example).toBe(command.operation)
      else expect(action.kind, example).toBe(command.operation)
      expect(example.length, example).toBeLessThanOrEqual(78)
    }
  }
})

test("[CLI-30] every example of the short help parses as written", () => {
  for (const [example] of FEATURED.flatMap((it) => it.rows)) {
    expect(parseLine(wordsOf(example), ALL).action.kind, example).toBe("run")
  }
})

test("[CLI-30] summaries start with a verb and have at most 70 characters", () => {
  for (const { summary, words } of ALL) {
    expect(summary.length, words.join(" ")).toBeLessThanOrEqual(70)
    expect(summary, words.join(" ")).toMatch(/^[A-Z][a-z]+,? \S.*[^.]$/)
  }
})

test("[CLI-30] every argument and flag has a description", () => {
  for (const command of ALL) {
    for (const it of [...command.arguments, ...command.flags]) {
      expect(it.description, `${command.words.join(" ")} ${it.name}`).not.toBe("")
    }
  }
})

test("[CLI-29] commands come from the built index, or from the descriptors if it is missing or invalid", async () => {
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

test("[CLI-24] commands and flags that were renamed still work", () => {
  const commands = deriveCommands(Object.values(OPERATIONS))
  const run = (...argv: string[]) => {
    const { action } = parseLine(argv, commands)
    return action.kind === "run" ? [action.command.operation, action.input] : action.kind
  }
  expect(run("agent")).toEqual(run("recipe"))
  expect(run("agent", "list")).toEqual(run("recipe"))
  for (const verb of ["show", "new", "validate", "trust"]) {
    expect(run("agent", verb, "a")).toEqual([`recipe.${verb}`, { slug: "a" }])
  }
  for (const former of [
    ["runs", "sessions"],
    ["session", "stored"],
  ]) {
    expect(run(...former)).toEqual(run("sessions", "stored"))
  }
  for (const former of [
    ["runs", "read"],
    ["session", "import"],
  ]) {
    expect(run(...former, "s")).toEqual(run("runs", "import-session", "s"))
  }
  expect(run("session")).toEqual(run("sessions", "recent"))
  expect(run("session", "list")).toEqual(run("sessions", "recent"))
  expect(run("session", "show", "s")).toEqual(run("sessions", "ledger", "s"))
  expect(run("session", "register", "s", "r")).toEqual(run("sessions", "register", "s", "r"))
  expect(run("session", "index")).toEqual(run("sessions", "index"))
  const listed = ["pipeline.list", { agent: "a" }]
  expect(run("pipeline", "--recipe", "a")).toEqual(listed)
  expect(run("pipeline", "--agent", "a")).toEqual(listed)
  const screen = createScreen({ isColored: false, columns: undefined })
  const help = renderHelp({ words: ["pipeline"], isAll: false }, commands, screen)
  expect(help).toContain("--recipe")
  expect(help).not.toContain("--agent ")
})
