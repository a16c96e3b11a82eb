import { beforeAll, describe, expect, test } from "vitest"
import { z } from "zod"
import { loadHost } from "#see/hosts"
import { needs } from "#test/needs"
import { rowsOfThisRun } from "#test/seed"
import { opencodeConfig } from "./agents-fixtures.ts"
import {
  compareHome,
  disk,
  type HostComparison,
  type HostHome,
  type HostRun,
  inPairs,
} from "./host-home.ts"
import { OPENCODE_HOMES, SAME_SKILL_NAME } from "./opencode-homes.ts"

const opencode = await loadHost("opencode")

const RUN: HostRun = {
  host: "opencode",
  // Its first start in a home creates a database.
  longestMs: 180_000,
  args: () => ["run", "--model", "mock/mock", "hello"],
  env: (port) => ({
    OPENCODE_CONFIG_CONTENT: opencodeConfig(port),
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  }),
  survey: (place) => opencode.survey(place, disk),
}

const Body = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
  tools: z.array(z.unknown()).min(1),
})

/** Each home needs a database of its own, which takes opencode 6 s of computing time to create. */
const HOMES = rowsOfThisRun(OPENCODE_HOMES, 3)

type Loaded = { readonly instructions: string; readonly skills: readonly string[] }

describe.runIf(needs("HOSTS-80", "opencode"))("the real opencode", () => {
  let answers: Awaited<ReturnType<typeof inPairs<HostHome, { sent: Loaded; estimated: Loaded }>>>
  beforeAll(async () => {
    answers = await inPairs([...HOMES, SAME_SKILL_NAME], (home) =>
      compareHome(home, RUN, (it) => ({ sent: sentIn(it), estimated: estimatedIn(it) })),
    )
  })

  test.each(HOMES)("[HOSTS-80] the estimate equals opencode's request: $name", (home) => {
    const answer = answerOf(home)
    expect(answer.estimated).toEqual(answer.sent)
  })

  test("[HOSTS-80] of two skills with one name opencode sends either one", () => {
    const { sent, estimated } = answerOf(SAME_SKILL_NAME)
    expect(sent.skills).toEqual([expect.stringMatching(/Of the (person|project)/)])
    expect(estimated.skills).toEqual([expect.stringContaining("Of the project")])
  })

  function answerOf(home: HostHome) {
    const answer = answers.get(home)
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error("not run")
    return answer
  }
})

/** A request without tools asks for a title. */
function sentIn({ requests }: HostComparison): Loaded {
  const body = requests.map((it) => Body.safeParse(it.body).data).find((it) => it !== undefined)
  const system = String(body?.messages.find((it) => it.role === "system")?.content)
  const [, afterEnvironment = ""] = system.split("</env>\n")
  const [instructions = ""] = afterEnvironment.split(/\n?Skills provide specialized instructions/)
  const skills = system.match(/ {2}<skill>\n[\s\S]*?<\/skill>/g) ?? []
  return { instructions, skills: skills.filter((it) => !it.includes("&lt;built-in&gt;")) }
}

function estimatedIn({ survey }: HostComparison): Loaded {
  const instructions = survey.items.filter((it) => it.kind === "instructions" && it.sent !== "")
  return {
    instructions: instructions.map((it) => it.frame + it.sent).join("\n"),
    skills: survey.items.filter((it) => it.kind === "skills").map((it) => it.sent),
  }
}
