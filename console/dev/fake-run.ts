import type { Socket } from "socket.io"
import type { Message, QueuedTurn } from "../src/contract.ts"
import { type Draft, say } from "./fake-run-drafts.ts"
import { diagramRun, everyKindRun, hostileRun, longRun, tariffRun } from "./fake-run-script.ts"
import { runId } from "./fake-runs-tables.ts"
import { WORLD_NOW } from "./fake-world.ts"

/** The transcripts of the fake server's runs, and who follows them. */
export type FakeTranscripts = {
  count(id: string): number
  message(id: string, seq: number): Message | undefined
  /** Somebody says something, and everybody who follows hears it. */
  add(id: string, drafts: readonly Draft[]): void
  /** Text that is being written, perhaps within an activity, never stored. */
  write(id: string, text: string, parentId?: string): void
  welcome(socket: Socket): void
  readonly turns: Map<string, QueuedTurn[]>
}

export const TARIFF = runId(31)
export const EVERY_KIND = runId(27)
export const DIAGRAMS = runId(26)
export const LONG = runId(30)
export const HOSTILE = runId(19)
const QUEUED = runId(34)
export const LONG_MESSAGES = 100_000

/** Content of a message in its brief form. */
const BRIEF_CHARACTERS = 4_000

export function fakeTranscripts(payloads: readonly string[] = []): FakeTranscripts {
  const { count, message, append } = fakeStore(payloads)
  const followers = new Map<string, Set<Socket>>()
  const tell = (id: string, name: string, body: object) => {
    for (const socket of followers.get(id) ?? []) {
      socket.emit(name, { agentId: id, timestamp: WORLD_NOW, ...body })
    }
  }
  return {
    count,
    message,
    turns: new Map([[TARIFF, [{ ...QUEUED_TURN }]]]),
    add(id, drafts) {
      for (const it of drafts) {
        append(id, it)
        tell(id, "agent:message", { message: briefly(message(id, count(id))) })
      }
    },
    write: (id, text, parentId) =>
      tell(id, "agent:delta", { text, ...(parentId === undefined ? {} : { parentId }) }),
    welcome(socket) {
      socket.on("subscribe", (from: Subscribe, answer: (it: object) => void) => {
        const { agentId: id, after = 0 } = from
        if (id === undefined) return
        followers.set(id, (followers.get(id) ?? new Set()).add(socket))
        answer({ kind: "subscribed", agentId: id, lastSeq: count(id), status: "running" })
        for (let seq = after + 1; seq <= count(id); seq++) {
          socket.emit("agent:message", { agentId: id, message: briefly(message(id, seq)) })
        }
      })
      socket.on("unsubscribe", ({ agentId }: { agentId: string }) =>
        followers.get(agentId)?.delete(socket),
      )
      socket.on("disconnect", () => {
        for (const all of followers.values()) all.delete(socket)
      })
    },
  }
}

type Subscribe = { readonly agentId?: string; readonly after?: number }

const QUEUED_TURN = {
  id: "turn_1",
  text: "Then update docs/tariffs.md with the rule you settled on.",
  queuedAt: WORLD_NOW,
}

/** What each run has said; the long one is made as it is asked for. */
function fakeStore(payloads: readonly string[]) {
  const stored = new Map<string, Draft[]>([
    [TARIFF, tariffRun()],
    [EVERY_KIND, everyKindRun()],
    [DIAGRAMS, diagramRun()],
    [HOSTILE, hostileRun(payloads)],
    [QUEUED, []],
  ])
  const added = new Map<string, Draft[]>()
  const ownOf = (id: string) => stored.get(id) ?? SHORT
  const ownCount = (id: string) => (id === LONG ? LONG_MESSAGES : ownOf(id).length)
  return {
    count: (id: string) => ownCount(id) + (added.get(id)?.length ?? 0),
    message(id: string, seq: number): Message | undefined {
      const own = id === LONG ? longRun(seq - 1) : ownOf(id)[seq - 1]
      const it = seq > ownCount(id) ? added.get(id)?.[seq - ownCount(id) - 1] : own
      return it === undefined ? undefined : { ...it, id: `msg_${seq}`, seq }
    },
    append: (id: string, draft: Draft) => added.set(id, [...(added.get(id) ?? []), draft]),
  }
}

const SHORT: readonly Draft[] = [
  say(1_000, "I look at the failing test first."),
  say(9_000, "Done."),
]

/** As the server sends it over the line: cut, and without the host's words. */
export function briefly(message: Message | undefined): Message | undefined {
  if (message === undefined) return undefined
  const { raw: _raw, ...rest } = message
  const { content, metadata } = rest
  if (content.length <= BRIEF_CHARACTERS) return rest
  return {
    ...rest,
    content: content.slice(0, BRIEF_CHARACTERS),
    metadata: { ...metadata, cut: content.length },
  }
}
