import { plural } from "#ground/base"
import type {
  decisionOperations,
  Memory,
  MemoryList,
  MemoryRecorded,
  MemorySearch,
  memoryOperations,
} from "#ground/contract"
import { table } from "../layout.ts"
import type { Screen } from "../screen.ts"
import { quoted, rowText, section, shareBar, timeText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

const FIRST_STEP = '`qm memory add "<title>" "<body>" --kind rule` writes the first.'
const MOST_PROBLEMS = 12
const MOST_CITES = 20

function renderMemoryList(list: MemoryList, screen: Screen): string {
  const { memories, total, problems } = list
  const { paint, width } = screen
  const broken = problems.map((it) => [
    rowText(it.file, 40),
    paint.muted(rowText(it.problem, width - 44)),
  ])
  const unread = section("Not read", broken, { screen, most: MOST_PROBLEMS })
  const left = total - memories.length
  if (memories.length === 0) return [paint.muted(noneText(total)), ...unread].join("\n")
  const rows = memories.map((it) => [
    it.id,
    it.kind,
    toned(it.state, paint),
    `${shareBar(it.confidence)} ${it.confidence.toFixed(2)}`,
    rowText(it.title, Math.max(24, width - 66)),
  ])
  return [
    `${paint.bold(plural(total, "memory", "memories"))}${left > 0 ? paint.muted(`, ${memories.length} listed`) : ""}`,
    "",
    table(rows),
    ...unread,
  ].join("\n")
}

/** The same list, in the words of decisions. */
function renderDecisions(list: MemoryList, screen: Screen): string {
  if (list.memories.length > 0) return renderMemoryList(list, screen)
  const step = '`qm decision add "<title>" "<decision>" --context "<why>"` writes the first.'
  return screen.paint.muted(`No decision is written down yet. ${step}`)
}

function noneText(total: number): string {
  if (total === 0) return `Nothing is remembered yet. ${FIRST_STEP}`
  return `None of ${plural(total, "memory", "memories")} is of that kind and state. \`qm memory\` lists all.`
}

function renderMemorySearch({ found, total }: MemorySearch, screen: Screen): string {
  const { paint, width } = screen
  if (found.length === 0) {
    if (total === 0) return paint.muted(`Nothing is remembered yet. ${FIRST_STEP}`)
    const all = plural(total, "memory", "memories")
    return paint.muted(
      `None of ${all} is about these words. Try others, or list them with \`qm memory\`.`,
    )
  }
  const blocks = found.map(({ memory, score, why }) => {
    const indent = " ".repeat(10)
    const facts = [memory.kind, toned(memory.state, paint), trustText(memory), ageOf(memory)]
    return [
      `${shareBar(score)}  ${paint.bold(rowText(memory.title, width - 10))}`,
      `${indent}${facts.join(", ")}`,
      ...(memory.description === "" || memory.description === memory.title
        ? []
        : [`${indent}${rowText(memory.description, width - 10)}`]),
      `${indent}${paint.muted(`${rowText(why.join(", "), width - 36)}  ${memory.id}`)}`,
    ].join("\n")
  })
  return blocks.join("\n\n")
}

function renderMemory(memory: Memory, screen: Screen): string {
  const { paint, width } = screen
  const cites = memory.cites.map((it) => [
    rowText(it.symbol === undefined ? it.path : `${it.path}#${it.symbol}`, width - 30),
    it.state === "fresh" || it.state === "unchecked"
      ? paint.muted(CITES[it.state])
      : paint.warn(CITES[it.state]),
  ])
  return [
    paint.bold(rowText(memory.title, width)),
    `${shareBar(memory.confidence)}  ${trustText(memory)}, ${memory.kind}, ${toned(memory.state, paint)}`,
    ...(memory.description === "" || memory.description === memory.title
      ? []
      : ["", rowText(memory.description, 500)]),
    "",
    quoted(memory.body),
    ...section("Rests on", cites, { screen, most: MOST_CITES }),
    "",
    table(factsOf(memory, screen)),
  ].join("\n")
}

const CITES = {
  fresh: "as it was",
  changed: "has changed since",
  gone: "is gone",
  unchecked: "not compared",
} as const satisfies Record<Memory["cites"][number]["state"], string>

function factsOf(memory: Memory, { paint, width }: Screen): readonly (readonly string[])[] {
  const { source, signals, supersededBy } = memory
  const from = [
    ACTORS[source.actor],
    ...(source.isDistilled ? ["asked at the end of its work"] : []),
    ...(source.session === null ? [] : [`session ${source.session}`]),
    ...(source.commit === null ? [] : [`commit ${source.commit.slice(0, 7)}`]),
  ]
  const said = [
    `helpful ${signals.helpful}`,
    `unhelpful ${signals.unhelpful}`,
    `succeeded ${signals.succeeded}`,
    `failed ${signals.failed}`,
    `handed out ${memory.uses}`,
  ]
  return [
    ["Memory", memory.id],
    ["File", rowText(memory.file, width - 10)],
    ["Written", timeText(memory.createdAt)],
    ["From", rowText(from.join(", "), width - 10)],
    ...(source.isUntrusted
      ? [["Caution", paint.warn("it rests on a text nobody here wrote")]]
      : []),
    ["Signals", said.join(", ")],
    ...(supersededBy === null ? [] : [["Instead", supersededBy]]),
  ]
}

const ACTORS = { human: "a person", agent: "an agent", tool: "a tool" } as const

/** Of a word on a memory the answer is what it made of its confidence. */
function renderMemoryNoted(memory: Memory, { paint, width }: Screen): string {
  const title = rowText(memory.title, width - 10)
  return `Noted: ${title}\n${shareBar(memory.confidence)}  ${trustText(memory)}, ${toned(memory.state, paint)}`
}

function renderMemoryRecorded(recorded: MemoryRecorded, { paint, width }: Screen): string {
  const { outcome, memory, redactions } = recorded
  const title = rowText(memory.title, width - 30)
  const first =
    outcome === "recorded"
      ? `${paint.ok("Remembered")}: ${title}`
      : `${paint.warn("Known already")}: ${title}`
  const secrets = `${plural(redactions, "secret was", "secrets were")} replaced before it was written.`
  return [
    first,
    `${rowText(memory.file, width - 30)}  ${paint.muted(memory.id)}`,
    ...(redactions === 0 ? [] : [paint.warn(secrets)]),
    ...(outcome === "recorded" && memory.state === "proposed"
      ? [paint.muted(`It is proposed; \`qm memory confirm ${memory.id}\` confirms it.`)]
      : []),
  ].join("\n")
}

function renderMemoryForgotten(forgotten: { readonly id: string; readonly file: string }) {
  const file = rowText(forgotten.file, 200)
  return `Forgot ${forgotten.id} and deleted ${file}. Git still has what was committed of it.`
}

function trustText({ confidence }: Memory): string {
  return `confidence ${confidence.toFixed(2)}`
}

function ageOf({ createdAt, source }: Memory): string {
  return `${timeText(createdAt).slice(0, 10)} by ${ACTORS[source.actor]}`
}

/** What a person should doubt stands out; the word is the sign, the colour repeats it. */
function toned(state: Memory["state"], paint: Screen["paint"]): string {
  if (state === "confirmed") return paint.ok(state)
  if (state === "stale") return paint.warn(state)
  return state === "superseded" ? paint.muted(state) : state
}

export const decisionRenderers: Renderers<typeof decisionOperations> = {
  add: renderMemoryRecorded,
  list: renderDecisions,
  show: renderMemory,
}

export const memoryRenderers: Renderers<typeof memoryOperations> = {
  confirm: renderMemoryNoted,
  feedback: renderMemoryNoted,
  forget: renderMemoryForgotten,
  list: renderMemoryList,
  record: renderMemoryRecorded,
  search: renderMemorySearch,
  show: renderMemory,
}
