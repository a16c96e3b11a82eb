import path from "node:path"
import { z } from "zod"
import type { Disk } from "../files/disk.ts"
import type { HostPlace, HostReport } from "../host.ts"
import { LARGEST_SESSION_HEAD_BYTES, MOST_SESSIONS_LOOKED_AT } from "../limits.ts"
import { configFolder } from "./folders.ts"

export async function readLastSession(
  place: HostPlace,
  disk: Disk,
): Promise<HostReport | undefined> {
  const cwd = (await disk.realPath(place.workingDirectory)) ?? place.workingDirectory
  for (const session of await newestSessions(
    path.join(configFolder(place), "session-state"),
    disk,
  )) {
    const report = await readEvents(session, cwd, disk)
    if (report !== undefined) return report
  }
  return undefined
}

type Session = { readonly id: string; readonly events: string; readonly at: number }

async function newestSessions(folder: string, disk: Disk): Promise<readonly Session[]> {
  const sessions: Session[] = []
  for (const { name } of await disk.list(folder)) {
    const events = path.join(folder, name, "events.jsonl")
    const at = await disk.modifiedAt(events)
    if (at !== undefined) sessions.push({ id: name, events, at })
  }
  return sessions.toSorted((a, b) => b.at - a.at).slice(0, MOST_SESSIONS_LOOKED_AT)
}

const Start = z.object({
  type: z.literal("session.start"),
  data: z.object({
    copilotVersion: z.string().optional(),
    context: z.object({ cwd: z.string() }),
  }),
})

const SystemMessage = z.object({
  type: z.literal("system.message"),
  data: z.object({ content: z.string() }),
})

async function readEvents(
  session: Session,
  cwd: string,
  disk: Disk,
): Promise<HostReport | undefined> {
  let start: z.infer<typeof Start>["data"] | undefined
  const limits = { maxBytes: LARGEST_SESSION_HEAD_BYTES }
  for await (const record of disk.records(session.events, limits)) {
    start ??= Start.safeParse(record).data?.data
    if (start === undefined || start.context.cwd !== cwd) return undefined
    const message = SystemMessage.safeParse(record).data?.data.content
    if (message === undefined) continue
    const { copilotVersion } = start
    return {
      by: "transcript",
      at: session.at,
      ...(copilotVersion === undefined ? {} : { version: copilotVersion }),
      session: session.id,
      files: [],
      wholeText: customInstructions(message),
      categories: [],
    }
  }
  return undefined
}

export function customInstructions(message: string): string {
  const afterTools = message.lastIndexOf("\n</tools>\n")
  const rest = afterTools === -1 ? message : message.slice(afterTools + "\n</tools>\n".length)
  const end = rest.indexOf("\n<system_notifications>\n")
  const part = end === -1 ? rest : rest.slice(0, end)
  return part.replace(/^\n/, "").replace(/\n$/, "")
}
