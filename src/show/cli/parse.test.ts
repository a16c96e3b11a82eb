import { describe, expect, test } from "vitest"
import { BUILT_IN_COMMANDS, type Command, type Flag, GLOBAL_FLAGS } from "./command.ts"
import { spellFields } from "./errors.ts"
import { complete } from "./help/completion.ts"
import { renderHelp } from "./help/help.ts"
import { parseLine, wantsJson } from "./parse.ts"
import { createScreen } from "./terminal/screen.ts"

function flag(name: string, more: Partial<Flag> = {}): Flag {
  return {
    name,
    key: name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    type: "text",
    values: [],
    isList: false,
    isRequired: false,
    defaultText: "",
    description: `The ${name}`,
    ...more,
  }
}

const COMMANDS: readonly Command[] = [
  {
    words: ["tokens"],
    operation: "tokens.count",
    summary: "Count tokens",
    group: "Context",
    examples: ["qm tokens a.md"],
    arguments: [flag("paths", { isList: true, isRequired: true })],
    flags: [
      flag("budget", { type: "number", defaultText: "24000" }),
      flag("encoding", { values: ["claude", "o200k"] }),
      flag("by-kind", { type: "boolean" }),
      flag("only", { isList: true }),
    ],
  },
  {
    words: ["config", "show"],
    operation: "config.show",
    summary: "Show settings",
    group: "Setup",
    examples: [],
    arguments: [flag("key")],
    flags: [flag("sources", { type: "boolean" })],
  },
  {
    words: ["config", "check"],
    operation: "config.check",
    summary: "Check settings",
    group: "Setup",
    examples: [],
    arguments: [],
    flags: [],
  },
  {
    words: ["config", "set"],
    operation: "config.set",
    summary: "Write a setting",
    group: "Setup",
    examples: [],
    arguments: [flag("key", { isRequired: true }), flag("value", { isRequired: true })],
    flags: [],
  },
  ...BUILT_IN_COMMANDS,
]

const parse = (...argv: string[]) => parseLine(argv, COMMANDS)
const inputOf = (...argv: string[]) => {
  const { action } = parse(...argv)
  return action.kind === "run" ? { operation: action.command.operation, ...action.input } : action
}

describe("parseLine", () => {
  test.each([
    [["tokens", "a.md"], { operation: "tokens.count", paths: ["a.md"] }],
    [
      ["tokens", "a", "--budget", "5", "b"],
      { operation: "tokens.count", budget: 5, paths: ["a", "b"] },
    ],
    [["tokens", "--by-kind", "a"], { operation: "tokens.count", byKind: true, paths: ["a"] }],
    [["tokens", "--no-by-kind", "a"], { operation: "tokens.count", byKind: false, paths: ["a"] }],
    [
      ["tokens", "--by-kind=false", "a"],
      { operation: "tokens.count", byKind: false, paths: ["a"] },
    ],
    [
      ["tokens", "--only=x", "--only", "y", "a"],
      { operation: "tokens.count", only: ["x", "y"], paths: ["a"] },
    ],
    [["tokens", "--", "--budget", "-x"], { operation: "tokens.count", paths: ["--budget", "-x"] }],
    [["tokens", "-"], { operation: "tokens.count", paths: ["-"] }],
    [["tokens", "--budget", "-5", "a"], { operation: "tokens.count", budget: -5, paths: ["a"] }],
    [["--json", "config", "show", "log.level"], { operation: "config.show", key: "log.level" }],
    [["config", "show"], { operation: "config.show" }],
    [["-C", "config", "config", "show"], { operation: "config.show" }],
    [["config", "set", "a.b", "--", "-1"], { operation: "config.set", key: "a.b", value: "-1" }],
    [["config"], { kind: "help", words: ["config"], isAll: false }],
    [["config", "show", "-h"], { kind: "help", words: ["config", "show"], isAll: false }],
    [["help", "config", "show"], { kind: "help", words: ["config", "show"], isAll: false }],
    [["help", "setup"], { kind: "help", words: ["setup"], isAll: false }],
    [["help", "--all"], { kind: "help", words: [], isAll: true }],
    [[], { kind: "start" }],
    [["--version"], { kind: "version" }],
    [["version"], { kind: "version" }],
    [["version", "--help"], { kind: "help", words: ["version"], isAll: false }],
    [["config", "set", "a.b", "-5"], { operation: "config.set", key: "a.b", value: "-5" }],
  ])("[CLI-1] %j parses to its command and input", (argv, expected) =>
    expect(inputOf(...argv)).toEqual(expected),
  )

  test("[CLI-1] global flags may be anywhere", () => {
    expect(parse("--set", "a.b=1", "config", "--set=c.d=2", "check", "-v", "--json")).toMatchObject(
      {
        json: true,
        verbose: true,
        settings: ["a.b=1", "c.d=2"],
        directory: undefined,
        color: "auto",
      },
    )
  })

  test.each([
    [["tokns", "a"], "CLI_UNKNOWN_COMMAND", "Did you mean `qm tokens`?"],
    [["config", "shw"], "CLI_UNKNOWN_COMMAND", "Did you mean `qm config show`?"],
    [["tok"], "CLI_UNKNOWN_COMMAND", "Did you mean `qm tokens` or `qm token`?"],
    [["conf"], "CLI_UNKNOWN_COMMAND", "Did you mean `qm config`?"],
    [["zzzzzz"], "CLI_UNKNOWN_COMMAND", "List all commands with `qm help --all`."],
    [["gateway", "rn", "x"], "CLI_UNKNOWN_COMMAND", "Did you mean `qm gateway run`?"],
    [["tokens", "--bugdet", "5"], "CLI_UNKNOWN_FLAG", "Did you mean --budget?"],
    [["tokens", "-q"], "CLI_UNKNOWN_FLAG", "List its flags with `qm tokens --help`."],
    [["tokens", "a", "--budget"], "CLI_FLAG_NEEDS_VALUE", "Write --budget <number>."],
    [["tokens", "a", "--budget", "many"], "CLI_FLAG_VALUE_WRONG", "Allowed: a number."],
    [["tokens", "--by-kind=maybe"], "CLI_FLAG_VALUE_WRONG", "Allowed: true or false."],
    [["tokens", "--encoding", "x"], "CLI_FLAG_VALUE_WRONG", "Allowed: claude, o200k."],
    [["tokens"], "CLI_ARGUMENT_MISSING", "See `qm tokens --help` for usage and examples."],
    [
      ["config", "check", "x"],
      "CLI_ARGUMENT_UNEXPECTED",
      "Put a text of several words in quotes. `qm config check --help` has examples.",
    ],
    [
      ["config", "show", "a", "b"],
      "CLI_ARGUMENT_UNEXPECTED",
      "Put a text of several words in quotes. `qm config show --help` has examples.",
    ],
    [
      ["config", "set", "a.b"],
      "CLI_ARGUMENT_MISSING",
      "See `qm config set --help` for usage and examples.",
    ],
    [["completion", "tcsh"], "CLI_FLAG_VALUE_WRONG", "Allowed: bash, zsh, fish."],
  ])("[CLI-2] %j is refused with a code and advice", (argv, code, hint) => {
    expect(() => parse(...argv)).toThrow(expect.objectContaining({ code, hint }))
  })

  test("[CLI-2] a problem names the flag as it is typed", () => {
    const problems = "budgetUsd must be more than 0, got -1; paths.0 must not be empty; limit is 0"
    expect(spellFields(problems)).toBe(
      "--budget-usd must be more than 0, got -1; paths, item 1, must not be empty; limit is 0",
    )
    const command = {
      arguments: [flag("paths")],
      flags: [flag("limit")],
    }
    expect(spellFields("paths.0 must not be empty; limit is 0", command)).toBe(
      "<paths>, item 1, must not be empty; --limit is 0",
    )
  })

  test("[CLI-2] an argument is named as the usage line shows it", () => {
    expect(() => parse("completion", "tcsh")).toThrow('Invalid value "tcsh" for <shell>.')
  })

  test("[CLI-2] a missing required flag is named", () => {
    const commands = [{ ...COMMANDS[2], flags: [flag("file", { isRequired: true })] } as Command]
    expect(() => parseLine(["config", "check"], commands)).toThrow(
      expect.objectContaining({
        code: "CLI_ARGUMENT_MISSING",
        message: "`qm config check` needs --file.",
      }),
    )
  })

  test("[CLI-3] --json counts before `--`, not after it", () => {
    expect([wantsJson(["x", "--json"]), wantsJson(["x", "--", "--json"])]).toEqual([true, false])
  })
})

