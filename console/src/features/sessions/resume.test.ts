import { describe, expect, it } from "vitest"
import type { IndexedSession, Provider, Run } from "../../contract.ts"
import { hostCommand, resumeOf } from "./resume.ts"
import { aTranscript } from "./sessions.fixture.ts"

const ROOT = "/work/tideline"
const provider = (type: Provider["type"], isInstalled = true) =>
  ({ type, title: type === "codex" ? "Codex" : type, isInstalled }) as Provider
const PROVIDERS = [
  provider("claude-code"),
  provider("codex", false),
  provider("gemini"),
  provider("synthetic"),
]
const session = (more: Partial<IndexedSession> = {}) =>
  aTranscript("s-1", { cwd: ROOT, repository: ROOT, ...more })
const run = (more: Partial<Run> = {}) =>
  ({
    id: "run_1",
    type: "claude-code",
    status: "completed",
    origin: "started",
    sessionId: "s-1",
    ...more,
  }) as Run
const resume = (it: { session?: IndexedSession; run?: Run }) =>
  resumeOf({ id: "s-1", session: it.session, run: it.run, providers: PROVIDERS, root: ROOT })

describe("resuming a session", () => {
  it("[CONSOLE-67] an ended run of ours continues on its page, one at work does not", () => {
    const href = "/runs/run_1?compose=yes"
    expect(resume({ run: run() })).toMatchObject({ kind: "open", href })
    expect(resume({ run: run({ type: "synthetic", status: "stopped" }) })).toMatchObject({ href })
    expect(resume({ run: run({ status: "running" }) })).toMatchObject({ kind: "elsewhere" })
    expect(resume({ run: run({ origin: "imported", sessionId: null }) })).toMatchObject({
      reason: "It was imported from a file, and its session is not on this machine.",
    })
  })

  it("[CONSOLE-67] a transcript of Claude Code is imported as a run, also again", () => {
    expect(resume({ session: session() })).toMatchObject({ kind: "import" })
    expect(resume({ session: session(), run: run({ origin: "read" }) }).kind).toBe("import")
    const deep = session({ repository: null, cwd: `${ROOT}/web` })
    expect(resume({ session: deep }).kind).toBe("import")
  })

  it("[CONSOLE-67] other hosts start a run that continues the session in its folder", () => {
    const gemini = session({ host: "gemini", cwd: `${ROOT}/web` })
    expect(resume({ session: gemini })).toMatchObject({
      kind: "open",
      href: "/runs?beside=new&agent=gemini&dir=%2Fwork%2Ftideline%2Fweb&resume=s-1",
    })
  })

  it("[CONSOLE-67] otherwise the reason is given, with the command of the host", () => {
    const elsewhere = session({ cwd: "/work/it's other", repository: "/work/it's other" })
    expect(resume({ session: elsewhere })).toEqual({
      kind: "elsewhere",
      reason: "Agents of this page work only in this repository. In a terminal:",
      command: "cd '/work/it'\\''s other' && claude --resume s-1",
    })
    expect(resume({ session: session({ host: "codex" }) })).toEqual({
      kind: "elsewhere",
      reason: "Codex is not on the PATH of this server. In a terminal that has it:",
      command: `cd ${ROOT} && codex resume s-1`,
    })
    const neighbour = session({ cwd: `${ROOT}-2`, repository: null })
    expect(resume({ session: neighbour }).kind, "a folder with the same start").toBe("elsewhere")
  })

  it("[CONSOLE-46] no id or path that must not be pasted is in a command", () => {
    const of = (id: string, cwd: string) => hostCommand({ host: "codex", id, cwd })
    expect(of("--help", ROOT)).toBeUndefined()
    expect(of("s-1", "/work/a\u001bb")).toBeUndefined()
    expect(of("s;rm", ROOT)).toBe(`cd ${ROOT} && codex resume 's;rm'`)
  })
})
