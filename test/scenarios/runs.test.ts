import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { describe, expect, test } from "vitest"
import { AgentsApprovals, Run } from "#ground/contract"
import { LAUNCHER, newUser } from "#test/qm"

const SYNTHETIC = ["--agent", "synthetic"]
const endless = JSON.stringify({ after: 600_000, event: "turn.ended", outcome: "completed" })

type User = Awaited<ReturnType<typeof newUser>>

/** A running `qm`; killed at the end of the test at the latest. */
function startQm(user: User, args: readonly string[]) {
  const started = spawn(LAUNCHER, args, {
    cwd: user.project,
    env: { PATH: process.env["PATH"] ?? "", HOME: user.home },
    stdio: ["ignore", "pipe", "pipe"],
  })
  const exited = once(started, "close")
  const said: string[] = []
  let heard = Promise.withResolvers<void>()
  createInterface({ input: started.stdout }).on("line", (line) => {
    said.push(line)
    heard.resolve()
    heard = Promise.withResolvers()
  })
  return {
    said,
    started,
    /** The first line that matches; the test timeout is the guard. */
    async line(pattern: RegExp): Promise<string> {
      for (;;) {
        const found = said.find((it) => pattern.test(it))
        if (found !== undefined) return found
        await heard.promise
      }
    },
    async code(): Promise<unknown> {
      const [code] = await exited
      return code
    },
    async [Symbol.asyncDispose]() {
      started.kill("SIGKILL")
      await exited
    },
  }
}

const idIn = (line: string, prefix: string): string =>
  new RegExp(`${prefix}_\\w+`).exec(line)?.[0] ?? ""

async function statusOf(user: User, id: string): Promise<string> {
  return Run.parse(JSON.parse((await user.qm(["runs", "show", id, "--json"])).stdout)).status
}

describe("two processes", () => {
  test("[CLI-19] another process answers, prompts and watches a run", async () => {
    await using user = await newUser()
    await using run = startQm(user, ["run", "x", ...SYNTHETIC, "--script", "approvals"])
    const id = idIn(await run.line(/^Run run_/), "run")
    await using watching = startQm(user, ["attach"])
    const first = idIn(await run.line(/Answer: qm approve/), "apr")
    expect((await user.qm(["approvals"])).stdout).toContain(first)
    expect((await user.qm(["approve", first])).stdout).toMatch(/^Allowed: Edit src\/total\.ts/)
    await run.line(/Allowed: Edit/)
    expect((await user.qm(["send", id, "and then"])).stdout).toMatch(/^Queued after/)
    await run.line(/Bash: npm test/)
    const listed = (await user.qm(["approvals", "--json"])).stdout
    const [second] = AgentsApprovals.parse(JSON.parse(listed)).approvals
    await user.qm(["deny", second?.id ?? "", "--note", "not now"])
    expect(await run.code()).toBe(0)
    expect(await watching.code()).toBe(0)
    for (const { said } of [run, watching]) {
      expect(said.join("\n")).toMatch(/Denied: npm test[^]+not now[^]+› and then[^]+● You said/)
    }
  })

  test("[CLI-19] stop reaches a run of another process and waits for its end", async () => {
    await using user = await newUser()
    await using run = startQm(user, ["run", "x", ...SYNTHETIC, "--script", endless])
    const id = idIn(await run.line(/^Run run_/), "run")
    await run.line(/Session started/)
    expect(await user.qm(["stop", id])).toMatchObject({ code: 0, stdout: `Stopped ${id}.\n` })
    expect(await statusOf(user, id)).toBe("stopped")
    expect(await run.code()).toBe(3)
  })
})

test("[CLI-19] a run whose process died is reported as interrupted, and a message resumes it", async () => {
  await using user = await newUser()
  await using run = startQm(user, ["run", "x", ...SYNTHETIC, "--script", "approvals"])
  const id = idIn(await run.line(/^Run run_/), "run")
  const asked = idIn(await run.line(/Answer: qm approve/), "apr")
  run.started.kill("SIGKILL")
  await run.code()
  expect((await user.qm(["runs"])).stdout).toContain(`${id}  interrupted`)
  await using going = startQm(user, ["approve", asked])
  await going.line(/Allowed: Edit/)
  await going.line(/Session started/)
  await user.qm(["stop", id])
  expect(await going.code()).toBe(3)
})