describe("renderHelp", () => {
  const terminal = createScreen({ isColored: false, columns: 80 })
  test("[CLI-4] one command has usage, arguments, flags with defaults, and examples", () => {
    expect(renderHelp({ words: ["tokens"] }, COMMANDS, terminal)).toMatchInlineSnapshot(`
      "Usage  qm tokens <paths…> [flags]

      Count tokens

      Arguments
        <paths…>  The paths (required; repeatable)

      Flags
        --budget <number>          The budget (default: 24000)
        --encoding <claude|o200k>  The encoding
        --by-kind                  The by-kind
        --only <text>              The only (repeatable)

      Examples
        qm tokens a.md

      Flags of every command: qm help --all
      "
    `)
  })

  test("[CLI-4] the short help has at most 40 lines and fits 80 columns", () => {
    const lines = renderHelp({ words: [] }, COMMANDS, terminal).split("\n")
    expect(lines.length).toBeLessThanOrEqual(40)
    expect(Math.max(...lines.map((it) => it.length))).toBeLessThanOrEqual(80)
  })

  test("[CLI-4] `qm help --all` lists every command and every global flag", () => {
    const text = renderHelp({ words: [], isAll: true }, COMMANDS, terminal)
    for (const it of COMMANDS) expect(text).toContain(`\n  ${it.words.join(" ")}  `)
    for (const it of GLOBAL_FLAGS) expect(text).toContain(`\n  --${it.name}`)
  })

  test("[CLI-4] `qm help <topic>` lists the commands of the topic", () => {
    const text = renderHelp({ words: ["context"] }, COMMANDS, terminal)
    expect(text).toContain("tokens  Count tokens")
    expect(text).not.toContain("config")
  })
})

test.each([
  [["to"], ["tokens", "token", "tour"]],
  [
    ["config", ""],
    ["show", "check", "set"],
  ],
  [["config", "show", "--so"], ["--sources"]],
  [
    ["tokens", "--encoding", ""],
    ["claude", "o200k"],
  ],
  [["completion", "z"], ["zsh"]],
  [["--j"], ["--json"]],
  [["nothing", "x"], []],
])("[CLI-5] %j completes to %j", (words, candidates) => {
  expect(complete(words, COMMANDS).candidates.map((it) => it.text)).toEqual(candidates)
})
