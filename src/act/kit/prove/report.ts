import type { HookEventKind } from "#choose/guard"
import { parseJson } from "#ground/base"
import type { DoctorCheck, HookName, HookState, VerdictLine } from "#ground/contract"
import type { StoryFolder } from "./scene.ts"

/** Hosts silently truncate texts over 10,000 characters. */
const MOST_CONTEXT_BYTES = 9_000

export type StoryOutcome =
  | { readonly kind: "told"; readonly seen: StoryRecord; why(event: string): string | undefined }
  | { readonly kind: "untold"; readonly why: string }

const SHOWN_BY: Readonly<Record<HookName, HookEventKind | null>> = {
  boot: "session-start",
  track: "after-edit",
  drift: "stop",
  concurrency: "before-edit",
  guideline: "before-edit",
  risk: "before-edit",
  pitfall: "before-edit",
  package: "agent-start",
  prompt: "prompt",
  loaded: "loaded",
  window: "after-edit",
  budget: "before-edit",
  secrets: "before-tool",
  results: "after-tool",
  // The story is too short for a compaction.
  compaction: null,
}

export function statesOf(
  installed: readonly HookState[],
  outcome: StoryOutcome,
): readonly HookState[] {
  return installed.map((row) => {
    if (row.state !== "installed" && row.state !== "fired") return row
    if (outcome.kind === "untold") return { ...row, why: outcome.why }
    if (SHOWN_BY[row.hook] === null) {
      return { ...row, state: "installed", why: "It runs only when the host compacts." }
    }
    const lines = outcome.seen.verdicts.filter((it) => it.event === SHOWN_BY[row.hook])
    const at = Math.max(...lines.map((it) => it.at))
    return lines.length > 0
      ? { ...row, state: "fired", at, why: null }
      : { ...row, state: "installed", why: outcome.why(row.event ?? "") ?? null }
  })
}

export function checksOf(
  title: string,
  states: readonly HookState[],
  outcome: StoryOutcome,
): readonly DoctorCheck[] {
  const wired = states.filter((it) => it.state === "installed" || it.state === "fired")
  if (wired.length === 0) return []
  const provable = wired.filter((it) => SHOWN_BY[it.hook] !== null)
  const silent = provable.filter((it) => it.state !== "fired")
  const name = `${title}: hooks`
  if (outcome.kind === "untold") {
    return [{ area: "kit", name, state: "warn", detail: `not proved: ${outcome.why}`, hint: HINT }]
  }
  const hasFired = (hook: HookName) => states.some((it) => it.hook === hook && it.state === "fired")
  return [
    ...firedCheck(name, provable.length, silent),
    ...CHECKS.flatMap(({ hook, name, look }): readonly DoctorCheck[] => {
      if (!hasFired(hook)) return []
      const { isRight, detail } = look(outcome.seen)
      const check = { area: "kit", name: `${title}: ${name}`, detail } as const
      return [isRight ? { ...check, state: "ok" } : { ...check, state: "warn", hint: HINT }]
    }),
  ]
}

/** An installed hook that never runs protects nothing, so none at all is a failure. */
function firedCheck(
  name: string,
  count: number,
  silent: readonly HookState[],
): readonly DoctorCheck[] {
  if (silent.length === 0) return []
  const reasons = [...new Set(silent.flatMap((it) => it.why ?? []))].join(" ")
  const detail = `${silent.length} of ${count} hooks did not run. ${reasons}`.trim()
  const state = silent.length === count ? "fail" : "warn"
  return [{ area: "kit", name, state, detail, hint: HINT }]
}

const HINT = "Check `qm guard` of a real session, then run `qm doctor --prove` again."

type StoryCheck = (seen: StoryRecord) => { readonly isRight: boolean; readonly detail: string }

const CHECKS: readonly {
  readonly hook: HookName
  readonly name: string
  readonly look: StoryCheck
}[] = [
  { hook: "boot", name: "context at session start", look: lookAtBoot },
  {
    hook: "risk",
    name: "high-risk path",
    look: ({ wasRiskRefused }) => ({
      isRight: wasRiskRefused,
      detail: wasRiskRefused
        ? "an edit without a simulation was rejected"
        : "an edit without a simulation was allowed",
    }),
  },
  {
    hook: "package",
    name: "package for a sub-agent",
    look: ({ hasPackage }) => ({
      isRight: hasPackage,
      detail: hasPackage
        ? "the package for the task reached the sub-agent"
        : "the hook ran, but no package reached the sub-agent",
    }),
  },
  {
    hook: "drift",
    name: "reminder at the end",
    look: ({ nudges }) => ({
      isRight: nudges === 1,
      detail: nudges === 1 ? "one reminder arrived" : `${nudges} reminders arrived instead of one`,
    }),
  },
]

function lookAtBoot({ bootBytes }: StoryRecord): { isRight: boolean; detail: string } {
  if (bootBytes === null) {
    return { isRight: false, detail: "the hook ran, but no context reached the model" }
  }
  const detail = `the context reached the model, ${bootBytes} of at most ${MOST_CONTEXT_BYTES} bytes`
  return { isRight: bootBytes <= MOST_CONTEXT_BYTES, detail }
}

export type StoryRecord = {
  readonly verdicts: readonly VerdictLine[]
  readonly bootBytes: number | null
  readonly hasPackage: boolean
  readonly wasRiskRefused: boolean
  readonly nudges: number
}

export function lookAt(
  requests: readonly string[],
  verdicts: readonly VerdictLine[],
  { marks }: Pick<StoryFolder, "marks">,
): StoryRecord {
  const main = requests.filter((it) => it.includes(marks.main))
  const ofAgents = requests.filter((it) => !it.includes(marks.main) && it.includes(marks.agent))
  return {
    verdicts,
    bootBytes: sizeOfContext(main[0] ?? "", marks.boot),
    hasPackage: ofAgents.some((it) => it.includes(marks.package)),
    wasRiskRefused: verdicts.some((it) => it.rule === "risk" && it.verdict === "deny"),
    nudges: verdicts.filter((it) => it.rule === "drift" && it.verdict === "block").length,
  }
}

/** The text that contains the mark, without the host's text around it. */
function sizeOfContext(body: string, mark: string): number | null {
  const texts = textsIn(parseJson(body)).filter((it) => it.includes(mark))
  const [shortest] = texts.toSorted((a, b) => a.length - b.length)
  if (shortest === undefined) return null
  const [before = "", after = ""] = splitAt(shortest.replace(HEAD_OF_HOST, ""), mark)
  return Buffer.byteLength(`${before}${mark}${after.replace(REST_OF_HOST, "")}`)
}

function splitAt(text: string, mark: string): readonly string[] {
  const at = text.indexOf(mark)
  return [text.slice(0, at), text.slice(at + mark.length)]
}

/** Claude Code puts our text and its own into one message; ours has no headings. */
const HEAD_OF_HOST = /^[\s\S]*?SessionStart hook additional context: /
const REST_OF_HOST = /\n\n# [\s\S]*$/

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null) return []
  return Object.values(value).flatMap((it) => textsIn(it))
}
