import { plural } from "#ground/base"
import type {
  decisionOperations,
  Memory,
  MemoryList,
  MemoryRecorded,
  MemorySearch,
  memoryOperations,
} from "#ground/contract"
import { table } from "../terminal/layout.ts"
import type { Screen } from "../terminal/screen.ts"
import { listing, quoted, rowText, section, shareBar, timeText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

const FIRST_STEP = 'Add one with `qm memory add Tests "Run npm test" --kind rule`.'
const MOST_PROBLEMS = 12
const MOST_CITES = 20

function renderMemoryList(list: MemoryList, screen: Screen): string {
  const { memories, total, problems } = list
  const { paint } = screen
  const isAllDecisions = memories.every((it) => it.kind === "decision")
  const count = isAllDecisions ? plural(total, "decision") : plural(total, "memory", "memories")
  const broken = problems.map((it) => [rowText(it.file), paint.muted(rowText(it.problem))])
  const unread = section("Invalid files", broken, {
    screen,
    most: MOST_PROBLEMS,
    headings: ["File", "Problem"],
  })
  const left = total - memories.length
  if (memories.length === 0) return [paint.muted(noneText(total)), ...unread].join("\n")
  const rows = memories.map((it) => [
    it.id,
    it.kind,
    toned(it.state, paint),
    `${shareBar(it.confidence)} ${it.confidence.toFixed(2)}`,
    rowText(it.title),
  ])
  return [
    `${paint.bold(count)}${left > 0 ? paint.muted(`, ${memories.length} listed`) : ""}`,
    "",
    listing(["Memory", "Kind", "State", "Confidence", "Title"], rows, screen),
    ...unread,
  ].join("\n")
}

function renderDecisions(list: MemoryList, screen: Screen): string {
  if (list.memories.length > 0) return renderMemoryList(list, screen)
  const step =
    'Add one with `qm decision add "Use SQLite" "Store data in SQLite" --context "Offline use"`.'
  return screen.paint.muted(`No decisions yet. ${step}`)
}

function noneText(total: number): string {
  if (total === 0) return `No memories yet. ${FIRST_STEP}`
  return `None of ${plural(total, "memory", "memories")} has this kind and state. List all with \`qm memory\`.`
}

function renderMemorySearch({ found, total }: MemorySearch, screen: Screen): string {
  const { paint, width } = screen
  if (found.length === 0) {
    if (total === 0) return paint.muted(`No memories yet. ${FIRST_STEP}`)
    const all = plural(total, "memory", "memories")
    return paint.muted(`No match in ${all}. Try other words, or list all with \`qm memory\`.`)
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
    rowText(it.symbol === undefined ? it.path : `${it.path}#${it.symbol}`),
    it.state === "fresh" || it.state === "unchecked"
      ? paint.muted(CITES[it.state])
      : paint.warn(CITES[it.state]),
  ])
  return [
    paint.bold(rowText(memory.title, width)),
    `${shareBar(memory.confidence)}  ${trustText(memory)}, ${memory.kind}, ${toned(memory.state, paint)}`,
    ...(memory.description === "" || memory.description === memory.title
      ? []
      : ["", rowText(memory.description)]),
    "",
    quoted(memory.body),
    ...section("About", cites, { screen, most: MOST_CITES, headings: ["Code", "State"] }),
    "",
    table(factsOf(memory, screen), screen),
  ].join("\n")
}

const CITES = {
  fresh: "unchanged",
  changed: "changed since",
  gone: "deleted",
  unchecked: "not checked",
} as const satisfies Record<Memory["cites"][number]["state"], string>

function factsOf(memory: Memory, { paint }: Screen): readonly (readonly string[])[] {
  const { source, signals, supersededBy } = memory
  const from = [
    ACTORS[source.actor],
    ...(source.isDistilled ? ["extracted when its branch returned"] : []),
    ...(source.session === null ? [] : [`session ${source.session}`]),
    ...(source.commit === null ? [] : [`commit ${source.commit.slice(0, 7)}`]),
  ]
  const counts = [
    `helpful ${signals.helpful}`,
    `unhelpful ${signals.unhelpful}`,
    `succeeded ${signals.succeeded}`,
    `failed ${signals.failed}`,
    `used ${memory.uses}`,
  ]
  return [
    ["Memory", memory.id],
    ["File", rowText(memory.file)],
    ["Written", timeText(memory.createdAt)],
    ["From", rowText(from.join(", "))],
    ...(source.isUntrusted ? [["Caution", paint.warn("based on external text")]] : []),
    ["Feedback", counts.join(", ")],
    ...(supersededBy === null ? [] : [["Replaced by", supersededBy]]),
  ]
}

const ACTORS = { human: "a user", agent: "an agent", tool: "a tool" } as const

function renderMemoryNoted(memory: Memory, { paint, width }: Screen): string {
  const title = rowText(memory.title, width - 10)
  return `Updated: ${title}\n${shareBar(memory.confidence)}  ${trustText(memory)}, ${toned(memory.state, paint)}`
}

function renderMemoryRecorded(recorded: MemoryRecorded, { paint, width }: Screen): string {
  const { outcome, memory, redactions } = recorded
  const title = rowText(memory.title, width - 30)
  const first =
    outcome === "recorded"
      ? `${paint.ok("Added")}: ${title}`
      : `${paint.warn("Already exists")}: ${title}`
  const secrets = `Redacted ${plural(redactions, "secret")} before writing.`
  return [
    first,
    `${rowText(memory.file, width - 30)}  ${paint.muted(memory.id)}`,
    ...(redactions === 0 ? [] : [paint.warn(secrets)]),
    ...(outcome === "recorded" && memory.state === "proposed"
      ? [paint.muted(`It is a proposal. Confirm it with \`qm memory confirm ${memory.id}\`.`)]
      : []),
  ].join("\n")
}

function renderMemoryForgotten(forgotten: { readonly id: string; readonly file: string }) {
  const file = rowText(forgotten.file)
  return `Deleted ${forgotten.id} and ${file}. Git still has committed versions.`
}

function trustText({ confidence }: Memory): string {
  return `confidence ${confidence.toFixed(2)}`
}

function ageOf({ createdAt, source }: Memory): string {
  return `${timeText(createdAt).slice(0, 10)} by ${ACTORS[source.actor]}`
}

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
