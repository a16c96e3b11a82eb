import path from "node:path"
import { describe, expect, test } from "vitest"
import type { ActivityKind, PermissionRule } from "#ground/contract"
import type { PermissionQuestion } from "../agent.ts"
import { evaluate, outOfScope, prepareRule } from "./evaluate-rules.ts"
import type { RepositoryPaths } from "./tool-subject.ts"

const WORLD: RepositoryPaths = {
  root: "/r",
  resolve: (path) =>
    path.replace(/^\/r\/src\/out(?=\/|$)/, "/etc").replace(/^\/r\/alias(?=\/|$)/, "/r/secret"),
}

type RuleFields = Omit<PermissionRule, "decision">
const allow = (rule: RuleFields): PermissionRule => ({ decision: "allow", ...rule })
const ask = (rule: RuleFields): PermissionRule => ({ decision: "ask", ...rule })
const deny = (rule: RuleFields): PermissionRule => ({ decision: "deny", ...rule })

function judged(rules: readonly PermissionRule[], asked: PermissionQuestion): string | undefined {
  return evaluate(rules.map(prepareRule), asked, WORLD)?.decision
}

function use(tool: string, kind: ActivityKind, given: unknown): PermissionQuestion {
  const input = typeof given === "string" ? given : JSON.stringify(given)
  return { tool, kind, input, cwd: "/r" }
}

const bash = (command: string) => use("Bash", "command", { command })
const edit = (path: string) => use("Edit", "edit", { file_path: path })

describe("order of rules", () => {
  test("[AGENTS-40] deny rules apply before ask rules, and ask rules before allow rules, in any order of definition", () => {
    const rules = [
      allow({ tool: "Bash" }),
      ask({ command: "git *" }),
      deny({ command: "git push *" }),
    ]
    expect(judged(rules, bash("ls"))).toBe("allow")
    expect(judged(rules, bash("git status"))).toBe("ask")
    expect(judged(rules, bash("git push"))).toBe("deny")
    expect(judged(rules, edit("a.ts"))).toBeUndefined()
    expect(evaluate(rules.map(prepareRule), bash("git push x"), WORLD)?.rule).toBe(
      "deny *(git push *)",
    )
  })

  test("[AGENTS-40] every field of a rule must match", () => {
    const rules = [allow({ tool: "Edit", path: "src/**" }), allow({ tool: "Bash", command: "ls" })]
    expect(judged(rules, edit("src/a.ts"))).toBe("allow")
    expect(judged(rules, use("Write", "edit", { file_path: "src/a.ts" }))).toBeUndefined()
    expect(judged(rules, use("Other", "command", { command: "ls" }))).toBeUndefined()
  })

  test.each([
    ["mcp__*", "mcp__a__b", true],
    ["mcp__*__read*", "mcp__git__read_file", true],
    ["mcp__*__read", "mcp__git__write", false],
    ["*", "anything", true],
    ["Ba", "Bash", false],
    ["a*a", "a", false],
  ])("[AGENTS-40] the tool pattern %j matches %j: %s", (pattern, tool, isIt) => {
    const verdict = judged([allow({ tool: pattern })], use(tool, "mcp", {}))
    expect(verdict).toBe(isIt ? "allow" : undefined)
  })
})

describe("paths", () => {
  const SOURCES = [allow({ tool: "Edit", path: "src/**" })]

  test.each([
    ["src/a.ts", "allow"],
    ["/r/src/deep/a.ts", "allow"],
    ["src/../src/a.ts", "allow"],
    ["src/../../etc/passwd", undefined],
    ["src/../secret/key", undefined],
    ["/etc/passwd", undefined],
    ["src/out/passwd", undefined],
    ["src/.git/hooks/pre-commit", undefined],
    ["other/src/a.ts", undefined],
  ])("[AGENTS-40] the verdict of `src/**` on an edit of %j is %s", (path, verdict) => {
    expect(judged(SOURCES, edit(path))).toBe(verdict)
  })

  test("[AGENTS-40] a relative path is resolved from the agent's working directory", () => {
    expect(judged(SOURCES, { ...edit("a.ts"), cwd: "/r/src" })).toBe("allow")
    expect(judged(SOURCES, { ...edit("src/a.ts"), cwd: "/r/other" })).toBeUndefined()
  })

  test("[AGENTS-40] a denied file is denied under each of its names, hidden names included", () => {
    const rules = [deny({ path: "secret/**" }), allow({ tool: "*" })]
    for (const path of ["secret/key", "secret/.hidden", "alias/key", "src/../secret/key"]) {
      expect(judged(rules, edit(path))).toBe("deny")
      expect(judged(rules, use("Read", "read", { file_path: path }))).toBe("deny")
    }
    expect(judged([deny({ path: "/etc/**" })], edit("src/out/passwd"))).toBe("deny")
    expect(judged([deny({ path: "src/out/**" })], edit("src/out/passwd"))).toBe("deny")
  })

  test("[AGENTS-40] a patch is allowed when every file in it is allowed, both names of a moved file included", () => {
    const rules = [
      allow({ tool: "apply_patch", path: "a" }),
      allow({ tool: "apply_patch", path: "b" }),
    ]
    const patch = (...changes: readonly object[]) => use("apply_patch", "edit", changes)
    expect(judged(rules, patch({ path: "/r/a" }, { path: "/r/b" }))).toBe("allow")
    expect(judged(rules, patch({ path: "/r/a" }, { path: "/r/c" }))).toBeUndefined()
    expect(judged(rules, patch({ path: "/r/a", kind: "update", to: "/r/c" }))).toBeUndefined()
    expect(judged([deny({ path: "c" })], patch({ path: "/r/a", to: "/r/c" }))).toBe("deny")
  })

  test("[AGENTS-40] files are recognised in every field of a tool's input that can name one", () => {
    const nested = {
      changes: [{ file: { path: "secret/key" } }],
      files: ["src/a", { path: "src/b" }],
    }
    const asked = use("mcp__f__edit", "mcp", nested)
    expect(judged([deny({ path: "secret/**" })], asked)).toBe("deny")
    expect(judged([allow({ tool: "mcp__f__edit", path: "src/**" })], asked)).toBeUndefined()
    const all = allow({ tool: "mcp__f__edit", path: "{src,secret}/*" })
    expect(judged([all], asked)).toBe("allow")
  })

  test("[AGENTS-40] files in `.qm` always need approval, whatever rule allows them", () => {
    const rules = [allow({ tool: "*", path: ".qm/**" }), allow({ tool: "*" })]
    expect(judged(rules, edit(".qm/permissions.json"))).toBe("ask")
    expect(judged(rules, use("mcp__f__write", "mcp", { path: "/r/.qm/x" }))).toBe("ask")
    expect(judged(rules, use("Read", "read", { file_path: ".qm/permissions.json" }))).toBe("allow")
  })
})

