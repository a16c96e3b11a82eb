import path from "node:path"
import { expect, test } from "vitest"
import { outOfScope } from "./scope.ts"
import type { World } from "./where.ts"

const ROOT = path.resolve("/repo")
const world: World = {
  root: ROOT,
  // One link: `src/out` leads out of what may be changed.
  resolve: (it) => it.replace(`${ROOT}/src/out`, `${ROOT}/secrets`),
}
const edit = (file: string) => ({
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
])("[AGENTS-46] with src/** to change, an edit of %s is %s", (file, decision) => {
  expect(outOfScope(["src/**"], edit(file), world)?.decision).toBe(decision)
})

test("[AGENTS-46] an edit that does not say where is denied; what changes nothing is not judged", () => {
  const silent = { ...edit("x"), input: "{}" }
  expect(outOfScope(["src/**"], silent, world)).toEqual({
    decision: "deny",
    rule: "only src/** may be changed in this run",
  })
  const command = { ...edit("x"), tool: "Bash", kind: "command" as const, input: "touch docs/a" }
  expect(outOfScope(["src/**"], command, world)?.decision).toBe("ask")
  const read = { ...edit("/etc/passwd"), tool: "Read", kind: "read" as const }
  expect(outOfScope(["src/**"], read, world)).toBeUndefined()
})
