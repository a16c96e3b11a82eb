import { describe, expect, test } from "vitest"
import { questionOf } from "./approvals.ts"

const COMMAND = "item/commandExecution/requestApproval"
const PATCH = "item/fileChange/requestApproval"
const RIGHTS = "item/permissions/requestApproval"
const SERVER = "mcpServer/elicitation/request"

const about = new Map([
  [
    "i",
    {
      title: "a, b",
      input: '[{"path":"/r/a","kind":"update","to":"/r/b"}]',
      paths: ["/r/a", "/r/b"],
    },
  ],
])

const KNOWN = { about, redact: (text: string) => text.replaceAll("hunter2", "[redacted]") }

function asked(method: string, more: object = {}) {
  const params = { threadId: "t", turnId: "u", itemId: "i", ...more }
  return questionOf({ id: 7, method, params }, KNOWN)
}

describe("approval requests of Codex", () => {
  test("[AGENTS-30] a secret in an approval title is redacted before the title is truncated", () => {
    const command = `${"x".repeat(150)} hunter2`
    expect(asked(COMMAND, { itemId: "other", command })?.title).toBe(`${"x".repeat(150)} [redacte…`)
    expect(asked(COMMAND, { itemId: "other", command })?.input).toBe(command)
  })

  test("a command approval shows the command as it will run and its directory", () => {
    const command = "/bin/bash -lc 'ls'"
    const question = asked(COMMAND, { command, cwd: "/r/w" })
    expect(question).toMatchObject({
      tool: "exec_command",
      kind: "command",
      input: command,
      cwd: "/r/w",
    })
    expect(question?.response("allow")).toEqual({ decision: "accept" })
    expect(question?.response("deny")).toEqual({ decision: "decline" })
  })

  test("a patch approval lists all files, and a permission approval lists the permissions", () => {
    expect(asked(PATCH)).toMatchObject({
      tool: "apply_patch",
      kind: "edit",
      paths: ["/r/a", "/r/b"],
    })
    const rights = asked(RIGHTS, { permissions: { network: true } })
    expect(rights?.response("allow")).toEqual({ permissions: { network: true }, scope: "turn" })
    expect(rights?.response("deny")).toEqual({ permissions: {}, scope: "turn" })
  })

  test.each([
    [COMMAND, {}, false],
    [COMMAND, { kind: "command", networkApprovalContext: null, reason: null }, false],
    [COMMAND, { reason: "it needs the net" }, true],
    [COMMAND, { networkApprovalContext: { host: "example.org" } }, true],
    [COMMAND, { kind: "stdin" }, true],
    [PATCH, { reason: "a rename" }, false],
    [PATCH, { grantRoot: "/r" }, true],
  ])("[AGENTS-43] whether %s %j exceeds what a rule allows: %s", (method, more, wantsMore) => {
    expect(asked(method, more)?.wantsMore).toBe(wantsMore)
  })

  test("a tool of an MCP server has the name that rules use", () => {
    const _meta = { codex_approval_kind: "mcp_tool_call", tool_params: { text: "hi" } }
    const message = 'Allow the a.b MCP server to run tool "echo"?'
    const question = asked(SERVER, { serverName: "a.b", message, _meta })
    expect(question).toMatchObject({ tool: "mcp__a.b__echo", kind: "mcp", input: '{"text":"hi"}' })
    expect(question?.response("allow")).toEqual({ action: "accept", content: {}, _meta: null })
    expect(question?.response("deny")).toEqual({ action: "decline", content: null, _meta: null })
    const other = asked(SERVER, { serverName: "a", message, _meta })
    expect(other).toMatchObject({ tool: "mcp__a" })
  })

  test("a form requested by an MCP server and unknown requests are not answered", () => {
    const form = { serverName: "a", message: "Your name?", mode: "form", _meta: null }
    expect(asked(SERVER, form)).toBeUndefined()
    expect(asked("item/tool/requestUserInput")).toBeUndefined()
    expect(questionOf({ id: 1, method: COMMAND, params: {} }, KNOWN)).toBeUndefined()
  })
})
