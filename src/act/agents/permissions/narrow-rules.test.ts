import fc from "fast-check"
import { expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { evaluate, prepareRule } from "./evaluate-rules.ts"
import { rulesFor } from "./narrow-rules.ts"
import type { RepositoryPaths } from "./tool-subject.ts"

const WORLD: RepositoryPaths = { root: "/r", resolve: (path) => path }

const ruleFor = (tool: string, input: unknown) =>
  rulesFor(
    { tool, input: typeof input === "string" ? input : JSON.stringify(input), cwd: "/r" },
    WORLD,
  )

test.each([
  ["Bash", { command: "npm test" }, [{ tool: "Bash", command: "npm test" }]],
  ["Bash", { command: "a && b > c" }, [{ tool: "Bash", command: "a && b > c" }]],
  ["exec_command", "/bin/bash -lc 'npm test'", [{ tool: "exec_command", command: "npm test" }]],
  ["Edit", { file_path: "/r/src/a.ts" }, [{ tool: "Edit", path: "src/a.ts" }]],
  ["Edit", { file_path: "/etc/hosts" }, [{ tool: "Edit", path: "/etc/hosts" }]],
  ["Edit", { file_path: "app/[id].ts" }, [{ tool: "Edit", path: "app/\\[id\\].ts" }]],
  [
    "apply_patch",
    [{ path: "/r/a" }, { path: "/r/b" }],
    [
      { tool: "apply_patch", path: "a" },
      { tool: "apply_patch", path: "b" },
    ],
  ],
  ["mcp__git__log", { count: 3 }, [{ tool: "mcp__git__log" }]],
  ["mcp__sh__run", { command: "ls" }, [{ tool: "mcp__sh__run", command: "ls" }]],
])('[AGENTS-42] "Always allow" for %s %j writes the narrowest rule', (tool, input, rules) => {
  expect(ruleFor(tool, input)).toEqual(rules.map((it) => ({ decision: "allow", ...it })))
})

test.each([
  ["Bash", { command: "rm *" }, "would be read as a pattern"],
  ["Bash", { command: "*" }, "would be read as a pattern"],
  ["Bash", { command: "ls", dangerouslyDisableSandbox: true }, "wants more than its tool"],
  ["Bash", {}, "names no command"],
  ["Bash", { command: "x".repeat(3_000) }, "is too long for a rule"],
  ["WebFetch", { url: "https://example.org" }, "names neither command nor file"],
  ["Edit", { file_path: ".qm/permissions.json" }, "is always asked"],
  ["mcp__x__*", {}, "has a star in its name"],
  ["request_permissions", { permissions: {} }, "names neither command nor file"],
] as const)("[AGENTS-42] there is no narrow rule for %s %j: it %s", (tool, input, _why) => {
  expect(ruleFor(tool, input)).toBeUndefined()
})

test("[AGENTS-42] a rule for one file allows that file only, whatever characters its name has", () => {
  const name = fc.string({
    unit: fc.constantFrom(..."ab.-_ *?[]{}()!+@|^$,~#".split("")),
    minLength: 1,
  })
  const isName = (it: string) => it !== "." && it !== ".." && it.trim() === it
  const property = fc.property(name.filter(isName), name.filter(isName), (one, other) => {
    const rules = ruleFor("Edit", { file_path: `/r/d/${one}` })
    if (rules === undefined) return
    const ready = rules.map(prepareRule)
    const allowed = (file: string) => {
      const input = JSON.stringify({ file_path: `/r/d/${file}` })
      return evaluate(ready, { tool: "Edit", kind: "edit", input, cwd: "/r" }, WORLD)?.decision
    }
    expect(allowed(one)).toBe("allow")
    if (other !== one) expect(allowed(other)).toBeUndefined()
  })
  fc.assert(property, fcParameters({ numRuns: 2_000 }))
})
