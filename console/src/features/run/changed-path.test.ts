import { describe, expect, it } from "vitest"
import { changedPath } from "./transcript/activity.tsx"

const CWD = "/srv/ada/tideline"

describe("path of a changed file", () => {
  it("[CONSOLE-30] a file below the run's folder is relative to it, however the host wrote the path", () => {
    expect(changedPath("srv/ada/tideline/note.txt", "", CWD)).toBe("note.txt")
    expect(changedPath("/srv/ada/tideline/a/b.ts", "", CWD)).toBe("a/b.ts")
    expect(changedPath("", "/srv/ada/tideline/note.txt", CWD)).toBe("note.txt")
    expect(changedPath("src/x.ts", "", CWD)).toBe("src/x.ts")
    expect(changedPath("srv/ada/tideline/note.txt", "", `${CWD}/`)).toBe("note.txt")
  })

  it("[CONSOLE-30] a file elsewhere keeps its absolute path, even if the folder name is a prefix", () => {
    expect(changedPath("etc/hosts", "/etc/hosts", CWD)).toBe("/etc/hosts")
    expect(changedPath("/etc/hosts", "", CWD)).toBe("/etc/hosts")
    expect(changedPath("/srv/ada/tideline-2/x", "", CWD)).toBe("/srv/ada/tideline-2/x")
  })
})
