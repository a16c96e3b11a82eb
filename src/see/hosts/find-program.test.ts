import { describe, expect, test } from "vitest"
import { memoryDisk } from "#test/memory-disk"
import { claudeCode } from "./claude-code/claude-code.ts"
import { findProgram } from "./find-program.ts"
import type { HostPlace } from "./host.ts"

const place = (PATH: string | undefined, platform: HostPlace["platform"] = "linux"): HostPlace => ({
  workingDirectory: "/w",
  home: "/home/u",
  environment: { PATH },
  platform,
})
const wanted = { names: ["claude"], packages: ["@anthropic-ai/claude-code"] }
const manifest = (version: string, name = "@anthropic-ai/claude-code") =>
  JSON.stringify({ name, version })

describe("finding a host program", () => {
  test("[HOSTS-19] the first on the PATH counts, with the version of its package", async () => {
    const disk = memoryDisk({
      "/lib/node_modules/@anthropic-ai/claude-code/bin/claude.exe": "binary",
      "/lib/node_modules/@anthropic-ai/claude-code/package.json": manifest("2.1.325"),
      "/usr/bin/claude": { link: "/lib/node_modules/@anthropic-ai/claude-code/bin/claude.exe" },
      "/later/claude": "another",
      "/first/claude": { dir: true },
    })
    const found = await findProgram(place("/first::rel:/usr/bin:/later"), disk, wanted)
    expect(found).toEqual({
      program: "/lib/node_modules/@anthropic-ai/claude-code/bin/claude.exe",
      version: "2.1.325",
      foundAt: "/usr/bin/claude",
    })
    const host = await claudeCode.findInstalled(place("/usr/bin"), disk)
    expect(host?.version).toBe("2.1.325")
  })

  test("[HOSTS-19] the version is read from the path, or is unknown", async () => {
    const disk = memoryDisk({
      "/home/u/.local/bin/claude": { link: "../share/claude/versions/2.1.300" },
      "/home/u/.local/share/claude/versions/2.1.300": "binary",
      "/opt/claude": "binary",
      "/opt/package.json": manifest("9.9.9", "something-else"),
      "/odd/claude": "binary",
      "/odd/package.json": "{",
    })
    const version = async (PATH: string) => (await findProgram(place(PATH), disk, wanted))?.version
    expect(await version("/home/u/.local/bin")).toBe("2.1.300")
    expect(await version("/opt")).toBeUndefined()
    expect(await version("/odd")).toBeUndefined()
  })

  test("[HOSTS-19] the platform suffix of a version is removed", async () => {
    const disk = memoryDisk({
      "/opt/bin/claude": "binary",
      "/opt/package.json": manifest("0.166.0-linux-x64"),
    })
    const found = await findProgram(place("/opt/bin"), disk, wanted)
    expect(found?.version).toBe("0.166.0")
  })

  test("[HOSTS-19] without a PATH, or without a match on it, there is no program", async () => {
    const disk = memoryDisk({ "/bin/other": "x" })
    expect(await findProgram(place("/bin"), disk, wanted)).toBeUndefined()
    expect(await findProgram(place(undefined), disk, wanted)).toBeUndefined()
  })

  test("[HOSTS-19] an npm script on Windows has its package beside it", async () => {
    const asked: string[] = []
    const disk = memoryDisk({
      "/npm/node_modules/@anthropic-ai/claude-code/package.json": manifest("2.1.9"),
    })
    const windows = {
      ...disk,
      read: (file: string, options: { maxBytes: number }) => {
        asked.push(file)
        const isScript = file === "C:\\npm\\claude.cmd"
        const script = { kind: "too-large", realPath: "/npm/claude.cmd", sizeBytes: 9 } as const
        return isScript ? Promise.resolve(script) : disk.read(file, options)
      },
    }
    const found = await findProgram(place("C:\\npm;D:\\x", "win32"), windows, wanted)
    expect(found).toMatchObject({ program: "/npm/claude.cmd", version: "2.1.9" })
    expect(asked[0]).toBe("C:\\npm\\claude.exe")
  })
})
