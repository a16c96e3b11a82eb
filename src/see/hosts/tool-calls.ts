import path from "node:path"
import { parseJson } from "#ground/base"
import type { Disk } from "./files/disk.ts"
import type { ToolCalls } from "./host.ts"

/** Larger transcripts are skipped and reported as not read. */
const LARGEST_TRANSCRIPT_BYTES = 32 * 1024 * 1024

/** Per count; a search of this much takes a fifth of a second. */
const MOST_TRANSCRIPT_BYTES = 128 * 1024 * 1024

const MOST_TRANSCRIPTS = 2_000

const MARK = "mcp__"

export type ToolCall = { readonly tool: string; readonly at: number | undefined }

/** The newest transcripts first; only lines that name an MCP tool are parsed. */
export async function countCalls(
  transcripts: readonly { readonly path: string; readonly modifiedAt: number }[],
  disk: Disk,
  callsIn: (record: unknown) => readonly ToolCall[],
): Promise<ToolCalls> {
  const byTool = new Map<string, { calls: number; lastAt: number }>()
  const newest = transcripts.toSorted((a, b) => b.modifiedAt - a.modifiedAt)
  let [bytes, sessions] = [0, 0]
  for (const transcript of newest.slice(0, MOST_TRANSCRIPTS)) {
    if (bytes >= MOST_TRANSCRIPT_BYTES) break
    const file = await disk.read(transcript.path, { maxBytes: LARGEST_TRANSCRIPT_BYTES })
    if (file.kind !== "file") continue
    sessions++
    bytes += file.bytes.length
    for (const line of linesWith(file.bytes, MARK)) {
      for (const { tool, at } of callsIn(parseJson(line))) {
        const toolCalls = byTool.get(tool) ?? { calls: 0, lastAt: 0 }
        toolCalls.calls++
        toolCalls.lastAt = Math.max(toolCalls.lastAt, at ?? Math.round(transcript.modifiedAt))
        byTool.set(tool, toolCalls)
      }
    }
  }
  return { sessions, isWhole: sessions === transcripts.length, byTool }
}

function* linesWith(bytes: Buffer, mark: string): Generator<string> {
  for (let at = bytes.indexOf(mark); at !== -1; ) {
    const start = bytes.lastIndexOf(10, at) + 1
    const next = bytes.indexOf(10, at)
    const end = next === -1 ? bytes.length : next
    yield bytes.toString("utf8", start, end)
    at = next === -1 ? -1 : bytes.indexOf(mark, end)
  }
}

/** Files of one folder that were changed since a time. */
export async function transcriptsIn(folder: string, disk: Disk, since: number) {
  const transcripts: { path: string; modifiedAt: number }[] = []
  for (const { name, what } of await disk.list(folder)) {
    if (what !== "file" || !name.endsWith(".jsonl")) continue
    const file = path.join(folder, name)
    const modifiedAt = await disk.modifiedAt(file)
    if (modifiedAt !== undefined && modifiedAt >= since)
      transcripts.push({ path: file, modifiedAt })
  }
  return transcripts
}
