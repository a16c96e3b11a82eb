import { join } from "node:path"
import { createInterface } from "node:readline"
import { describe, expect, test } from "vitest"
import { needs } from "#test/needs"
import { tempDirectory } from "#test/temp"
import { isSameProcessAlive, processIdentity } from "./process.ts"
import { taskkill } from "./process-group.ts"
import { attend, pickEnvironment, type RunOptions, run, start } from "./spawn.ts"

const env = pickEnvironment(process.env, ["PATH"])
const cwd = import.meta.dirname
const usual: RunOptions = { cwd, env, timeoutMs: 60_000, maxOutputBytes: 1_000_000 }

const node = (script: string, args: readonly string[] = [], options: Partial<RunOptions> = {}) =>
  run(process.execPath, ["-e", script, "--", ...args], { ...usual, ...options })

describe("arguments, variables and input of a child process", () => {
  test("[BASE-13] arguments arrive unchanged, including shell syntax", async () => {
    const args = [
      "$(x)",
      "`id`",
      "a b",
      "--dangerously",
      "-",
      "",
      "a\nb",
      "*",
      "'\"\\",
      ";|&",
      "世",
    ]
    const outcome = await node("console.log(JSON.stringify(process.argv.slice(1)))", args)
    expect(outcome).toMatchObject({ kind: "exited", code: 0, truncated: false })
    expect("stdout" in outcome && JSON.parse(outcome.stdout.toString())).toEqual(args)
  })

  test("[BASE-13] a child has only the given environment variables", async () => {
    process.env.QM_TEST_CANARY = "canary"
    const picked = pickEnvironment(process.env, ["PATH", "QM_TEST_NOT_SET"])
    expect(Object.keys(picked)).toEqual(["PATH"])
    const outcome = await run("/usr/bin/env", [], { ...usual, env: { ...picked, GIVEN: "yes" } })
    delete process.env.QM_TEST_CANARY
    const lines = "stdout" in outcome ? outcome.stdout.toString().trim().split("\n") : []
    // Node passes this variable on itself when coverage of child processes is collected.
    const seen = lines.filter((it) => !it.startsWith("NODE_V8_COVERAGE="))
    expect(seen.toSorted()).toEqual(["GIVEN=yes", `PATH=${env.PATH}`])
  })

  test("[BASE-13] a child has its directory, its input and no terminal", async () => {
    await using directory = await tempDirectory()
    const script = `
      const text = require("node:fs").readFileSync(0, "utf8")
      console.log(JSON.stringify([process.cwd(), text, process.stdin.isTTY ?? false]))`
    for (const input of ["Grüße\n", undefined]) {
      const outcome = await node(script, [], {
        cwd: directory.path,
        ...(input === undefined ? {} : { input }),
      })
      const said: unknown = "stdout" in outcome && JSON.parse(outcome.stdout.toString())
      expect(said).toEqual([directory.path, input ?? "", false])
    }
  })

  test("[BASE-13] a child that does not read its input is not an error", async () => {
    const outcome = await run("true", [], { ...usual, input: Buffer.alloc(5_000_000) })
    expect(outcome).toMatchObject({ kind: "exited", code: 0 })
  })
})

