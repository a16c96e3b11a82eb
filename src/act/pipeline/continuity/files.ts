import path from "node:path"
import { z } from "zod"
import {
  ensureDirectory,
  invariant,
  type Log,
  readTextBounded,
  writeFileAtomic,
} from "#ground/base"
import { PipelineSummary } from "#ground/contract"
import type { PriorAnswer } from "../stage.ts"
import { RESULT_FILE_LIMIT_BYTES } from "./limits.ts"
import { seal, unseal } from "./sealed.ts"

/** Where the results of a run lie: a folder of its own in `<state>/pipelines`. */
export type ResultPlace = { readonly directory: string; readonly run: string }

const SUMMARY_FILE = "pipeline-summary.json"
const ANSWER_FILE = "answer.json"
const DOCUMENT_FILE = "document.md"

/** Copies of what the events say; each is replaced whole, and none is needed to go on. */
export async function writeResults(
  place: ResultPlace,
  results: {
    readonly summary: PipelineSummary
    readonly answer: PriorAnswer | undefined
    readonly document: string | undefined
  },
): Promise<void> {
  await ensureDirectory(folderOf(place))
  if (results.document !== undefined)
    await writeFileAtomic(fileOf(place, DOCUMENT_FILE), results.document)
  if (results.answer !== undefined)
    await writeFileAtomic(fileOf(place, ANSWER_FILE), seal(results.answer))
  await writeFileAtomic(fileOf(place, SUMMARY_FILE), seal(results.summary))
}

type Rebuild<Content> = { readonly rebuild: () => Promise<Content>; readonly log: Log }

/** The summary as written; one that is missing, cut or edited is made again from the events. */
export function readSummary(
  place: ResultPlace,
  deps: Rebuild<PipelineSummary>,
): Promise<PipelineSummary> {
  return readOrRebuild(fileOf(place, SUMMARY_FILE), PipelineSummary, deps)
}

export function readAnswer(place: ResultPlace, deps: Rebuild<PriorAnswer>): Promise<PriorAnswer> {
  return readOrRebuild(fileOf(place, ANSWER_FILE), AnswerFile, deps)
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
  deps.log.warn("a result file was made again from the run's events", { file, problem })
  const content = await deps.rebuild()
  await mend(file, content, deps.log)
  return content
}

/** The caller has what it asked for; that the file stays damaged is no reason to fail. */
async function mend(file: string, content: unknown, log: Log): Promise<void> {
  try {
    await ensureDirectory(path.dirname(file))
    await writeFileAtomic(file, seal(content))
  } catch (error) {
    log.warn("a result file could not be written again", { file, problem: error })
  }
}

function fileOf(place: ResultPlace, name: string): string {
  return path.join(folderOf(place), name)
}

function folderOf(place: ResultPlace): string {
  invariant(/^[a-z0-9][a-z0-9-]*$/i.test(place.run), "the id of a run is a name, not a path")
  return path.join(place.directory, place.run)
}
