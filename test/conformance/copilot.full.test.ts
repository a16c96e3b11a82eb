import { existsSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { z } from "zod"
import { loadHost } from "#see/hosts"
import { needs } from "#test/needs"
import { rowsOfThisRun } from "#test/seed"
import { COPILOT_HOMES } from "./copilot-homes.ts"
import {
  compareHome,
  disk,
  type HostComparison,
  type HostHome,
  type HostRun,
  inPairs,
} from "./host-home.ts"

/** The program unpacks 190 MB on its first start; all homes share them. */
let cache = ""

const copilot = await loadHost("copilot")

const RUN: HostRun = {
  host: "copilot",
  args: () => ["-p", "hello", "--output-format", "json", "--allow-all-tools"],
  env: (port) => ({
    COPILOT_PROVIDER_BASE_URL: `http://127.0.0.1:${port}/v1`,
    COPILOT_MODEL: "gpt-4.1",
    COPILOT_OFFLINE: "true",
    COPILOT_CACHE_HOME: cache,
  }),
  survey: (place) => copilot.survey(place, disk),
}

const Body = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
  tools: z.array(z.object({ function: z.object({ name: z.string(), description: z.string() }) })),
})

type CopilotRequest = {
  readonly instructions: string
  readonly skills: readonly string[]
  readonly agents: readonly string[]
}

const HOMES = rowsOfThisRun(COPILOT_HOMES, 3)

type Answer = {
  readonly sent: CopilotRequest
  readonly estimated: CopilotRequest
  readonly recorded: string | undefined
}

describe.runIf(needs("HOSTS-30", "copilot"))("the real Copilot", () => {
  let answers: Awaited<ReturnType<typeof inPairs<HostHome, Answer>>>
  beforeAll(async () => {
    cache = await mkdtemp(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "qm-copilot-"))
    const [first, ...rest] = HOMES
    const alone = await inPairs(first === undefined ? [] : [first], compare)
    answers = new Map([...alone, ...(await inPairs(rest, compare))])
  })
  afterAll(() => rm(cache, { recursive: true, force: true }))

  test.each(HOMES)("[HOSTS-30] the estimate equals Copilot's request: $name", (home) => {
    const answer = answers.get(home)
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error("not run")
    expect(answer.estimated).toEqual(answer.sent)
  })

  test("[HOSTS-18] the Copilot events contain the sent text and are found", () => {
    const held = [...answers.values()].flatMap((it) => (it instanceof Error ? [] : [it]))
    expect(held.length).toBe(HOMES.length)
    expect(held.map((it) => it.recorded)).toEqual(held.map((it) => it.sent.instructions))
  })
})

function compare(home: HostHome): Promise<Answer> {
  return compareHome(home, RUN, async (compared) => {
    const word = await copilot.readLastSession?.(compared.place, disk)
    return { sent: seenIn(compared), estimated: estimatedIn(compared), recorded: word?.wholeText }
  })
}

/** The text between the tool descriptions and the next part of Copilot's own prompt. */
function customInstructions(system: string): string {
  const part = /^[\s\S]*\n<\/tools>\n\n([\s\S]*?)\n{1,2}<system_notifications>/.exec(system)?.[1]
  return part ?? ""
}

function seenIn({ requests }: HostComparison): CopilotRequest {
  const request = requests.find((it) => it.path.endsWith("/chat/completions"))
  const { messages, tools } = Body.parse(request?.body)
  const system = String(messages.find((it) => it.role === "system")?.content)
  const listed = system.match(/<skill>\n {2}<name>[\s\S]*?<\/skill>/g) ?? []
  const task = tools.find((it) => it.function.name === "task")?.function.description ?? ""
  const agents = /User-provided custom agents:\n([\s\S]*)$/.exec(task)?.[1]?.split("\n\n") ?? []
  return {
    instructions: customInstructions(system),
    skills: listed.filter((it) => !it.includes("<location>builtin</location>")),
    agents,
  }
}

const RULE_TABLE = "| Pattern | File Path | Description |\n| ------- | --------- | ----------- |\n"
const ADDED_TABLE =
  "| Directory | File Path | Description |\n| --------- | --------- | ----------- |\n"

/** Combines the items as the host does; only the sentences above its tables are the host's. */
function estimatedIn({ survey, requests }: HostComparison): CopilotRequest {
  const items = survey.items.filter((it) => it.sent !== "" || it.load === "always")
  const always = items.filter((it) => it.load === "always")
  const blocks = always.filter((it) => it.source !== "rules")
  const rules = always.filter((it) => it.source === "rules").map((it) => it.sent)
  const sent = JSON.stringify(requests)
  const rows = items.filter((it) => it.source === "rules" && it.load === "conditional")
  const added = items.filter((it) => it.source === "added-directory")
  const tables = [...tableOf(sent, ADDED_TABLE, added), ...tableOf(sent, RULE_TABLE, rows)]
  const framed = blocks.map((it) => it.frame.replace("\n\n", () => `\n${it.sent}\n`)).join("\n\n")
  const rest = [...rules, ...tables].join("\n\n")
  const hasBoth = blocks.length > 0 && rules.length + tables.length > 0
  return {
    instructions: framed + (hasBoth ? "\n\n" : "") + rest,
    skills: items.filter((it) => ["skills", "commands"].includes(it.source)).map((it) => it.sent),
    agents: items.filter((it) => it.source === "agents").map((it) => it.sent),
  }
}

function tableOf(
  requests: string,
  head: string,
  rows: readonly { sent: string }[],
): readonly string[] {
  if (rows.length === 0) return []
  const written = JSON.stringify(head).slice(1, -1)
  const before = requests.slice(0, requests.indexOf(written))
  const intro = before.slice(before.lastIndexOf("Here is a list of"))
  return [`${String(JSON.parse(`"${intro}"`))}${head}${rows.map((it) => it.sent).join("\n")}`]
}
