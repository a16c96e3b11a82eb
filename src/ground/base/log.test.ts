import { describe, expect, test } from "vitest"
import { testClock } from "#test/clock"
import { createLog, LOG_LEVELS, type LogLevel, silentLog } from "./log.ts"
import { visibleLine } from "./text/text.ts"

function logTo(
  lines: string[],
  options: { level?: LogLevel; scrub?: (text: string) => string } = {},
) {
  return createLog({
    clock: testClock({ now: Date.UTC(2026, 10, 15) }),
    level: "debug",
    write: (line) => void lines.push(line),
    ...options,
  })
}

describe("a log line", () => {
  test("[BASE-3] a log line has time, level, message and fields", () => {
    const lines: string[] = []
    logTo(lines).info("pack built", {
      packId: "pk_1",
      tokens: 12,
      note: "two words",
      none: undefined,
    })
    expect(lines).toEqual([
      '2026-11-15T00:00:00.000Z info  pack built packId=pk_1 tokens=12 note="two words" none=undefined',
    ])
  })

  test("[BASE-3] messages below the level are not written", () => {
    const lines: string[] = []
    const log = logTo(lines, { level: "warn" })
    for (const level of LOG_LEVELS) log[level]("said")
    for (const level of LOG_LEVELS) silentLog[level]("said")
    expect(lines.map((it) => it.split(" ")[1])).toEqual(["warn", "error"])
  })

  test("[F5] fields with a secret name are hidden at any depth, unless they are counts", () => {
    const lines: string[] = []
    const secret = `s${crypto.randomUUID()}`
    logTo(lines).info("asked", {
      token: secret,
      apiKey: secret,
      databaseUrl: secret,
      tokens: 512,
      nested: { password: secret, list: [{ Authorization: secret }], tokens: 3 },
    })
    expect(lines.join()).not.toContain(secret)
    expect(lines[0]).toContain("token=[redacted]")
    expect(lines[0]).toContain("tokens=512")
    expect(lines[0]).toContain('\\"tokens\\":3')
  })

  test("[F5] the redact function receives the message and the values", () => {
    const lines: string[] = []
    const secret = `s${crypto.randomUUID()}`
    const scrub = (text: string) => text.replaceAll(secret, "[gone]")
    logTo(lines, { scrub }).warn(`said ${secret}`, { plain: secret, deep: { plain: secret } })
    logTo(lines, { scrub }).error("failed", { cause: new Error(`at ${secret}`) })
    expect(lines.join()).not.toContain(secret)
    expect(lines[1]).toContain('cause="Error: at [gone]"')
  })

  test("[S7] a line break in an outside value or name does not start a new line", () => {
    const lines: string[] = []
    logTo(lines).info("read\u001b[2J", { "na\nme": "a\nb\u202e" })
    expect(lines[0]).toBe(visibleLine(lines[0] ?? ""))
  })

  test("[BASE-3] unprintable values do not break the log, and long values are truncated", () => {
    const lines: string[] = []
    const circle: Record<string, unknown> = {}
    circle.self = circle
    logTo(lines).info("odd", {
      circle,
      silent: { toJSON: () => undefined },
      one: 1n,
      f: Symbol("x"),
    })
    logTo(lines).info("long", { text: "x".repeat(100_000) })
    expect(lines[0]).toContain('circle="[unprintable]" silent=undefined one=1 f="Symbol(x)"')
    expect(lines[1]?.length).toBeLessThan(2_100)
  })
})
