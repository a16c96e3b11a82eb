import { describe, expect, test } from "vitest"
import { BUILT_IN_COMMANDS, type Command, type Flag } from "./command.ts"
import { complete } from "./completion.ts"
import { renderHelp } from "./help.ts"
import { parseLine, wantsJson } from "./parse.ts"
import { createPaint } from "./screen.ts"

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
    group: "See",
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
    group: "Set up",
    arguments: [flag("key")],
    flags: [flag("sources", { type: "boolean" })],
  },
  {
    words: ["config", "check"],
    operation: "config.check",
    summary: "Check settings",
    group: "Set up",
    arguments: [],
    flags: [],
  },
  {
    words: ["config", "set"],
    operation: "config.set",
    summary: "Write a setting",
    group: "Set up",
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

describe("what a line means", () => {
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
    [["config"], { kind: "help", words: ["config"] }],
    [["config", "show", "-h"], { kind: "help", words: ["config", "show"] }],
    [[], { kind: "help", words: [] }],
    [["--version"], { kind: "version" }],
  ])("[CLI-1] %j is understood", (argv, expected) => expect(inputOf(...argv)).toEqual(expected))

  test("[CLI-1] choices that hold for every command may stand anywhere", () => {
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
    [["zzzzzz"], "CLI_UNKNOWN_COMMAND", "Run `qm --help` for the list."],
    [["tokens", "--bugdet", "5"], "CLI_UNKNOWN_FLAG", "Did you mean --budget?"],
    [["tokens", "-q"], "CLI_UNKNOWN_FLAG", "Run `qm tokens --help` for its flags."],
    [["tokens", "a", "--budget"], "CLI_FLAG_NEEDS_VALUE", "Write --budget <number>."],
    [["tokens", "a", "--budget", "many"], "CLI_FLAG_VALUE_WRONG", "It takes a number."],
    [["tokens", "--by-kind=maybe"], "CLI_FLAG_VALUE_WRONG", "It takes true or false."],
    [["tokens", "--encoding", "x"], "CLI_FLAG_VALUE_WRONG", "It takes claude, o200k."],
    [["tokens"], "CLI_ARGUMENT_MISSING", "Run `qm tokens --help` for an explanation."],
    [
      ["config", "check", "x"],
      "CLI_ARGUMENT_UNEXPECTED",
      "Run `qm config check --help` for what it takes.",
    ],
    [
      ["config", "show", "a", "b"],
      "CLI_ARGUMENT_UNEXPECTED",
      "Run `qm config show --help` for what it takes.",
    ],
    [
      ["config", "set", "a.b"],
      "CLI_ARGUMENT_MISSING",
      "Run `qm config set --help` for an explanation.",
    ],
    [["completion", "tcsh"], "CLI_FLAG_VALUE_WRONG", "It takes bash, zsh, fish."],
  ])("[CLI-2] %j is refused with a code and advice", (argv, code, hint) => {
    expect(() => parse(...argv)).toThrow(expect.objectContaining({ code, hint }))
  })

  test("[CLI-2] a required flag that is absent is named", () => {
    const commands = [{ ...COMMANDS[2], flags: [flag("file", { isRequired: true })] } as Command]
    expect(() => parseLine(["config", "check"], commands)).toThrow(
      expect.objectContaining({
        code: "CLI_ARGUMENT_MISSING",
        message: "`qm config check` needs --file.",
      }),
    )
  })

  test("[CLI-3] JSON is asked for before `--`, not after", () => {
    expect([wantsJson(["x", "--json"]), wantsJson(["x", "--", "--json"])]).toEqual([true, false])
  })
})

describe("help", () => {
  const plain = createPaint({ isColored: false })
  test("[CLI-4] one command is explained with what it takes", () => {
    expect(renderHelp(["tokens"], COMMANDS, plain)).toMatchInlineSnapshot(`
      "Usage  qm tokens <paths…> [flags]

      Count tokens

      Takes
        <paths…>                   The paths (required, may be repeated)
        --budget <number>          The budget (default 24000)
        --encoding <claude|o200k>  The encoding
        --by-kind                  The by-kind
        --only <text>              The only (may be repeated)

      Every command also takes --json, --set, -C and the others of \`qm --help\`.
      "
    `)
  })

  test("[CLI-4] the overview lists every command and every global flag", () => {
    const text = renderHelp([], COMMANDS, plain)
    for (const it of COMMANDS) expect(text).toContain(`  ${it.words.join(" ")}`)
    expect(text).toContain("--json")
    expect(Math.max(...text.split("\n").map((it) => it.length))).toBeLessThanOrEqual(110)
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
  expect(complete(words, COMMANDS)).toEqual(candidates)
})
