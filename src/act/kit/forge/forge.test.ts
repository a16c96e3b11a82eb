import { chmod, mkdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { silentLog } from "#ground/base"
import { OPERATIONS } from "#ground/contract"
import { snapshot } from "#test/kit-fixture"
import { tempDirectory } from "#test/temp"
import { readTemplates } from "../templates.ts"
import { checkDefinition, readDefinition } from "./check-definition.ts"
import { forgeHandlers } from "./forge.ts"

const CHECKS = {
  isCommand: ([first, second]: readonly string[]) => first === "audit" && second !== "magic",
  hasSecret: (text: string) => text.includes("sk-secret"),
}
const context = { signal: new AbortController().signal }
const GOOD = {
  kind: "agent",
  name: "tax-reviewer",
  description: "Reviews src/tax/** with audit debt. Use before a merge.",
  body: "Run `qm audit debt src/tax` first.",
} as const

async function workshop() {
  const temp = await tempDirectory()
  const root = path.join(temp.path, "project")
  await mkdir(root)
  await writeFile(path.join(root, "body.md"), GOOD.body)
  const handlers = forgeHandlers({
    root: () => root,
    hosts: async () => ["claude-code", "codex", "antigravity", "copilot"],
    place: (it) => it,
    checks: async () => CHECKS,
    templates: async () => readTemplates(path.join(import.meta.dirname, "../../../../templates")),
    countTokens: (text) => text.length,
    log: silentLog,
  })
  const { name, description } = GOOD
  const input = { name, description, from: "body.md", replace: false }
  return Object.assign(temp, { root, handlers, input })
}

test("[KIT-24] a good definition has no problem, and each problem is named with what to do", () => {
  expect(checkDefinition(GOOD, CHECKS)).toEqual([])
  const problems = (changes: object) => checkDefinition({ ...GOOD, ...changes }, CHECKS)
  expect(problems({ name: "Tax Reviewer" })).toEqual([
    'the name "Tax Reviewer" may contain only lower-case letters, digits and dashes',
  ])
  expect(problems({ description: "" })).toEqual([
    "it has no description, so an agent never starts it",
  ])
  expect(problems({ description: "Reviews everything in general." })).toEqual([
    "its description does not say when to use it",
    "its description names no file, folder or operation that it owns",
  ])
  expect(problems({ body: "x\n".repeat(61) })).toEqual(["it has 61 lines; the limit is 60"])
  expect(problems({ body: " " })).toEqual(["it has no instructions"])
  expect(problems({ body: "Run `qm audit magic now`." })).toEqual([
    "`qm audit magic` is not a command",
  ])
  expect(problems({ tools: "Read, rm -rf" })).toEqual(['"rm -rf" is not a tool name'])
  expect(problems({ body: "use sk-secret" })).toEqual(["it contains what looks like a secret"])
})

test("[KIT-24] forge writes an agent, a command and a skill in the form of each host, once", async () => {
  await using it = await workshop()
  const { handlers, input, root } = it
  const agent = await handlers.agent({ ...input, tools: "Read" }, context)
  expect(agent.files).toEqual([
    ".claude/agents/tax-reviewer.md",
    ".codex/agents/tax-reviewer.toml",
    ".agents/skills/tax-reviewer/SKILL.md",
    ".github/agents/tax-reviewer.agent.md",
  ])
  expect(await readFile(path.join(root, ".codex/agents/tax-reviewer.toml"), "utf8")).toContain(
    'name = "tax-reviewer"',
  )
  const named = { ...input, name: "tax" }
  expect((await handlers.command(named, context)).files).toEqual([
    ".claude/commands/tax.md",
    ".agents/skills/tax/SKILL.md",
    ".github/skills/tax/SKILL.md",
  ])
  await expect(handlers.skill(named, context)).rejects.toMatchObject({
    code: "KIT_DEFINITION_EXISTS",
  })
  const checked = await handlers.check({ paths: [] }, context)
  expect(checked.isGood).toBe(true)
  expect(checked.files.map((one) => one.path)).toHaveLength(7)
  expect(OPERATIONS["forge.check"].output.parse(checked)).toEqual(checked)
  await handlers.command({ ...named, replace: true }, context)
})

test("[KIT-24] an invalid definition, a missing file and an unwritable folder write nothing", async () => {
  await using it = await workshop()
  const { handlers, input, root } = it
  await mkdir(path.join(root, ".github"))
  await writeFile(path.join(root, ".github/agents"), "a file in place of a folder")
  const before = await snapshot(root)
  const fails = (more: object) => handlers.agent({ ...input, ...more }, context)
  await expect(fails({ description: "Short." })).rejects.toMatchObject({
    code: "KIT_DEFINITION_INVALID",
  })
  await expect(fails({ from: "none.md" })).rejects.toMatchObject({
    code: "KIT_DEFINITION_UNREADABLE",
  })
  await expect(fails({})).rejects.toMatchObject({ code: "KIT_FILE_NOT_REGULAR" })
  expect(await snapshot(root)).toEqual(before)
  if (process.getuid?.() === 0) return
  await chmod(root, 0o500)
  await expect(fails({ host: ["claude-code"] })).rejects.toMatchObject({
    code: "FILE_NOT_WRITABLE",
  })
  await chmod(root, 0o700)
  expect(await snapshot(root)).toEqual(before)
})

test("[KIT-24] broken frontmatter and another name than the file's are problems", async () => {
  const read = (text: string) => readDefinition("agent", { name: "one", text })
  expect((await read("no head")).problems).toEqual([
    "it has no valid frontmatter between two `---` lines",
  ])
  expect((await read("---\nname: [\n---\n\nBody\n")).problems).toEqual([
    "it has no valid frontmatter between two `---` lines",
  ])
  expect((await read("---\nname: two\ndescription: d\ntools: 3\n---\nBody")).problems).toEqual([
    "its name is two, but its file is called one",
    "its tools are not a list",
  ])
  const toml = "name = \"one\"\ndescription = \"does\"\ndeveloper_instructions = '''\nText\n'''\n"
  expect(await read(toml)).toMatchObject({ name: "one", description: "does", body: "\nText\n" })
})

test("[KIT-24] a SKILL.md outside the hosts' folders is named after its folder, which can be passed too", async () => {
  await using it = await workshop()
  const text = "---\nname: one\ndescription: Checks the tax. Use before a merge.\n---\n\nBody\n"
  await mkdir(path.join(it.root, "plugin/one"), { recursive: true })
  await writeFile(path.join(it.root, "plugin/one/SKILL.md"), text)
  for (const given of ["plugin/one", "plugin/one/SKILL.md"]) {
    const { files } = await it.handlers.check({ paths: [given] }, context)
    expect(files).toMatchObject([{ path: "plugin/one/SKILL.md", name: "one", problems: [] }])
  }
  await mkdir(path.join(it.root, "folder.md"))
  await expect(it.handlers.check({ paths: ["folder.md"] }, context)).rejects.toMatchObject({
    message: "folder.md cannot be read: it is a directory.",
  })
})

test("[KIT-26] diagrams of a text and of files are checked with the line in the file", async () => {
  await using temp = await workshop()
  const page = "# Page\n\n```mermaid\ngraph TD\n  A[x (y)] --> B\n```\n"
  await writeFile(path.join(temp.root, "page.md"), page)
  const { handlers } = temp
  expect(
    await handlers.diagrams({ text: "graph TD\n  A --> B", paths: [] }, context),
  ).toMatchObject({
    isGood: true,
    diagrams: [{ file: null, type: "graph", problems: [] }],
  })
  expect(await handlers.diagrams({ paths: ["page.md"] }, context)).toMatchObject({
    isGood: false,
    diagrams: [{ file: "page.md", line: 4, problems: [{ line: 5 }] }],
  })
  await expect(handlers.diagrams({ paths: ["none.md"] }, context)).rejects.toMatchObject({
    code: "KIT_DEFINITION_UNREADABLE",
  })
})

test("[KIT-27] a definition is shown by its name: of the project first, then of the kit", async () => {
  await using temp = await workshop()
  const { handlers, input } = temp
  expect(await handlers.show({ name: "code-research" }, context)).toMatchObject({
    kind: "skill",
    path: null,
    pack: "daily",
    problems: [],
  })
  await handlers.skill({ ...input, name: "code-research", host: ["claude-code"] }, context)
  expect(await handlers.show({ name: "code-research" }, context)).toMatchObject({
    path: ".claude/skills/code-research/SKILL.md",
    text: expect.stringContaining("qm audit debt"),
  })
  await expect(handlers.show({ name: "nothing" }, context)).rejects.toMatchObject({
    code: "KIT_DEFINITION_UNKNOWN",
  })
})