describe("limits of allow rules", () => {
  test("[AGENTS-40] an allow rule without a tool does not match tools of MCP servers", () => {
    const rules = [allow({ path: "src/**" }), allow({ command: "ls" })]
    expect(judged(rules, edit("src/a"))).toBe("allow")
    expect(judged(rules, use("mcp__x__erase", "mcp", { path: "src/a" }))).toBeUndefined()
    expect(judged(rules, use("mcp__x__run", "mcp", { command: "ls" }))).toBeUndefined()
  })

  test("[AGENTS-40] an allow rule with a path does not allow a command in the same request", () => {
    const rules = [allow({ tool: "mcp__x__run", path: "src/**" })]
    const asked = use("mcp__x__run", "mcp", { command: "rm -rf .", path: "src/a" })
    expect(judged(rules, asked)).toBeUndefined()
  })

  test("[AGENTS-40] leaving the host's sandbox or working outside the repository always needs the user", () => {
    const rules = [allow({ tool: "Bash", command: "ls" })]
    const asked = { command: "ls", dangerouslyDisableSandbox: true }
    expect(judged(rules, use("Bash", "command", asked))).toBeUndefined()
    expect(judged(rules, { ...bash("ls"), cwd: "/elsewhere" })).toBeUndefined()
    expect(judged(rules, { ...bash("ls"), cwd: "/r/src/out" })).toBeUndefined()
  })
})

describe("hosts", () => {
  test.each([
    ["/bin/bash -lc 'git status'", "allow"],
    ["/usr/bin/zsh -lc 'git status'", "allow"],
    ["git status", "allow"],
    ["/bin/bash -lc 'git status' ; rm 'x'", undefined],
    ["./evilsh -c 'git status'", undefined],
    ["/bin/bash -c 'git status' 'x'", undefined],
    ["/bin/bash -lc 'git status; rm x'", undefined],
    ['{"command":"git status"}', undefined],
  ])("[AGENTS-40] for Codex's %j the inner command is evaluated: %s", (input, verdict) => {
    const rules = [allow({ tool: "exec_command", command: "git status *" })]
    expect(judged(rules, use("exec_command", "command", input))).toBe(verdict)
  })

  test("[AGENTS-40] a rule that denies a tool denies the same tool of every host", () => {
    const rules = [deny({ tool: "Bash", command: "rm *" }), deny({ tool: "Edit", path: "a" })]
    const codex = use("exec_command", "command", "/bin/bash -lc 'rm x'")
    expect(judged(rules, codex)).toBe("deny")
    expect(judged(rules, use("apply_patch", "edit", [{ path: "a" }]))).toBe("deny")
    expect(judged(rules, use("Write", "edit", { file_path: "a" }))).toBe("deny")
    expect(judged(rules, use("Read", "read", { file_path: "a" }))).toBeUndefined()
    expect(judged([allow({ tool: "Bash", command: "rm x" })], codex)).toBeUndefined()
  })
})

const ROOT = path.resolve("/repo")
const repository: RepositoryPaths = {
  root: ROOT,
  // One link: `src/out` leads outside the allowed paths.
  resolve: (it) => it.replace(`${ROOT}/src/out`, `${ROOT}/secrets`),
}
const scopedEdit = (file: string) => ({
  tool: "Edit",
  kind: "edit" as const,
  input: JSON.stringify({ file_path: file }),
  cwd: ROOT,
})

test.each([
  ["src/a.ts", undefined],
  ["src/deep/b.ts", undefined],
  ["docs/a.md", "deny"],
  ["../elsewhere.ts", "deny"],
  ["/etc/passwd", "deny"],
  ["src/../package.json", "deny"],
  ["src/out/key.ts", "deny"],
])("[AGENTS-46] with `changes: src/**`, the verdict on an edit of %s is %s", (file, decision) => {
  expect(outOfScope(["src/**"], scopedEdit(file), repository)?.decision).toBe(decision)
})

test("[AGENTS-46] an edit without a path is denied; tools that change nothing are not evaluated", () => {
  const silent = { ...edit("x"), input: "{}" }
  expect(outOfScope(["src/**"], silent, repository)).toEqual({
    decision: "deny",
    rule: "this run may change only src/**",
  })
  const command = { ...edit("x"), tool: "Bash", kind: "command" as const, input: "touch docs/a" }
  expect(outOfScope(["src/**"], command, repository)?.decision).toBe("ask")
  const read = { ...edit("/etc/passwd"), tool: "Read", kind: "read" as const }
  expect(outOfScope(["src/**"], read, repository)).toBeUndefined()
})
