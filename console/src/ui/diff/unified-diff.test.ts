import { describe, expect, it } from "vitest"
import { readUnified } from "./unified-diff.ts"

const DIFF = `diff --git a/a.ts b/a.ts
--- a/a.ts
+++ b/a.ts
@@ -1,3 +1,3 @@
 one
-two
+2
 three
--- a/b.ts
+++ b/b.ts
@@ -7 +7 @@
--- x
+++ y
\\ No newline at end of file
`

describe("parsing a unified diff", () => {
  it("[CONSOLE-30] files and line numbers are parsed", () => {
    const [a, b] = readUnified(DIFF)
    expect(a).toEqual({
      path: "a.ts",
      added: 1,
      removed: 1,
      lines: [
        { sign: " ", before: 1, after: 1, text: "one" },
        { sign: "-", before: 2, text: "two" },
        { sign: "+", after: 2, text: "2" },
        { sign: " ", before: 3, after: 3, text: "three" },
      ],
    })
    // Lines that look like headers are content while the hunk has lines left.
    expect(b).toMatchObject({ path: "b.ts", added: 1, removed: 1 })
    expect(b?.lines.map((it) => it.text)).toEqual(["-- x", "++ y"])
  })

  it("[CONSOLE-30] a deleted file has its old name", () => {
    const gone = "--- a/old.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-a"
    expect(readUnified(gone)).toMatchObject([{ path: "old.ts", added: 0, removed: 1 }])
    const fresh = "--- /dev/null\n+++ b/new.ts\n@@ -0,0 +1 @@\n+a"
    expect(readUnified(fresh)).toMatchObject([{ path: "new.ts", added: 1, removed: 0 }])
  })

  it("[CONSOLE-30] a hunk without a header is parsed, and other text gives no file", () => {
    expect(readUnified("@@ -1 +1 @@\n-a\n+b")).toMatchObject([{ path: "", added: 1, removed: 1 }])
    expect(readUnified("not a diff")).toEqual([])
  })
})
