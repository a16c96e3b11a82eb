import { z } from "zod"
import type { Message, Run } from "#ground/contract"
import type { TranscriptFile } from "../sessions/find-sessions.ts"
import { type HostDraft, type HostPage, readHostSession } from "../sessions/read-transcript.ts"
import type { KeepingDeps } from "./keeping.ts"
import { insertMessages, noteReading, setLastSeq } from "./kept/queries.ts"
import type { RunRow } from "./kept/rows.ts"
import { newRun } from "./new-run.ts"

/** How far a transcript was read, beside the run it was read into. */
const ReadFrom = z.object({ file: z.string(), head: z.string() })

/** A host's transcript as a run; of one that was read before, only what is new. */
export async function readIntoRun(
  transcript: TranscriptFile,
  known: RunRow | undefined,
  deps: KeepingDeps,
): Promise<Run> {
  const after = known === undefined ? undefined : readUntil(known)
  const id = known?.run.id ?? deps.ids.next("run")
  let lastSeq = known?.run.lastSeq ?? 0
  let isNew = known === undefined
  for await (const page of readHostSession(transcript, { ...deps, after })) {
    if (page.isFromStart && !isNew) {
      // Another file under the same name: what was kept of it is void, the run keeps its name.
      await deps.book.remove(id)
      lastSeq = 0
      isNew = true
    }
    lastSeq = await keep(page, { id, lastSeq, isNew, transcript }, deps)
    isNew = false
  }
  return (await deps.book.find(id)).run
}

function readUntil({ hidden }: RunRow): { offset: number; head: string } | undefined {
  const from = ReadFrom.safeParse(JSON.parse(hidden.readFrom ?? "null"))
  return from.success ? { offset: hidden.readUntil, head: from.data.head } : undefined
}

type Place = {
  readonly id: string
  readonly lastSeq: number
  readonly isNew: boolean
  readonly transcript: TranscriptFile
}

/** Messages, their number and how far was read, together or not at all. */
async function keep(page: HostPage, place: Place, deps: KeepingDeps): Promise<number> {
  const { id, transcript } = place
  const at = deps.clock.now()
  const messages = page.drafts.map((it, index) =>
    messageOf(it, { id: deps.ids.next("msg"), seq: place.lastSeq + index + 1, at }),
  )
  if (place.isNew) await deps.book.add(runOf(page, place, deps), NOT_OURS)
  const { offset, head } = page.until
  const lastSeq = place.lastSeq + messages.length
  await deps.db.transaction(async (tx) => {
    if (messages.length > 0) await tx.run(insertMessages(id, messages))
    await tx.run(setLastSeq(id, lastSeq))
    const from = JSON.stringify({ file: transcript.file, head })
    await tx.run(noteReading(id, { from, until: offset, ...factsOf(page) }))
    tx.emit("agents.advanced", { id, seq: lastSeq })
  })
  return lastSeq
}

const NOT_OURS = { configuration: { mode: "ask" }, owner: null, leaseUntil: 0 } as const

function factsOf({ facts }: HostPage) {
  const { usage, costUsd, model, version } = facts
  return {
    cost: JSON.stringify({ usage, reportedUsd: costUsd, computedUsd: null }),
    model,
    version,
  }
}

function messageOf(
  { draft, at }: HostDraft,
  place: { readonly id: string; readonly seq: number; readonly at: number },
): Message {
  return { ...draft, id: place.id, seq: place.seq, timestamp: at ?? place.at }
}

/** It has ended as far as we know: nothing of ours works on it, and a further turn resumes it. */
function runOf({ facts, drafts }: HostPage, place: Place, deps: KeepingDeps): Run {
  const { host, sessionId } = place.transcript
  const first = drafts.find((it) => it.draft.type === "user")
  const prompt = first?.draft.content ?? facts.title ?? sessionId
  const at = drafts[0]?.at ?? deps.clock.now()
  const input = { type: host, prompt, configuration: { mode: "ask" } } as const
  const run = newRun(input, { id: place.id, cwd: facts.cwd ?? deps.root(), at })
  return {
    ...run,
    title: facts.title === null ? run.title : deps.redact(facts.title),
    status: "completed",
    sessionId,
    model: facts.model,
    hostVersion: facts.version,
    startedAt: at,
    endedAt: drafts.at(-1)?.at ?? at,
    turns: drafts.filter((it) => it.draft.type === "user").length,
    origin: "read",
  }
}
