import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { expect, test } from "vitest"
import { OPERATIONS } from "#ground/contract"
import { arrange } from "./command-index.ts"
import { deriveCommands } from "./derive-commands.ts"
import { parseLine } from "./parse.ts"

const SOURCE = path.join(import.meta.dirname, "../..")
const COMMANDS = arrange(deriveCommands(Object.values(OPERATIONS)))

const FILES = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter(
  (it) => it.endsWith(".ts") && !/\.(test|fixture)\.ts$/.test(it),
)

/** The `qm …` between backticks of a string literal, with comments left out. */
function commandsIn(file: string): readonly string[] {
  const text = readFileSync(path.join(SOURCE, file), "utf8").replace(/\/\*[^]*?\*\/|\/\/ .*$/gm, "")
  const quoted = text.matchAll(/\\?`qm ((?:(?!\\?`)[^\n])+)\\?`/g)
  return [...quoted].map(([, line = ""]) => line)
}

/** Interpolations and placeholders become "1"; of `<a|b>` the first value is used. */
function asTyped(line: string): readonly string[] {
  const typed = line
    .replace(/\$\{sessionFlag[^}]*\}/g, "")
    .replace(/\$\{[^}]*\}/g, "1")
    .replace(/<([a-z]+)\|[^>]*>/g, "$1")
    .replace(/<[^>]*>/g, "1")
  return [...typed.matchAll(/"([^"]*)"|(\S+)/g)].map(([, text, plain = ""]) => text ?? plain)
}

/** A version line, or a command that another function fills in. */
const IS_TEMPLATE = /^\$\{/

const ROOT = path.join(SOURCE, "..")
const DOCUMENTS = ["README.md", "SECURITY.md", "docs/data.md", "docs/guide/first-five-minutes.md"]

/** `qm …` in backticks, and the lines of code blocks that start with it. */
function commandsOf(document: string): readonly string[] {
  const text = readFileSync(path.join(ROOT, document), "utf8")
  const quoted = [...text.matchAll(/`qm ([^`\n]+)`/g)]
  const typed = [...text.matchAll(/^(?:\.\/bin\/)?qm (.+?)(?: {2,}#.*)?$/gm)]
  return [...quoted, ...typed].map(([, line = ""]) => line)
}

const LINES = FILES.flatMap((file) =>
  commandsIn(file).flatMap((line) => (IS_TEMPLATE.test(line) ? [] : [{ file, line }])),
)

/** A command name alone is a reference, not a command line. */
function isName(line: string): boolean {
  return COMMANDS.some((it) => it.words.join(" ") === line)
}

test("[CLI-32] the sources contain more than 100 command lines in backticks", () => {
  expect(LINES.length).toBeGreaterThan(100)
})

test.each(DOCUMENTS)("[CLI-32] every command in %s parses", (document) => {
  const lines = commandsOf(document).filter((it) => !isName(it))
  for (const line of lines) {
    expect(() => parseLine(asTyped(line), COMMANDS), `qm ${line}`).not.toThrow()
  }
})

function problemsOf({ file, line }: (typeof LINES)[number]): readonly string[] {
  try {
    parseLine(asTyped(line), COMMANDS)
    return []
  } catch (error) {
    return [`${file}: qm ${line}: ${error instanceof Error ? error.message : ""}`]
  }
}

test("[CLI-32] every command named in a hint, a help text or a result parses", () => {
  expect(LINES.filter((it) => !isName(it.line)).flatMap(problemsOf)).toEqual([])
})

/** Instructions in which the agent replaces each placeholder by what it did. */
const TEMPLATES_FOR_AGENTS = new Set([
  "act/kit/texts/boot.ts",
  "choose/guard/rules/boot/boot.ts",
  "choose/guard/rules/drift.ts",
])

test("[CLI-32] no hint has a placeholder: each can be executed as written", () => {
  const withPlaceholder = LINES.filter(
    ({ file, line }) => /<[a-z0-9][^>]*>/.test(line) && !TEMPLATES_FOR_AGENTS.has(file),
  )
  expect(withPlaceholder).toEqual([])
})

/** Messages that begin with the name of their command. */
const NAMED_IN_MESSAGES = new Set(["run"])

test("[CLI-32] a command in the hint of an error has its required arguments", () => {
  const lines = LINES.filter(({ file }) => path.basename(file) === "errors.ts")
  const typed = lines.filter(({ line }) => !NAMED_IN_MESSAGES.has(line))
  expect(typed.flatMap(problemsOf)).toEqual([])
})
