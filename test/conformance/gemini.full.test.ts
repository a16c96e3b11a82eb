import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { z } from "zod"
import { loadHost } from "#see/hosts"
import { needs } from "#test/needs"
import { rowsOfThisRun } from "#test/seed"
import { GEMINI_HOMES, UNTRUSTED_HOME } from "./gemini-homes.ts"
import {
  compareHome,
  disk,
  type HostComparison,
  type HostHome,
  type HostRun,
  inPairs,
} from "./host-home.ts"

/** The host is 16 MB of script; with a compile cache each start takes half the time. */
let cache = ""

const gemini = await loadHost("gemini")

const RUN: HostRun = {
  host: "gemini",
  args: () => ["-p", "hello", "--output-format", "stream-json", "-m", "mock"],
  env: (port) => ({
    GEMINI_API_KEY: "none",
    GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${port}`,
    GEMINI_CLI_NO_RELAUNCH: "true",
    NODE_COMPILE_CACHE: cache,
  }),
  survey: (place) => gemini.survey(place, disk),
}

const Parts = z.object({ parts: z.array(z.object({ text: z.string() })) })
const Body = z.object({ systemInstruction: Parts, contents: z.array(Parts) })

type GeminiRequest = {
  readonly system: string
  readonly project: string
  readonly skills: readonly string[]
  readonly agents: readonly string[]
}

const HOMES = rowsOfThisRun(GEMINI_HOMES, 3)

type Answer = { readonly sent: GeminiRequest; readonly estimated: GeminiRequest }

describe.runIf(needs("HOSTS-40", "gemini"))("the real Gemini CLI", () => {
  let answers: Awaited<ReturnType<typeof inPairs<HostHome, Answer>>>
  beforeAll(async () => {
    cache = await mkdtemp(join(tmpdir(), "qm-gemini-"))
    answers = await inPairs(HOMES, (home) =>
      compareHome(home, RUN, (it) => ({ sent: seenIn(it), estimated: estimatedIn(it) })),
    )
  })
  afterAll(() => rm(cache, { recursive: true, force: true }))

  test.each(HOMES)("[HOSTS-40] the estimate equals Gemini's request: $name", (home) => {
    const answer = answers.get(home)
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error("not run")
    expect(answer.estimated).toEqual(answer.sent)
  })

  test("[HOSTS-42] the host does not start in an untrusted folder", async () => {
    await expect(compareHome(UNTRUSTED_HOME, RUN, () => {})).rejects.toThrow("trusted")
  })
})

function seenIn({ requests }: HostComparison): GeminiRequest {
  const request = requests.find((it) => it.path.includes("enerateContent"))
  const { systemInstruction, contents } = Body.parse(request?.body)
  const system = systemInstruction.parts.map((it) => it.text).join("")
  const user = contents[0]?.parts[0]?.text ?? ""
  const skills = system.match(/ {2}<skill>\n[\s\S]*?<\/skill>/g) ?? []
  const agents = system.match(/ {2}<subagent>\n[\s\S]*?<\/subagent>/g) ?? []
  return {
    system: /<loaded_context>\n([\s\S]*)\n<\/loaded_context>/.exec(system)?.[1] ?? "",
    project: /<project_context>\n([\s\S]*)\n<\/project_context>/.exec(user)?.[1] ?? "",
    skills: skills.filter((it) => !it.includes("/bundle/builtin/")).toSorted(),
    agents: agents.filter((it) => !BUILT_IN.test(it)),
  }
}

const BUILT_IN = /<name>(?:codebase_investigator|cli_help|generalist|browser_agent)<\/name>/

/** Skills of one folder have no fixed order, so both sides are sorted. */
function estimatedIn({ survey }: HostComparison): GeminiRequest {
  const from = (...sources: readonly string[]) =>
    survey.items.filter((it) => sources.includes(it.source) && it.sent !== "")
  const text = (...sources: readonly string[]) =>
    from(...sources)
      .map((it) => it.frame.replace("\n\n", () => `\n${it.sent}\n`))
      .join("\n\n")
  const memory = text("auto-memory")
  return {
    system: memory === "" ? text("user-memory") : withMemory(text("user-memory"), memory),
    project: text("parent-directory", "project-root"),
    skills: from("skills")
      .map((it) => it.sent)
      .toSorted(),
    agents: from("agents").map((it) => it.sent),
  }
}

function withMemory(user: string, memory: string): string {
  const global = user === "" ? "" : `<global_context>\n${user}\n</global_context>\n`
  const title = "Private Project Memory Index"
  const lines = [
    "<user_project_memory>",
    `--- ${title} (private, not committed to repo) ---`,
    memory,
    `--- End ${title} ---`,
    "</user_project_memory>",
  ]
  return global + lines.join("\n")
}