test("[CLI-17] a signal stops the run before the process ends", async () => {
  await using user = await newUser()
  await using run = startQm(user, ["run", "x", ...SYNTHETIC, "--script", endless])
  const id = idIn(await run.line(/^Run run_/), "run")
  await run.line(/Session started/)
  run.started.kill("SIGINT")
  expect(await run.code()).toBe(130)
  expect(await statusOf(user, id)).toBe("stopped")
})

test("[CLI-21] a pipe that is closed early stops the run without an error message", async () => {
  await using user = await newUser()
  const talking = Array.from({ length: 200 }, () =>
    JSON.stringify({ after: 50, event: "message", type: "assistant", text: "again" }),
  )
  const script = [...talking, endless].join("\n")
  await using run = startQm(user, ["run", "x", ...SYNTHETIC, "--script", script])
  const id = idIn(await run.line(/^Run run_/), "run")
  let stderr = ""
  run.started.stderr.on("data", (text: Buffer) => void (stderr += text.toString()))
  await run.line(/again/)
  run.started.stdout.destroy()
  expect([await run.code(), stderr]).toEqual([0, ""])
  expect(await statusOf(user, id)).toBe("stopped")
})

test("[S7] a hostile agent's text reaches the terminal only as visible escapes", async () => {
  await using user = await newUser()
  const bad = "a\u001b[2Jb\u202ec\u009b31md\u200be\rf\u{e0041}g\u001b]52;c;eA==\u0007"
  const activity = { activityId: "x", kind: "command", tool: bad, title: bad, input: bad }
  const script = [
    { event: "message", type: "assistant", text: `${bad}\n# ${bad}\n\`\`\`\n${bad}` },
    { event: "activity.started", ...activity },
    {
      event: "activity.ended",
      activityId: "x",
      outcome: "failed",
      output: bad,
      diff: `+++ b/${bad}\n@@\n+x`,
    },
    { event: "context.file", path: bad, reason: bad },
    { event: "error", message: bad },
    { event: "turn.ended", outcome: "failed", error: bad },
  ]
  const lines = script.map((it) => JSON.stringify(it)).join("\n")
  const shown = await user.qm(["run", bad, ...SYNTHETIC, "--script", lines])
  expect(shown.code).toBe(1)
  const id = idIn(shown.stdout, "run")
  const outputs = [
    shown,
    await user.qm(["run", bad, ...SYNTHETIC, "--script", lines, "--json"]),
    await user.qm(["attach", id]),
    await user.qm(["runs"]),
    ...(await Promise.all(
      ["show", "messages", "context", "timeline"].map((it) => user.qm(["runs", it, id])),
    )),
    await user.qm(["runs", "message", id, "5"]),
    await user.qm(["runs", "edit", id, "--title", bad, "--label", "x"]),
    await user.qm(["send", bad, "x"]),
  ]
  for (const { stdout, stderr } of outputs) {
    expect(`${stdout}${stderr}`).toMatch(/^[\P{C}\n]*$/u)
    expect(`${stdout}${stderr}`).not.toBe("")
  }
})

describe("with a server", () => {
  test("[CLI-20] without a server, --detach names the command that starts it", async () => {
    await using user = await newUser()
    const seen = await user.qm(["run", "x", ...SYNTHETIC, "--detach"])
    expect(seen).toMatchObject({ code: 1, stdout: "" })
    expect(seen.stderr).toMatch(/qm up.+\[HTTP_NOT_RUNNING\]/)
  })

  test("[CLI-20] the server works on detached runs, and qm run leaves queued ones to it", async () => {
    await using user = await newUser()
    const one = ["--set", "agents.maxRunning=1"]
    await using up = startQm(user, ["up", "--port", "0", "--no-open", ...one])
    await up.line(/#t=/)
    const detached = ["run", "x", ...SYNTHETIC, "--script", endless, "--detach"]
    const seen = await user.qm(detached)
    expect(seen).toMatchObject({ code: 0, stderr: "" })
    const working = idIn(seen.stdout, "run")
    await using watching = startQm(user, ["attach", working])
    await watching.line(/Session started/)
    const waiting = idIn((await user.qm(detached)).stdout, "run")
    expect(await user.qm(["run", "own", ...SYNTHETIC])).toMatchObject({ code: 0 })
    expect(await statusOf(user, waiting)).toBe("queued")
    expect((await user.qm(["stop", waiting])).stdout).toBe(`Stopped ${waiting}.\n`)
    expect((await user.qm(["stop", working])).stdout).toBe(`Stopped ${working}.\n`)
    const refused = await user.qm(["run", " ", ...SYNTHETIC, "--detach"])
    expect(refused.stderr).toContain("[CLI_SERVER_REFUSED]")
  })
})
