import { createHash } from "node:crypto"
import path from "node:path"
import { z } from "zod"
import {
  ensureDirectory,
  invariant,
  type Log,
  parseJson,
  readTextBounded,
  writeFileAtomic,
} from "#ground/base"
import { PipelineSummary } from "#ground/contract"
import type { PriorAnswer } from "../stage.ts"

/** Enough for thirty escaped sections. */
const RESULT_FILE_LIMIT_BYTES = 4 * 1024 ** 2

export type ResultPlace = { readonly directory: string; readonly run: string }

const SUMMARY_FILE = "pipeline-summary.json"
const ANSWER_FILE = "answer.json"
const DOCUMENT_FILE = "document.md"

/**
 * Copies of data in the events; each file is replaced as a whole, and none is needed to continue a
 * run.
 */
export async function writeResults(
  location: ResultPlace,
  results: {
    readonly summary: PipelineSummary
    readonly answer: PriorAnswer | undefined
    readonly document: string | undefined
  },
): Promise<void> {
  await ensureDirectory(folderOf(location))
  if (results.document !== undefined)
    await writeFileAtomic(fileOf(location, DOCUMENT_FILE), results.document)
  if (results.answer !== undefined)
    await writeFileAtomic(fileOf(location, ANSWER_FILE), seal(results.answer))
  await writeFileAtomic(fileOf(location, SUMMARY_FILE), seal(results.summary))
}

type Rebuild<Content> = { readonly rebuild: () => Promise<Content>; readonly log: Log }

/** A missing, truncated or edited file is rebuilt from the events. */
export function readSummary(
  location: ResultPlace,
  deps: Rebuild<PipelineSummary>,
): Promise<PipelineSummary> {
  return readOrRebuild(fileOf(location, SUMMARY_FILE), PipelineSummary, deps)
}

export function readAnswer(
  location: ResultPlace,
  deps: Rebuild<PriorAnswer>,
): Promise<PriorAnswer> {
  return readOrRebuild(fileOf(location, ANSWER_FILE), AnswerFile, deps)
}

const AnswerFile = z.object({
  run: z.string(),
  query: z.string(),
  sections: z.array(
    z.object({ title: z.string(), text: z.string(), paragraphs: z.array(z.string()) }),
  ),
})

async function readOrRebuild<Content>(
  file: string,
  shape: z.ZodType<Content>,
  deps: Rebuild<Content>,
): Promise<Content> {
  const read = await readTextBounded(file, { maxBytes: RESULT_FILE_LIMIT_BYTES })
  const unsealed = read.kind === "read" ? unseal(read.text, shape) : undefined
  if (unsealed?.kind === "whole") return unsealed.content
  const problem = unsealed?.problem ?? read.kind
  deps.log.warn("a result file was rebuilt from the run's events", { file, problem })
  const content = await deps.rebuild()
  await mend(file, content, deps.log)
  return content
}

/** The caller already has the content, so a failed repair is only logged. */
async function mend(file: string, content: unknown, log: Log): Promise<void> {
  try {
    await ensureDirectory(path.dirname(file))
    await writeFileAtomic(file, seal(content))
  } catch (error) {
    log.warn("a result file could not be rewritten", { file, problem: error })
  }
}

function fileOf(location: ResultPlace, name: string): string {
  return path.join(folderOf(location), name)
}

function folderOf(location: ResultPlace): string {
  invariant(/^[a-z0-9][a-z0-9-]*$/i.test(location.run), "a run id is a name, not a path")
  return path.join(location.directory, location.run)
}

function seal(content: unknown): string {
  const whole = { version: 1, sha256: digestOf(content), content }
  return `${JSON.stringify(whole, null, 2)}\n`
}

const Sealed = z.object({ version: z.literal(1), sha256: z.string(), content: z.unknown() })

type StoredContent<Content> =
  | { readonly kind: "whole"; readonly content: Content }
  | { readonly kind: "damaged"; readonly problem: string }

function unseal<Shape extends z.ZodType>(
  text: string,
  shape: Shape,
): StoredContent<z.output<Shape>> {
  const sealed = Sealed.safeParse(parseJson(text))
  if (!sealed.success) return { kind: "damaged", problem: "it has no valid seal" }
  if (digestOf(sealed.data.content) !== sealed.data.sha256)
    return { kind: "damaged", problem: "it was edited" }
  const content = shape.safeParse(sealed.data.content)
  if (!content.success) return { kind: "damaged", problem: "it has an unknown format" }
  return { kind: "whole", content: content.data }
}

function digestOf(content: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(content) ?? "")
    .digest("hex")
}
