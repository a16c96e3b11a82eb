import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { hostProgram } from "#test/host-programs"
import { needs } from "#test/needs"
import { parseStatus } from "./status-line.ts"

/** The program describes the input of a status line for its own setup agent. */
function documentedInput(): string {
  const program = readFileSync(hostProgram("claude-code").program)
  const start = program.indexOf('"transcript_path": "string"')
  return program.subarray(start, start + 6_000).toString("latin1")
}

function isDocumented(input: string, names: readonly string[]): boolean {
  let at = 0
  return names.every((name) => {
    at = input.indexOf(`"${name}":`, at)
    return at !== -1
  })
}

describe.runIf(needs("T1", "claude-code"))("the status line of the real Claude Code", () => {
  test.for([
    ["context_window.used_percentage", 50, "usedPercent"],
    ["context_window.context_window_size", 200_000, "windowTokens"],
    ["workspace.current_dir", "/w/shop", "directory"],
    ["rate_limits.five_hour.used_percentage", 50, "fiveHourPercent"],
    ["rate_limits.seven_day.used_percentage", 50, "sevenDayPercent"],
  ] as const)(
    "[HOOKS-19] %s is documented in the program and read by us",
    ([field, value, read]) => {
      const names = field.split(".")
      expect(isDocumented(documentedInput(), names)).toBe(true)
      const [first = "", ...rest] = names
      const inner = rest.reduceRight<unknown>((it, name) => ({ [name]: it }), value)
      expect(parseStatus({ [first]: inner })).toMatchObject({ [read]: value })
    },
  )
})
