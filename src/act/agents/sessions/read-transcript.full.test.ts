import { mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import type { AgentEvent, AgentType } from "#ground/contract"
import { needs } from "#test/needs"
import { tempDirectory } from "#test/temp"
import { begin, type ScriptedAction } from "../../../../test/conformance/agents.ts"
import {
  claudeCodeFixture,
  codexFixture,
  copilotFixture,
  removeCopilotCache,
} from "../../../../test/conformance/agents-fixtures.ts"
import { claudeCode } from "../claude-code/claude-code.ts"
import { codex } from "../codex/codex.ts"
import { copilot } from "../copilot/copilot.ts"
import { agentEnvironment } from "../environment.ts"
import { checkResumable, findTranscript } from "./find-sessions.ts"
import { createSessionHeads, listHostSessions } from "./list-sessions.ts"
import { readTranscript } from "./read-transcript.ts"

const PLAIN = { redact: (text: string) => text, redactJson: (value: unknown) => value }

const environmentOf = (type: AgentType) => (source: Readonly<Record<string, string | undefined>>) =>
  agentEnvironment(type, source)

const WORLDS = {
  "claude-code": () =>
    claudeCodeFixture({ agent: claudeCode, environment: environmentOf("claude-code") }),
  codex: () => codexFixture({ agent: codex, environment: environmentOf("codex") }),
  copilot: () => copilotFixture({ agent: copilot, environment: environmentOf("copilot") }),
} as const

async function bothOf(type: "claude-code" | "codex", deed: ScriptedAction) {
  await using fixture = await WORLDS[type]()
  const { cwd } = fixture.options(deed)
  const places = { home: fixture.marker, environment: {} }
  const live = await spoken(fixture, deed)
  const scope = { root: cwd, everywhere: false, limit: 10 }
  const list = { ...places, ...scope, redact: PLAIN.redact, heads: createSessionHeads() }
  const sessions = await listHostSessions(list)
  const [session] = sessions
  if (session === undefined) throw new Error("the host kept no session")
  const pages = await all(readTranscript(session, PLAIN))
  const read = pages.flatMap((page) =>
    page.messages.map((it) => ({
      event: it.message.metadata["event"] as AgentEvent,
      content: it.message.content,
    })),
  )
  const canResume = await checkResumable({ type, sessionId: session.sessionId }, places)
  return { live, read, sessions, session, facts: pages.at(-1)?.facts, canResume, cwd }
}

async function spoken(
  fixture: Awaited<ReturnType<(typeof WORLDS)["codex"]>>,
  deed: ScriptedAction,
) {
  await using agent = await begin(fixture, deed, "auto")
  const events = await agent.until("turn.ended")
  await agent.session.stop()
  return events
}

/** The events of both, without those that only a live stream or only a file has. */
function essence(events: readonly AgentEvent[]): readonly unknown[] {
  return events.flatMap((it): readonly unknown[] => {
    switch (it.event) {
      case "activity.started":
        return [{ event: it.event, kind: it.kind, tool: it.tool, title: it.title, path: it.path }]
      case "activity.ended":
        return [{ event: it.event, outcome: it.outcome, diff: it.diff }]
      case "turn.started":
        return [{ event: it.event }]
      case "turn.ended":
        return [{ event: it.event, outcome: it.outcome }]
      case "message":
        return it.type === "assistant" ? [{ event: it.event }] : []
      default:
        return []
    }
  })
}

for (const type of ["claude-code", "codex"] as const) {
  describe.runIf(needs("TB7", type))(`the transcripts of the real ${type}`, () => {
    for (const deed of ["talk", "edit", "command"] as const) {
      test(`${type}, ${deed}: its transcript gives the events of its stream`, async () => {
        const { live, read, session, sessions, facts, canResume, cwd } = await bothOf(type, deed)
        expect(essence(read.map((it) => it.event))).toEqual(essence(live))
        expect(read.map((it) => it.content)).toContain(`--hello $(x), please ${deed}`)
        expect(sessions).toHaveLength(1)
        expect(session).toMatchObject({ title: `--hello $(x), please ${deed}`, cwd })
        expect(facts).toMatchObject({ sessionId: session.sessionId, cwd })
        expect((facts?.usage.input ?? 0) + (facts?.usage.output ?? 0)).toBeGreaterThan(0)
        expect([session.isResumable, canResume]).toEqual([true, true])
      })
    }

    test(`${type}: a real transcript read in two halves gives the same as in one`, async () => {
      await using fixture = await WORLDS[type]()
      await using temp = await tempDirectory()
      await spoken(fixture, "edit")
      const places = { home: fixture.marker, environment: {} }
      const root = fixture.options("edit").cwd
      const [session] = await listHostSessions({
        heads: createSessionHeads(),
        ...places,
        ...PLAIN,
        root,
        everywhere: true,
        limit: 1,
      })
      if (session === undefined) throw new Error("the host kept no session")
      const bytes = await readFile(session.file)
      const it = { ...session, file: join(temp.path, "copy.jsonl") }
      const read = async (after?: { offset: number; head: string }) =>
        all(readTranscript(it, { ...PLAIN, after }))
      await writeFile(it.file, bytes)
      const whole = (await read()).flatMap((page) => page.messages)
      for (let part = 1; part < 40; part++) {
        await writeFile(it.file, bytes.subarray(0, Math.floor((bytes.length * part) / 40)))
        const first = await read()
        await writeFile(it.file, bytes)
        const rest = await read(first.at(-1)?.until)
        expect([...first, ...rest].flatMap((page) => page.messages)).toEqual(whole)
      }
    })
  })
}

for (const type of ["claude-code", "codex", "copilot"] as const) {
  describe.runIf(needs("TB7", type))(`sessions of the real ${type}`, () => {
    test(`${type}: a session reported as resumable can be resumed; without its transcript it is not reported so`, async () => {
      await using fixture = await WORLDS[type]()
      const places = { home: fixture.marker, environment: {} }
      await using agent = await begin(fixture, "talk", "auto")
      const events = await agent.until("turn.ended")
      await agent.session.stop()
      const started = events.find((it) => it.event === "session.started")
      const sessionId = started?.sessionId ?? ""
      expect(await checkResumable({ type, sessionId }, places)).toBe(true)
      await using again = await begin(fixture, "talk", "auto", sessionId)
      const resumed = await again.until("turn.ended")
      expect(resumed.find((it) => it.event === "session.started")).toMatchObject({ sessionId })
      await again.session.stop()
      const file = (await findTranscript(type, sessionId, places)) ?? ""
      const away = join(dirname(fixture.marker), "away")
      await mkdir(away)
      await rename(file, join(away, "session.jsonl"))
      expect(await checkResumable({ type, sessionId }, places)).toBe(false)
    })
  })
}

afterAll(removeCopilotCache)

/**
 * `Array.fromAsync`, which our oldest supported Node does not have.
 */
async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const found: Value[] = []
  for await (const value of values) found.push(value)
  return found
}
