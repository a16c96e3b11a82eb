import { formatExact } from "#ground/base"
import type { ContextPack } from "#ground/contract"
import type { Redact } from "#ground/secrets"
import type { Asked } from "./asked.ts"
import { LONGEST_TASK_UNITS } from "./limits.ts"
import type { Prepared } from "./prepare.ts"
import { safeLine } from "./safe.ts"

type BuildInput = Asked<"pack.build">

export function taskNotes({ task }: BuildInput): readonly string[] {
  if (task.length <= LONGEST_TASK_UNITS) return []
  return [`The task is long; its first ${formatExact(LONGEST_TASK_UNITS)} characters were read.`]
}

export function notesOf({ weighed }: Prepared, { files }: Pick<ContextPack, "files">): string[] {
  const redactions = files.reduce((total, it) => total + it.redactions, 0)
  const stale = weighed.stale.length
  return [
    ...(redactions > 0 ? [`Secrets replaced in it: ${redactions}.`] : []),
    ...(stale > 0 ? [`Files that change while they are read stayed out: ${stale}.`] : []),
  ]
}

/** What must be there is an error without its file; what is dropped or ordered is not. */
export function unknownNotes(
  { pathOf }: Prepared,
  { input, redact }: { readonly input: BuildInput; readonly redact: Redact },
): readonly string[] {
  const isUnknown = (given: string) => pathOf(given) === undefined
  const shown = (given: string) => safeLine(given, { redact, mostUnits: LONGEST_NOTED_PATH_UNITS })
  return [
    ...input.drop.filter(isUnknown).map((it) => `No file is ${shown(it)}, which was dropped.`),
    ...input.order.filter(isUnknown).map((it) => `No file is ${shown(it)}, which was ordered.`),
  ]
}

const LONGEST_NOTED_PATH_UNITS = 200