describe("how a child process ends", () => {
  test("[BASE-14] a run ends with an exit code, with a signal, or does not start", async () => {
    const sh = (script: string) => run("sh", ["-c", script], usual)
    expect(await sh("echo out; echo err >&2; exit 3")).toEqual({
      kind: "exited",
      code: 3,
      stdout: Buffer.from("out\n"),
      stderr: Buffer.from("err\n"),
      truncated: false,
    })
    expect(await sh("kill -9 $$")).toMatchObject({ kind: "signalled", signal: "SIGKILL" })
    expect(await run("no-such-program", [], usual)).toEqual({ kind: "not-found" })
    expect(await run("sh", [], { ...usual, cwd: join(cwd, "no") })).toEqual({
      kind: "not-started",
      reason: "the working directory does not exist",
    })
    expect(await run(join(cwd, "spawn.ts"), [], usual)).toEqual({
      kind: "not-started",
      reason: "EACCES",
    })
    expect(await run("echo", ["a\0b"], usual)).toEqual({
      kind: "not-started",
      reason: "ERR_INVALID_ARG_VALUE",
    })
    await expect(run("true", [], { ...usual, timeoutMs: 2 ** 31 })).rejects.toThrow("invariant")
  })

  test("[BASE-14] a run that times out returns its output up to then", async () => {
    const outcome = await run("sh", ["-c", "echo begun; sleep 600"], { ...usual, timeoutMs: 2_000 })
    expect(outcome).toMatchObject({ kind: "timed-out", stdout: Buffer.from("begun\n") })
  })

  test("[BASE-14] an abort ends a run, before and after its start", async () => {
    const controller = new AbortController()
    const running = run("sleep", ["600"], { ...usual, signal: controller.signal })
    setTimeout(() => controller.abort(), 50)
    expect(await running).toMatchObject({ kind: "aborted" })
    expect(await run("sleep", ["600"], { ...usual, signal: controller.signal })).toEqual({
      kind: "aborted",
      stdout: Buffer.alloc(0),
      stderr: Buffer.alloc(0),
      truncated: false,
    })
  })

  test('[BASE-15] with `atLimit: "end"` a run ends at its output limit', async () => {
    const outcome = await run("yes", [], { ...usual, maxOutputBytes: 1_000, atLimit: "end" })
    expect(outcome).toMatchObject({ kind: "signalled", truncated: true })
    expect("stdout" in outcome && outcome.stdout.length).toBe(1_000)
    const short = await run("echo", ["x"], { ...usual, maxOutputBytes: 2, atLimit: "end" })
    expect(short).toMatchObject({ kind: "exited", code: 0, truncated: false })
  })

  test("[BASE-15] 50 MB of output are read and only the beginning is returned", async () => {
    const script = `
      const piece = Buffer.alloc(1_000_000, "x")
      for (let i = 0; i < 50; i++) require("node:fs").writeSync(1, piece)
      require("node:fs").writeSync(2, "done")`
    const before = process.memoryUsage().rss
    const outcome = await node(script, [], { maxOutputBytes: 10_000 })
    expect(outcome).toMatchObject({ kind: "exited", code: 0, stderr: Buffer.from("done") })
    expect("stdout" in outcome && outcome.stdout.equals(Buffer.alloc(10_000, "x"))).toBe(true)
    expect("truncated" in outcome && outcome.truncated).toBe(true)
    expect(process.memoryUsage().rss - before).toBeLessThan(60_000_000)
  })

  test("[BASE-15] output of exactly the limit is not truncated", async () => {
    const outcome = await run("printf", ["12345"], { ...usual, maxOutputBytes: 5 })
    expect(outcome).toMatchObject({ stdout: Buffer.from("12345"), truncated: false })
  })
})

const FAMILY = `
  trap '' TERM
  sleep 601 & echo $!
  setsid sh -c 'trap "" TERM; sleep 602 & echo $!; echo $$; wait' &
  wait`

describe.runIf(needs("C6", "proc"))("the process group after a run", () => {
  test("[C6] children and grandchildren that ignore the signal are gone, also in other groups", async () => {
    const started = await start("sh", ["-c", FAMILY], { cwd, env, graceMs: 100 })
    if (started.kind !== "started") throw new Error(started.kind)
    const lines = createInterface({ input: started.child.stdout })[Symbol.asyncIterator]()
    const said = [await lines.next(), await lines.next(), await lines.next()]
    const children = said.map((it) => processIdentity(Number(it.value)))
    const family = [started.child.identity, ...children]
    expect(family.map(isSameProcessAlive)).toEqual([true, true, true, true])
    expect(await started.child.end()).toEqual({ kind: "signalled", signal: "SIGKILL" })
    expect(family.map(isSameProcessAlive)).toEqual([false, false, false, false])
  })

  test("[C6] a child in another group is ended although its parent exits at the first signal", async () => {
    const script = "setsid sh -c 'echo $$; trap \"\" TERM; sleep 607; sleep 608' & wait"
    const started = await start("sh", ["-c", script], { cwd, env, graceMs: 100 })
    if (started.kind !== "started") throw new Error(started.kind)
    const lines = createInterface({ input: started.child.stdout })[Symbol.asyncIterator]()
    const stray = processIdentity(Number((await lines.next()).value))
    expect(await started.child.end()).toEqual({ kind: "signalled", signal: "SIGTERM" })
    expect(isSameProcessAlive(stray)).toBe(false)
  })

  test("[C6] background processes of a program that exits normally are ended", async () => {
    const script = "sleep 603 & echo $!; sh -c 'trap \"\" TERM; sleep 604' & echo $!"
    const outcome = await run("sh", ["-c", script], { ...usual, graceMs: 100 })
    expect(outcome).toMatchObject({ kind: "exited", code: 0 })
    const pids = "stdout" in outcome ? outcome.stdout.toString().trim().split("\n").map(Number) : []
    expect(pids).toHaveLength(2)
    expect(pids.filter((pid) => isSameProcessAlive({ pid, startedAt: undefined }))).toEqual([])
  })

  test("[C6] a process that handles SIGTERM can finish its cleanup", async () => {
    const script = "trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.01; done"
    const started = await start("sh", ["-c", script], { cwd, env, graceMs: 20_000 })
    if (started.kind !== "started") throw new Error(started.kind)
    const lines = createInterface({ input: started.child.stdout })[Symbol.asyncIterator]()
    expect((await lines.next()).value).toBe("ready")
    const ended = started.child.end()
    expect((await lines.next()).value).toBe("bye")
    expect(await ended).toEqual({ kind: "exited", code: 0 })
  })
})

