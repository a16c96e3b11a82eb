import path from "node:path"
import { z } from "zod"
import type { Disk } from "../files/disk.ts"
import type { HostPlace, HostReport, ToolCalls } from "../host.ts"
import { countCalls, type ToolCall, transcriptsIn } from "../tool-calls.ts"
import { claudeProjectSlug } from "../transcripts/find-transcripts.ts"
import { configFolder, realWorkingDirectory } from "./folders.ts"

/** Sessions of one folder whose times are compared; the host itself stores thirty days. */
const MOST_TRANSCRIPTS = 2_000

/** A transcript has its instructions within the first 100 kB; long ones have gigabytes. */
const TRANSCRIPT_HEAD_BYTES = 8 * 1024 * 1024

export async function readLastSession(
  place: HostPlace,
  disk: Disk,
): Promise<HostReport | undefined> {
  const folder = path.join(
    configFolder(place),
    "projects",
    claudeProjectSlug(await realWorkingDirectory(place, disk)),
  )
  const newest = await newestTranscript(folder, disk)
  return newest === undefined ? undefined : readInstructions(newest, disk)
}

type Transcript = { readonly path: string; readonly modifiedAt: number }

async function newestTranscript(folder: string, disk: Disk): Promise<Transcript | undefined> {
  const names = (await disk.list(folder))
    .filter((it) => it.what === "file" && it.name.endsWith(".jsonl"))
    .slice(0, MOST_TRANSCRIPTS)
  const transcripts: Transcript[] = []
  for (const { name } of names) {
    const file = path.join(folder, name)
    const modifiedAt = await disk.modifiedAt(file)
    if (modifiedAt !== undefined) transcripts.push({ path: file, modifiedAt })
  }
  return transcripts
    .toSorted((a, b) => a.modifiedAt - b.modifiedAt || (a.path < b.path ? -1 : 1))
    .at(-1)
}

const Line = z.object({
  type: z.literal("attachment"),
  attachment: z.object({
    type: z.literal("instructions"),
    files: z.array(z.object({ path: z.string(), content: z.string() })),
  }),
  sessionId: z.string().optional(),
  version: z.string().optional(),
  timestamp: z.string().optional(),
})

async function readInstructions(
  transcript: Transcript,
  disk: Disk,
): Promise<HostReport | undefined> {
  try {
    for await (const record of disk.records(transcript.path, {
      maxBytes: TRANSCRIPT_HEAD_BYTES,
    })) {
      const line = Line.safeParse(record)
      if (line.success) return reportOf(line.data, transcript)
    }
  } catch {
    // Removed or unreadable: there is no report.
  }
  return undefined
}

function reportOf(line: z.infer<typeof Line>, transcript: Transcript): HostReport {
  const { version, sessionId, timestamp } = line
  const at = Date.parse(timestamp ?? "")
  return {
    by: "transcript",
    at: Number.isNaN(at) ? Math.round(transcript.modifiedAt) : at,
    ...(version === undefined ? {} : { version }),
    ...(sessionId === undefined ? {} : { session: sessionId }),
    files: line.attachment.files.map((it) => ({ path: it.path, text: it.content.trim() })),
    categories: [],
  }
}

const AssistantLine = z.object({
  type: z.literal("assistant"),
  timestamp: z.string().optional(),
  message: z.object({
    content: z.array(z.object({ type: z.string(), name: z.string().optional() })),
  }),
})

/** Requests that the transcript also stores repeat earlier calls; only answers are counted. */
export async function countToolCalls(
  place: HostPlace,
  disk: Disk,
  since: number,
): Promise<ToolCalls> {
  const slug = claudeProjectSlug(await realWorkingDirectory(place, disk))
  const folder = path.join(configFolder(place), "projects", slug)
  return countCalls(await transcriptsIn(folder, disk, since), disk, (record) => {
    const line = AssistantLine.safeParse(record)
    if (!line.success) return []
    const at = Date.parse(line.data.timestamp ?? "")
    const isOld = !Number.isNaN(at) && at < since
    const calls = isOld ? [] : line.data.message.content
    return calls.flatMap(({ type, name }): ToolCall[] =>
      type === "tool_use" && name?.startsWith("mcp__") === true
        ? [{ tool: name, at: Number.isNaN(at) ? undefined : at }]
        : [],
    )
  })
}
