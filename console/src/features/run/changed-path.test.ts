import { describe, expect, it } from "vitest"
import { changedPath } from "./changed-path.ts"

const CWD = "/tmp/work/tideline"

describe("the name of a changed file", () => {
  it("[CONSOLE-30] a file below the run's folder is named from there, however the host wrote it", () => {
    expect(changedPath("tmp/work/tideline/note.txt", "", CWD)).toBe("note.txt")
    expect(changedPath("/tmp/work/tideline/a/b.ts", "", CWD)).toBe("a/b.ts")
    expect(changedPath("", "/tmp/work/tideline/note.txt", CWD)).toBe("note.txt")
    expect(changedPath("src/x.ts", "", CWD)).toBe("src/x.ts")
    expect(changedPath("tmp/work/tideline/note.txt", "", `${CWD}/`)).toBe("note.txt")
  })

  it("[CONSOLE-30] a file elsewhere keeps its first slash, and a folder's namesake is elsewhere", () => {
    expect(changedPath("etc/hosts", "/etc/hosts", CWD)).toBe("/etc/hosts")
    expect(changedPath("/etc/hosts", "", CWD)).toBe("/etc/hosts")
    expect(changedPath("/tmp/work/tideline-2/x", "", CWD)).toBe("/tmp/work/tideline-2/x")
  })
})
