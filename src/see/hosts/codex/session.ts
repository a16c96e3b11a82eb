import path from "node:path"
import { z } from "zod"
import { compareText } from "#ground/base"
import type { Disk } from "../files/disk.ts"
import type { HostPlace, HostReport, ToolCalls } from "../host.ts"
import { LARGEST_SESSION_HEAD_BYTES, MOST_SESSIONS_LOOKED_AT } from "../limits.ts"
import { createSurveyReader } from "../survey-reader.ts"
import { countCalls, type ToolCall } from "../tool-calls.ts"
import { codexHome } from "./folders.ts"

export async function readLastSession(
  place: HostPlace,
  disk: Disk,
): Promise<HostReport | undefined> {
  const home = await codexHome(place, createSurveyReader(disk))
  const cwd = (await disk.realPath(place.workingDirectory)) ?? place.workingDirectory
  let rolloutCount = 0
  for await (const rollout of newestRollouts(path.join(home, "sessions"), disk)) {
    if (rolloutCount++ === MOST_SESSIONS_LOOKED_AT) break
    const report = await readRollout(rollout, cwd, disk)
    if (report !== undefined) return report
  }
  return undefined
}

async function* newestRollouts(sessions: string, disk: Disk): AsyncGenerator<string> {
  for (const year of await newestFirst(sessions, disk)) {
    for (const month of await newestFirst(year, disk)) {
      for (const day of await newestFirst(month, disk)) yield* rolloutsOf(day, disk)
    }
  }
}

async function* rolloutsOf(day: string, disk: Disk): AsyncGenerator<string> {
  for (const file of await newestFirst(day, disk)) {
    if (/^rollout-.*\.jsonl$/.test(path.basename(file))) yield file
  }
}

async function newestFirst(folder: string, disk: Disk): Promise<readonly string[]> {
  const names = (await disk.list(folder)).map((it) => it.name)
  return names.toSorted((a, b) => compareText(b, a)).map((name) => path.join(folder, name))
}

const Meta = z.object({
  type: z.literal("session_meta"),
  payload: z.object({
    id: z.string().optional(),
    cwd: z.string(),
    cli_version: z.string().optional(),
  }),
})

const Message = z.object({
  type: z.literal("response_item"),
  payload: z.object({
    type: z.literal("message"),
    role: z.literal("user"),
    content: z.array(z.object({ text: z.string().default("") })),
  }),
})

const HEADING = "# AGENTS.md instructions"

async function readRollout(
  rollout: string,
  cwd: string,
  disk: Disk,
): Promise<HostReport | undefined> {
  let meta: z.infer<typeof Meta>["payload"] | undefined
  const limits = { maxBytes: LARGEST_SESSION_HEAD_BYTES }
  for await (const record of disk.records(rollout, limits)) {
    meta ??= Meta.safeParse(record).data?.payload
    if (meta === undefined || meta.cwd !== cwd) return undefined
    const texts = Message.safeParse(record).data?.payload.content.map((it) => it.text) ?? []
    const whole = texts.find((text) => text.startsWith(HEADING))
    if (whole !== undefined) return reportOf(meta, whole, await disk.modifiedAt(rollout))
    // The first message without instructions is the prompt: this session had none.
    if (texts.length > 0) break
  }
  return meta === undefined ? undefined : reportOf(meta, "", await disk.modifiedAt(rollout))
}

const OPENING = "<INSTRUCTIONS>\n"
const CLOSING = "\n</INSTRUCTIONS>"

function reportOf(
  meta: z.infer<typeof Meta>["payload"],
  whole: string,
  at: number | undefined,
): HostReport {
  const open = whole.indexOf(OPENING)
  const start = open + OPENING.length
  const end = whole.lastIndexOf(CLOSING)
  const inside = open === -1 || end < start ? "" : whole.slice(start, end)
  return {
    by: "transcript",
    at: at ?? 0,
    ...(meta.cli_version === undefined ? {} : { version: meta.cli_version }),
    ...(meta.id === undefined ? {} : { session: meta.id }),
    files: [],
    wholeText: inside,
    categories: [],
  }
}

const Call = z.object({
  timestamp: z.string().optional(),
  type: z.literal("response_item"),
  payload: z.object({
    type: z.literal("function_call"),
    name: z.string(),
    namespace: z.string().startsWith("mcp__"),
  }),
})

/** Rollouts are stored by day, not by folder: the count covers all projects. */
export async function countToolCalls(
  place: HostPlace,
  disk: Disk,
  since: number,
): Promise<ToolCalls> {
  const home = await codexHome(place, createSurveyReader(disk))
  const rollouts: { path: string; modifiedAt: number }[] = []
  for await (const rollout of newestRollouts(path.join(home, "sessions"), disk)) {
    const modifiedAt = await disk.modifiedAt(rollout)
    if (modifiedAt === undefined || modifiedAt < since) break
    rollouts.push({ path: rollout, modifiedAt })
  }
  return countCalls(rollouts, disk, (record): readonly ToolCall[] => {
    const call = Call.safeParse(record)
    if (!call.success) return []
    const { payload, timestamp } = call.data
    const at = Date.parse(timestamp ?? "")
    const tool = `${payload.namespace}__${payload.name}`
    return [{ tool, at: Number.isNaN(at) ? undefined : at }]
  })
}
