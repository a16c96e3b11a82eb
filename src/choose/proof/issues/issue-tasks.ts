import { createHash } from "node:crypto"
import path from "node:path"
import { z } from "zod"
import { parseJson, readTextBounded, statFile } from "#ground/base"
import { TasksInvalid } from "../errors.ts"
import type { LineRange } from "../recall/hunks.ts"
import type { TaskHalf } from "../recall/tasks.ts"

const LARGEST_TASK_FILE_BYTES = 500_000_000

const MOST_TASK_UNITS = 1_000_000

const Span = z.tuple([z.int().positive(), z.int().positive()])

const Row = z.object({
  id: z.string().min(1).max(1_000),
  repo: z.string().min(1).max(500),
  base_commit: z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/),
  task: z.string().max(MOST_TASK_UNITS),
  gold_files: z.array(z.string().min(1).max(4_096)).max(10_000).optional(),
  gold_lines: z.record(z.string(), z.array(Span)).optional(),
})

/** One issue: a text, the commit it was reported on, and the files or lines its fix changed. */
export type IssueRow = {
  readonly id: string
  readonly repo: string
  readonly commit: string
  readonly text: string
  readonly files: readonly string[]
  readonly lines: ReadonlyMap<string, readonly LineRange[]>
}

/** Reads a file with one JSON object per line; an invalid line is an error that names it. */
export async function readIssueRows(file: string): Promise<readonly IssueRow[]> {
  const outcome = await readTextBounded(file, { maxBytes: LARGEST_TASK_FILE_BYTES })
  if (outcome.kind !== "read") throw TasksInvalid({ file, line: 0, reason: outcome.kind })
  return outcome.text.split("\n").flatMap((text, at) => {
    if (text.trim() === "") return []
    const row = Row.safeParse(parseJson(text))
    if (row.success) return [issueRowOf(row.data)]
    const [issue] = row.error.issues
    const reason = `${issue?.path.join(".") || "line"}: ${issue?.message ?? "invalid"}`
    throw TasksInvalid({ file, line: at + 1, reason })
  })
}

function issueRowOf(row: z.infer<typeof Row>): IssueRow {
  const lines = Object.entries(row.gold_lines ?? {}).map(
    ([file, spans]) =>
      [
        file,
        spans.map(([one, other]) => ({
          fromLine: Math.min(one, other),
          toLine: Math.max(one, other),
        })),
      ] as const,
  )
  return {
    id: row.id,
    repo: row.repo,
    commit: row.base_commit,
    text: row.task,
    files: row.gold_files ?? lines.map(([file]) => file),
    lines: new Map(lines),
  }
}

/** Of more than `most`, evenly spaced ones; grouped by repository, which is opened once. */
export function chooseIssues(
  rows: readonly IssueRow[],
  { half, most }: { readonly half: TaskHalf; readonly most: number },
): ReadonlyMap<string, readonly IssueRow[]> {
  const ofHalf = rows.filter((it) => half === "all" || issueHalf(it.id) === half)
  const step = Math.max(1, ofHalf.length / most)
  const count = Math.min(most, ofHalf.length)
  const chosen = Array.from({ length: count }, (_, at) => ofHalf[Math.floor(at * step)])
  return Map.groupBy(
    chosen.filter((it) => it !== undefined),
    (it) => it.repo,
  )
}

/** By a hash of the id: always the same half. */
export function issueHalf(id: string): Exclude<TaskHalf, "all"> {
  const byte = createHash("sha256").update(id).digest()[0] ?? 0
  return byte % 2 === 0 ? "tune" : "report"
}

/** `<folder>/owner/name`, `owner+name`, `owner__name` or `name`; undefined if none exists. */
export async function findRepository(folder: string, repo: string): Promise<string | undefined> {
  const parts = repo.split("/")
  if (parts.some((it) => it === "" || it === "." || it === "..")) return undefined
  for (const name of [repo, parts.join("+"), parts.join("__"), parts.at(-1) ?? repo]) {
    const directory = path.join(folder, name)
    const outcome = await statFile(directory)
    const isFolder =
      outcome.kind === "found" && (outcome.what === "directory" || outcome.what === "symbolic link")
    if (isFolder) return directory
  }
  return undefined
}
