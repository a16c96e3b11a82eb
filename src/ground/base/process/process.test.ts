import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { copyFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { needs } from "#test/needs"
import { tempDirectory } from "#test/temp"
import {
  descendantsOf,
  isSameProcessAlive,
  lookWithPs,
  parseProcStat,
  processIdentity,
  thisMachine,
} from "./process.ts"
import { endProcessTree } from "./spawn.ts"

describe("process identity", () => {
  test("[BASE-16] our own identity is stable, alive and usable in a file name", () => {
    const own = processIdentity()
    expect(own).toEqual(processIdentity())
    expect(own.pid).toBe(process.pid)
    expect(own.startedAt).toMatch(/^[\dA-Za-z.]+$/)
    expect(isSameProcessAlive(own)).toBe(true)
  })

  test("[BASE-16] the same pid with another start time is another process", () => {
    expect(isSameProcessAlive({ pid: process.pid, startedAt: "1.other" })).toBe(false)
  })

  test("[BASE-16] without a start time the pid alone decides", () => {
    expect(isSameProcessAlive({ pid: process.pid, startedAt: undefined })).toBe(true)
  })

  test("[BASE-16] invalid pids and pids that mean a group are not alive", () => {
    for (const pid of [0, -1, -process.pid, 1.5, Number.NaN, 2 ** 31 - 1]) {
      expect(isSameProcessAlive({ pid, startedAt: undefined })).toBe(false)
    }
  })

  test("[BASE-16] a process that ended is not alive", async () => {
    const child = spawn("sleep", ["60"])
    await once(child, "spawn")
    const identity = processIdentity(child.pid)
    expect(isSameProcessAlive(identity)).toBe(true)
    child.kill("SIGKILL")
    await once(child, "exit")
    expect(isSameProcessAlive(identity)).toBe(false)
  })
})

describe("reading /proc", () => {
  test("[BASE-16] a process name with spaces and parentheses does not shift the fields", () => {
    const rest = `S 7 ${Array.from({ length: 17 }, (_, it) => it).join(" ")} 4711 0 0`
    for (const name of ["node", "a b", ") S 1 (", "((", "", "x) R 9"]) {
      expect(parseProcStat(`12 (${name}) ${rest}`, "boot")).toEqual({
        state: "S",
        parent: 7,
        group: 0,
        startedAt: "4711.boot",
      })
    }
    expect(parseProcStat("", "boot")).toBeUndefined()
    expect(parseProcStat("12 (cut) S 7", "boot")).toBeUndefined()
  })

  test.runIf(needs("BASE-16", "proc"))(
    "[BASE-16] a real program with such a name is found",
    async () => {
      await using directory = await tempDirectory()
      const program = join(directory.path, "s) R (1 ")
      await copyFile("/bin/sleep", program)
      const child = spawn(program, ["60"])
      await once(child, "spawn")
      const identity = processIdentity(child.pid)
      expect(identity.startedAt).toMatch(/^\d+\.[\da-f]{8}$/)
      expect(isSameProcessAlive(identity)).toBe(true)
      expect(descendantsOf([process.pid])).toContainEqual(identity)
      child.kill("SIGKILL")
      await once(child, "exit")
    },
  )

  test.runIf(needs("BASE-16", "proc"))("[BASE-16] a zombie is not alive", async () => {
    // The shell starts a child and then becomes a `sleep`, which never reaps it.
    const child = spawn("sh", ["-c", "sh -c 'echo $$; exec sleep 60' & exec sleep 60"])
    const [text] = await once(child.stdout, "data")
    const zombie = Number(String(text))
    const identity = processIdentity(zombie)
    expect(isSameProcessAlive(identity)).toBe(true)
    process.kill(zombie, "SIGKILL")
    await expect.poll(() => isSameProcessAlive(identity)).toBe(false)
    expect(() => process.kill(zombie, 0)).not.toThrow()
    child.kill("SIGKILL")
    await once(child, "exit")
  })

  test.runIf(needs("BASE-16", "proc"))("[BASE-16] grandchildren are found", async () => {
    const child = spawn("sh", ["-c", "sh -c 'sleep 60; true' & wait"])
    await once(child, "spawn")
    const family = () => descendantsOf([child.pid ?? 0])
    await expect.poll(() => family().length).toBe(2)
    const all = [...family()]
    for (const { pid } of all) process.kill(pid, "SIGKILL")
    await once(child, "exit")
  })
})

test("[BASE-16] ps reports start and parent, the same twice, and nothing for a dead pid", () => {
  const seen = lookWithPs(process.pid)
  expect(seen).toEqual({ ...lookWithPs(process.pid), state: seen?.state })
  expect(seen?.startedAt).toMatch(/^[A-Za-z]{6}\d{11,12}$/)
  expect(seen?.parent).toBe(process.ppid)
  expect(lookWithPs(2 ** 22 + 1)).toBeUndefined()
})

test.runIf(needs("BASE-14", "proc"))(
  "[BASE-14] processes left in a group are ended after their leader; another process with its pid is not",
  async () => {
    const leader = spawn("sh", ["-c", "sleep 60 & echo $!; read x"], {
      detached: true,
      stdio: ["pipe", "pipe", "ignore"],
    })
    const [said] = await once(leader.stdout, "data")
    const left = processIdentity(Number(String(said).trim()))
    const identity = processIdentity(leader.pid ?? 0)
    leader.stdin.end()
    await once(leader, "exit")
    expect(isSameProcessAlive(identity)).toBe(false)
    await endProcessTree({ ...identity, startedAt: "another.time" })
    expect(isSameProcessAlive(left)).toBe(true)
    await endProcessTree(identity)
    expect(isSameProcessAlive(left)).toBe(false)
  },
)

test("[BASE-25] all processes of a machine agree on its name, start time and uptime", () => {
  const { name, boot, uptimeMs } = thisMachine()
  const script = `import { thisMachine } from ${JSON.stringify(import.meta.resolve("./process.ts"))}
    const it = thisMachine()
    process.stdout.write(JSON.stringify([it.name, it.boot, it.uptimeMs()]))`
  const before = uptimeMs()
  const said = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
  })
  const after = uptimeMs()
  expect(JSON.parse(said)).toEqual([name, boot, expect.any(Number)])
  const [, , between] = JSON.parse(said) as [string, string, number]
  expect(before).toBeLessThanOrEqual(between)
  expect(between).toBeLessThanOrEqual(after)
})
