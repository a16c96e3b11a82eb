import { describe, expect, it } from "vitest"
import { changedPath } from "./activity.tsx"

const CWD = "/srv/ada/tideline"

describe("the name of a changed file", () => {
  it("[CONSOLE-30] a file below the run's folder is named from there, however the host wrote it", () => {
    expect(changedPath("srv/ada/tideline/note.txt", "", CWD)).toBe("note.txt")
    expect(changedPath("/srv/ada/tideline/a/b.ts", "", CWD)).toBe("a/b.ts")
    expect(changedPath("", "/srv/ada/tideline/note.txt", CWD)).toBe("note.txt")
    expect(changedPath("src/x.ts", "", CWD)).toBe("src/x.ts")
    expect(changedPath("srv/ada/tideline/note.txt", "", `${CWD}/`)).toBe("note.txt")
  })

  it("[CONSOLE-30] a file elsewhere keeps its first slash, and a folder's namesake is elsewhere", () => {
    expect(changedPath("etc/hosts", "/etc/hosts", CWD)).toBe("/etc/hosts")
    expect(changedPath("/etc/hosts", "", CWD)).toBe("/etc/hosts")
    expect(changedPath("/srv/ada/tideline-2/x", "", CWD)).toBe("/srv/ada/tideline-2/x")
  })
})