describe("a long-lived child process", () => {
  test("[BASE-14] the child communicates over pipes and is identified by pid and start time", async () => {
    const started = await start("cat", [], { cwd, env, stdin: "pipe" })
    if (started.kind !== "started") throw new Error(started.kind)
    await using cat = started.child
    const lines = createInterface({ input: cat.stdout })[Symbol.asyncIterator]()
    cat.stdin?.write("one\n")
    expect((await lines.next()).value).toBe("one")
    expect(cat.identity).toEqual(processIdentity(cat.identity.pid))
    cat.stdin?.end("two\n")
    expect((await lines.next()).value).toBe("two")
    expect(await cat.exited).toEqual({ kind: "exited", code: 0 })
    expect(await cat.end()).toEqual({ kind: "exited", code: 0 })
  })

  test("[BASE-14] the child is gone at the end of its scope, also with unread output", async () => {
    let identity = processIdentity()
    {
      const started = await start("yes", [], { cwd, env })
      if (started.kind !== "started") throw new Error(started.kind)
      await using yes = started.child
      identity = yes.identity
      expect(isSameProcessAlive(identity)).toBe(true)
      expect(yes.stdin).toBeNull()
    }
    expect(isSameProcessAlive(identity)).toBe(false)
  })

  test("[BASE-14] an abort ends the child or prevents its start", async () => {
    const controller = new AbortController()
    const options = { cwd, env, signal: controller.signal }
    const started = await start("sleep", ["605"], options)
    if (started.kind !== "started") throw new Error(started.kind)
    controller.abort()
    expect(await started.child.exited).toEqual({ kind: "signalled", signal: "SIGTERM" })
    expect(await start("sleep", ["606"], options)).toEqual({ kind: "aborted" })
    expect(await start("no-such-program", [], { cwd, env })).toEqual({ kind: "not-found" })
  })
})

describe("an interactive child process", () => {
  test.each([
    ["its exit code", ["-e", "process.exit(7)"], { kind: "exited", code: 7 }],
    [
      "the signal that ended it",
      ["-e", "process.kill(process.pid, 'SIGKILL')"],
      { kind: "signalled", signal: "SIGKILL" },
    ],
  ])("[BASE-30] %s is reported", async (_, args, outcome) => {
    expect(await attend(process.execPath, args, { cwd, env })).toEqual(outcome)
  })

  test("[BASE-30] the child receives Ctrl-C, SIGTERM is forwarded, and no signal handler remains", async () => {
    const before = process.listenerCount("SIGINT")
    const ended = attend("sleep", ["607"], { cwd, env })
    expect(process.listenerCount("SIGINT")).toBe(before + 1)
    process.emit("SIGINT")
    process.emit("SIGTERM", "SIGTERM")
    expect(await ended).toEqual({ kind: "signalled", signal: "SIGTERM" })
    expect(process.listenerCount("SIGINT")).toBe(before)
  })

  test("[BASE-30] a missing program is an outcome, not an error", async () => {
    expect(await attend("no-such-program", [], { cwd, env })).toEqual({ kind: "not-found" })
  })
})

test("[BASE-14] on Windows the tree is ended by taskkill, by its full path", () => {
  expect(taskkill(42, { SystemRoot: "D:\\WINNT" })).toEqual({
    file: "D:\\WINNT\\System32\\taskkill.exe",
    args: ["/T", "/F", "/PID", "42"],
  })
  expect(taskkill(42, {}).file).toBe("C:\\Windows\\System32\\taskkill.exe")
})
