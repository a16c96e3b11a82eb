import { expect, test } from "vitest"
import { ruleSwitches } from "./rules.ts"

test.each([
  [{ command: "git push *" }, "--deny-tool=shell(git push:*)"],
  [{ command: "rm -rf /" }, "--deny-tool=shell(rm -rf /:*)"],
  [{ tool: "Bash", command: "*" }, "--deny-tool=shell"],
  [{ tool: "exec_command" }, "--deny-tool=shell"],
  [{ tool: "Write" }, "--deny-tool=write"],
  [{ tool: "mcp__git__push" }, "--deny-tool=git(push)"],
  [{ tool: "mcp__git__*" }, "--deny-tool=git"],
  [{ tool: "mcp__git" }, "--deny-tool=git"],
  [{ tool: "web_fetch" }, "--excluded-tools=web_fetch"],
  [{ tool: "Edit", path: "a/b.txt" }, "--deny-tool=write(a/b.txt)"],
  [{ path: "/etc/hosts" }, "--deny-tool=write(/etc/hosts)"],
])("[AGENTS-43] the rule %j becomes Copilot's flag %s", (rule, flag) => {
  const restricting = [{ decision: "deny", ...rule }] as const
  expect(ruleSwitches({ restricting })).toEqual({ switches: [flag], isWhole: true })
})

test.each([
  { path: "secret/**" },
  { command: "a; b" },
  { command: "echo (x) *" },
  { command: "ls", path: "a" },
  { tool: "*" },
  { tool: "mcp__*__write" },
  { tool: "Read", path: "a" },
])("[AGENTS-43] the rule %j has no Copilot flag, so Copilot works as in mode `ask`", (rule) => {
  const restricting = [{ decision: "ask", ...rule }] as const
  expect(ruleSwitches({ restricting })).toEqual({ switches: [], isWhole: false })
})

test("[AGENTS-43] without rules, or with unreadable rules, no flags are passed", () => {
  expect(ruleSwitches({})).toEqual({ switches: [], isWhole: true })
  expect(ruleSwitches({ restricting: "unknown" })).toEqual({ switches: [], isWhole: false })
})
