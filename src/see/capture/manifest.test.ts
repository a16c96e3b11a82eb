import { expect, test } from "vitest"
import { labelOf } from "./manifest.ts"

const from = { home: "/home/a", workingDirectory: "/home/a/code/x" }

test.each([
  ["/home/a/code/x/CLAUDE.md", "CLAUDE.md"],
  ["/home/a/code/x/docs/a.md", "docs/a.md"],
  ["/home/a/code/CLAUDE.md", "~/code/CLAUDE.md"],
  ["/home/a/code/x", "~/code/x"],
  ["/home/ab/CLAUDE.md", "/home/ab/CLAUDE.md"],
  ["/home/a/code/x/..hidden.md", "..hidden.md"],
  ["<managed-settings>", "<managed-settings>"],
])("[CAPTURE-1] %s is described as %s", (file, label) => {
  expect(labelOf(file, from)).toBe(label)
})
