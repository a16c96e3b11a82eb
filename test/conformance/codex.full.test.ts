import { beforeAll, describe, expect, test } from "vitest"
import { z } from "zod"
import { loadHost } from "#see/hosts"
import { needs } from "#test/needs"
import { rowsOfThisRun } from "#test/seed"
import { CODEX_HOMES } from "./codex-homes.ts"
import {
  compareHome,
  disk,
  type HostComparison,
  type HostHome,
  type HostRun,
  inPairs,
} from "./host-home.ts"

const codex = await loadHost("codex")

const RUN: HostRun = {
  host: "codex",
  args: (port) => [
    "exec",
    "--json",
    "--skip-git-repo-check",
    "-c",
    'model="mock"',
    "-c",
    'model_provider="mock"',
    "-c",
    `model_providers.mock={name="mock",base_url="http://127.0.0.1:${port}/v1",env_key="KEY"}`,
    "hello",
  ],
  env: () => ({ KEY: "none" }),
  survey: (place) => codex.survey(place, disk),
}

const Body = z.object({
  input: z.array(z.object({ role: z.string(), content: z.array(z.object({ text: z.string() })) })),
})

type CodexRequest = {
  readonly heading: string | undefined
  readonly instructions: string | undefined
  readonly base: string
  readonly developer: readonly string[]
  readonly skillRoots: readonly string[]
  readonly skills: readonly string[]
}

describe.runIf(needs("HOSTS-20", "codex"))("the real Codex", () => {
  let answers: Awaited<ReturnType<typeof inPairs<HostHome, Answer>>>
  beforeAll(async () => {
    answers = await inPairs(HOMES, (home) => compareHome(home, RUN, bothOf))
  })

  test.each(HOMES)("[HOSTS-20] the estimate equals Codex's request: $name", (home) => {
    const answer = answers.get(home)
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error("not run")
    expect(answer.estimated).toEqual(answer.sent)
  })

  test("[HOSTS-18] the Codex rollout contains the sent text and is found", () => {
    const held = [...answers.values()].flatMap((it) => (it instanceof Error ? [] : [it]))
    expect(held.length).toBe(HOMES.length)
    expect(held.map((it) => it.recorded)).toEqual(held.map((it) => it.sent.instructions ?? ""))
  })
})

const HOMES = rowsOfThisRun(CODEX_HOMES, 3)

type Answer = {
  readonly sent: CodexRequest
  readonly estimated: CodexRequest
  readonly recorded: string | undefined
}

async function bothOf(compared: HostComparison): Promise<Answer> {
  const sent = seenIn(compared)
  const word = await codex.readLastSession?.(compared.place, disk)
  const estimated = estimatedIn(compared, sent)
  return { sent, estimated, recorded: word?.wholeText }
}

function seenIn({ requests }: HostComparison): CodexRequest {
  const request = requests.find((it) => it.path.endsWith("/responses"))
  const [first, ...rest] = Body.parse(request?.body).input
  const developer = rest.filter((it) => it.role === "developer").flatMap((it) => it.content)
  const user = rest.filter((it) => it.role === "user").flatMap((it) => it.content)
  const skills = developer.find((it) => it.text.startsWith("<skills_instructions>"))?.text ?? ""
  const message = user.find((it) => it.text.startsWith("# AGENTS.md instructions"))?.text
  return {
    heading: message?.split("\n")[0],
    instructions: /<INSTRUCTIONS>\n([\s\S]*)\n<\/INSTRUCTIONS>$/.exec(message ?? "")?.[1],
    base: first?.content[0]?.text ?? "",
    developer: developer
      .map((it) => it.text)
      .filter((text) => !/^<(?:skills|permissions) ?_?instructions>/.test(text)),
    skillRoots: skills.split("\n").filter((line) => /^- `r\d+` = /.test(line)),
    skills: /### Available skills\n([\s\S]*)\n<\/skills/.exec(skills)?.[1]?.split("\n") ?? [],
  }
}

function estimatedIn({ survey, place }: HostComparison, sent: CodexRequest): CodexRequest {
  const from = (...sources: readonly string[]) =>
    survey.items.filter((it) => sources.includes(it.source) && it.load !== "on-demand")
  const files = from("user-memory", "parent-directory", "project-root")
  const hasProject = files.some((it) => it.scope === "project")
  const whole = files.map((it) => it.frame + it.sent).join("")
  const roots = from("skills").flatMap((it) => (it.frame === "" ? [] : [it.frame.trimEnd()]))
  const cwd = sent.heading?.replace("# AGENTS.md instructions for ", "") ?? place.workingDirectory
  const heading = hasProject ? `# AGENTS.md instructions for ${cwd}` : "# AGENTS.md instructions"
  return {
    heading: files.length === 0 ? undefined : heading,
    instructions: files.length === 0 ? undefined : whole,
    base: from("model-instructions")[0]?.sent ?? sent.base,
    developer: from("developer-instructions").map((it) => it.sent),
    skillRoots: roots.toSorted((a, b) => Number(/\d+/.exec(a)?.[0]) - Number(/\d+/.exec(b)?.[0])),
    skills: from("skills").map((it) => it.sent),
  }
}
