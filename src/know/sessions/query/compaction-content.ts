import { z } from "zod"
import type { CompactionContent } from "#ground/contract"
import { type Sql, sql } from "#ground/store"
import { READING_TOOLS } from "../transcript/transcript-state.ts"

/** Lines of one agent; the start of a call names its tool and its first argument. */
export const selectWindowLines = (session: string, agent: string): Sql => sql`
  SELECT at, role, tool, tokens, substr(body, 1, 600) AS head FROM session_lines
  WHERE session = ${session} AND agent = ${agent} AND role IN ('call', 'result', 'user')
  ORDER BY at, id LIMIT ${MOST_LINES}`
const MOST_LINES = 200_000

export const WindowLine = z.object({
  at: z.int(),
  role: z.string(),
  tool: z.string().nullable(),
  tokens: z.int(),
  head: z.string(),
})
type WindowLine = z.infer<typeof WindowLine>

type Segment = {
  turns: number
  /** Tokens of the contents that were read, by path. */
  readonly files: Map<string, number>
  readonly tools: Map<string, { results: number; tokens: number }>
}

const MOST_FILES = 50

/**
 * By compaction: files and tool results that it removed, and files that the agent read again before
 * the next one. A result belongs to the first open call of its tool, because lines of parallel calls
 * keep their order.
 */
export function compactionContents(
  lines: readonly WindowLine[],
  compactedAt: readonly number[],
): readonly CompactionContent[] {
  const segments = segmentsOf(lines, compactedAt)
  return compactedAt.map((_, index) => {
    const before = segments[index] ?? emptySegment()
    const after = segments[index + 1] ?? emptySegment()
    const files = [...before.files]
      .map(([path, tokens]) => ({ path, tokens, againTokens: after.files.get(path) ?? 0 }))
      .toSorted((a, b) => b.tokens - a.tokens)
    return {
      turns: before.turns,
      fileCount: files.length,
      files: files.slice(0, MOST_FILES),
      fileTokens: files.reduce((sum, it) => sum + it.tokens, 0),
      againTokens: files.reduce((sum, it) => sum + it.againTokens, 0),
      tools: [...before.tools]
        .map(([tool, { results, tokens }]) => ({ tool, results, tokens }))
        .toSorted((a, b) => b.tokens - a.tokens),
    }
  })
}

/** Files in the folder of the session get short paths, as in its list of files. */
export function insideOf(folder: string | null, content: CompactionContent): CompactionContent {
  const start = `${folder ?? ""}/`
  const isShort = (path: string): boolean => folder !== null && path.startsWith(start)
  return {
    ...content,
    files: content.files.map((it) =>
      isShort(it.path) ? { ...it, path: it.path.slice(start.length) } : it,
    ),
  }
}

const emptySegment = (): Segment => ({ turns: 0, files: new Map(), tools: new Map() })

function segmentsOf(
  lines: readonly WindowLine[],
  compactedAt: readonly number[],
): readonly Segment[] {
  const segments = [emptySegment()]
  const open = new Map<string, string[]>()
  let next = 0
  for (const line of lines) {
    while ((compactedAt[next] ?? Infinity) < line.at) {
      segments.push(emptySegment())
      next += 1
    }
    const segment = segments.at(-1)
    if (segment !== undefined) addLine(line, segment, open)
  }
  while (segments.length <= compactedAt.length) segments.push(emptySegment())
  return segments
}

function addLine(line: WindowLine, segment: Segment, open: Map<string, string[]>): void {
  const { role, tool, tokens, head } = line
  if (role === "user") segment.turns += 1
  if (tool === null) return
  const isReading = READING_TOOLS.test(tool)
  if (role === "call" && isReading) open.set(tool, [...(open.get(tool) ?? []), pathOf(tool, head)])
  if (role !== "result") return
  const [path, ...others] = isReading ? (open.get(tool) ?? []) : []
  if (path !== undefined) {
    open.set(tool, others)
    segment.files.set(path, (segment.files.get(path) ?? 0) + tokens)
    return
  }
  const sum = segment.tools.get(tool) ?? { results: 0, tokens: 0 }
  segment.tools.set(tool, { results: sum.results + 1, tokens: sum.tokens + tokens })
}

/** The first argument of a reading tool is its path. */
function pathOf(tool: string, head: string): string {
  return head.slice(tool.length + 1).split("\n", 1)[0] ?? ""
}
