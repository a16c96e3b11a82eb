import { describe, expect, it } from "vitest"
import type { Approval } from "../contract.ts"
import { describeAnswer, describeAsk, describeRule } from "./approvals.ts"

const approval = (overrides: Partial<Approval>): Approval => ({
  id: "ap_1",
  runId: "rn_1",
  tool: "Bash",
  title: "Run a command",
  input: "",
  digest: "d",
  path: null,
  cwd: "/r",
  status: "open",
  requestedAt: 1,
  expiresAt: 2,
  answeredAt: null,
  answeredBy: null,
  note: null,
  ...overrides,
})

describe("describeAsk, describeRule and describeAnswer", () => {
  it.each([
    ["a command alone", { command: "npm test" }, ["npm test", true]],
    ["why it is run hides nothing", { command: "npm test", description: "x" }, ["npm test", true]],
    ["a switch beside it is shown", { command: "a", sandbox: false }, ["a\nsandbox: false", false]],
    ["two lines do not fit one", { command: "a\nrm -rf ~" }, ["a\nrm -rf ~", false]],
    ["other names of a command", { cmd: "npm test" }, ["npm test", true]],
    ["words keep their borders", { command: ["a b", "c"] }, ['["a b","c"]', true]],
  ])("[CONSOLE-25] a request is shown in full: %s", (_says, input, [text, isWhole]) => {
    const ask = describeAsk(approval({ input: JSON.stringify(input) }))
    expect(ask).toMatchObject({ verb: "run", text, isWhole })
  })

  it("[CONSOLE-25] text input is a command for a command tool, but not for other tools", () => {
    const codex = describeAsk(approval({ tool: "exec_command", input: "ls -la" }))
    expect(codex).toMatchObject({ verb: "run", subject: "ls -la", isWhole: true })
    const other = describeAsk(approval({ tool: "Think", input: "ls -la" }))
    expect(other).toMatchObject({ verb: "use", subject: "Think, Run a command", isWhole: false })
  })

  it("[CONSOLE-25] file contents and tool arguments are not shown in the row, so isWhole is false", () => {
    const edit = approval({ tool: "Edit", path: "/r/a.ts", input: '{"new":"x"}' })
    expect(describeAsk(edit)).toMatchObject({ verb: "change", subject: "/r/a.ts", isWhole: false })
    const tool = approval({ tool: "mcp__tide__query", input: '{"days":1}' })
    expect(describeAsk(tool)).toMatchObject({ verb: "use", isWhole: false })
    const twice = approval({ tool: "Edit", title: "Edit a.ts", input: "{}" })
    expect(describeAsk(twice).subject).toBe("Edit a.ts")
    expect(describeAsk(approval({ input: '{"command":' })).text).toBe('{"command":')
  })

  it("[CONSOLE-22] control and bidirectional characters in a command are escaped", () => {
    const ask = describeAsk(approval({ input: JSON.stringify({ command: "a\u202Eb\u0007" }) }))
    expect(ask.subject).toBe("a\\u{202e}b\\x07")
  })

  it("[CONSOLE-25] describeRule names the narrow rule that Always writes, and is null where no narrow rule exists", () => {
    const rule = (overrides: Partial<Approval>) => describeRule(approval(overrides))
    expect(rule({ input: '{"command":"npm test"}' })).toBe("allow Bash to run exactly this command")
    expect(rule({ tool: "Edit", path: "/r/a.ts" })).toBe("allow Edit on /r/a.ts")
    expect(rule({ tool: "Edit", input: '{"file_path":"/r/b.ts"}' })).toBe("allow Edit on /r/b.ts")
    const loose = { command: "ls", dangerouslyDisableSandbox: true }
    expect(rule({ input: JSON.stringify(loose) })).toBeNull()
    expect(rule({ tool: "mcp__t__q", input: "{}" })).toBe("allow mcp__t__q with any arguments")
    expect(rule({ tool: "request_permissions", input: "{}" })).toBeNull()
  })

  it("[CONSOLE-25] an answer names who gave it", () => {
    const description = (overrides: Partial<Approval>) => describeAnswer(approval(overrides))
    expect(description({ status: "allowed", answeredBy: "cli" })).toBe("allowed by cli")
    expect(description({ status: "denied", answeredBy: null })).toBe("denied")
    expect(description({ status: "expired" })).toBe("expired without an answer")
  })
})
