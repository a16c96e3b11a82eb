import { createInterface } from "node:readline"
import { z } from "zod"
import { type Environment, parseJson, pickEnvironment, run, start } from "#ground/base"
import { LARGEST_OUTPUT_BYTES } from "../limits.ts"
import type { Answer, Question } from "../models/model.ts"
import { responses } from "../models/responses.ts"
import { promptOf, type StoryAction } from "../scene.ts"
import { HANDED_ON, type Reasons, type Stage, shutIn, type ToldHost } from "./story-host.ts"

/** A question about hooks or servers takes about 0.1 seconds. */
const LONGEST_QUESTION_MS = 10_000

export const toldCodex: ToldHost = {
  dialect: responses,
  answer,
  async command(stage) {
    const settings = [
      `model_provider="qm-proof"`,
      `model_providers.qm-proof={${provider(stage)}}`,
      // Only in this form does Codex not write the scene's folder into the user's config.
      `projects={${JSON.stringify(stage.scene.root)}={trust_level="trusted"}}`,
      "notify=[]",
      ...(await withoutServers(stage)),
    ]
    return {
      args: [
        "exec",
        "--json",
        "--ephemeral",
        // Only our own commands run, and not every machine supports a sandbox.
        "--sandbox",
        "danger-full-access",
        ...(stage.trustHooks ? ["--dangerously-bypass-hook-trust"] : []),
        ...settings.flatMap((it) => ["-c", it]),
        promptOf(stage.scene.marks),
      ],
      env: codexEnvironment(stage),
    }
  },
  reasons: readReviews,
  // `--ephemeral` writes no transcript, so nothing is left.
  sweep: async () => {},
}

function provider({ modelUrl }: Stage): string {
  const fields = { name: "qm-proof", base_url: `${modelUrl}/v1`, wire_api: "responses" }
  return Object.entries({ ...fields, env_key: "QM_PROOF_KEY" })
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(",")
}

const Transport = z.looseObject({ command: z.string().optional(), url: z.string().optional() })
const Servers = z.array(z.looseObject({ name: z.string(), transport: Transport.optional() }))

/**
 * Disables each MCP server of the user and of plugins; an empty table would not. A server of a plugin is
 * not in the user's config, so the entry must be complete: command or URL.
 */
async function withoutServers(stage: Stage): Promise<readonly string[]> {
  const outcome = await run(stage.program, ["mcp", "list", "--json"], {
    cwd: stage.scene.root,
    env: codexEnvironment(stage),
    timeoutMs: LONGEST_QUESTION_MS,
    maxOutputBytes: LARGEST_OUTPUT_BYTES,
    signal: stage.signal,
  })
  if (outcome.kind !== "exited") return []
  const servers = Servers.safeParse(parseJson(outcome.stdout.toString()))
  if (!servers.success || servers.data.length === 0) return []
  const off = servers.data.map(({ name, transport }) => {
    const fields = Object.entries({ command: transport?.command, url: transport?.url })
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => `${key}=${JSON.stringify(value)},`)
    return `${JSON.stringify(name)}={${fields.join("")}enabled=false}`
  })
  return [`mcp_servers={${off.join(",")}}`]
}

function answer(deed: StoryAction, question: Question): Answer {
  switch (deed.kind) {
    case "write":
    case "edit":
      return patchCall(patchOf(deed), question)
    case "read":
      return shellCall(`cat ${deed.path}`, question)
    case "agent":
      return agentCall(deed.task, question)
    case "wait":
      return waitCall(question)
    case "done":
      return { kind: "say", text: "Done." }
  }
}

function patchOf(deed: Extract<StoryAction, { kind: "write" | "edit" }>): string {
  const lines =
    deed.kind === "write"
      ? [
          `*** Add File: ${deed.path}`,
          ...deed.text
            .trimEnd()
            .split("\n")
            .map((it) => `+${it}`),
        ]
      : [
          `*** Update File: ${deed.path}`,
          "@@",
          `-${FIRST_LINE}${deed.from}`,
          `+${FIRST_LINE}${deed.to}`,
        ]
  return `${["*** Begin Patch", ...lines, "*** End Patch"].join("\n")}\n`
}

/** A patch replaces whole lines; the story edits the end of this one. */
const FIRST_LINE = "export const first "

function patchCall(patch: string, question: Question): Answer {
  if (hasCodeMode(question)) {
    const text = `text(String(await tools.apply_patch(${JSON.stringify(patch)})))`
    return { kind: "text-call", namespace: "functions", name: "exec", text }
  }
  if (question.text.includes(`"type":"custom","name":"apply_patch"`)) {
    return { kind: "text-call", name: "apply_patch", text: patch }
  }
  const cmd = `apply_patch <<'QM_PROOF'\n${patch}QM_PROOF`
  return { kind: "call", name: "exec_command", input: { cmd } }
}

function shellCall(cmd: string, question: Question): Answer {
  if (!hasCodeMode(question)) return { kind: "call", name: "exec_command", input: { cmd } }
  const text = `text(JSON.stringify(await tools.exec_command(${JSON.stringify({ cmd })})))`
  return { kind: "text-call", namespace: "functions", name: "exec", text }
}

function hasCodeMode({ text }: Question): boolean {
  return text.includes(`"type":"additional_tools"`)
}

function agentCall(task: string, question: Question): Answer {
  if (!hasCodeMode(question)) {
    return { kind: "call", namespace: OLDER, name: "spawn_agent", input: { message: task } }
  }
  const input = { message: task, task_name: "boil_water", fork_turns: "none" }
  return { kind: "call", namespace: NEWER, name: "spawn_agent", input }
}

const OLDER = "multi_agent_v1"
const NEWER = "collaboration"
const AGENT_WAIT_MS = 10_000

function waitCall(question: Question): Answer {
  if (hasCodeMode(question)) {
    const input = { timeout_ms: AGENT_WAIT_MS }
    return { kind: "call", namespace: NEWER, name: "wait_agent", input }
  }
  // The id is in the result of the call, which is JSON inside a string.
  const id = /agent_id\\":\\"([0-9a-f-]{36})/.exec(question.text)?.[1]
  if (id === undefined) return { kind: "say", text: "Done." }
  const input = { targets: [id], timeout_ms: AGENT_WAIT_MS }
  return { kind: "call", namespace: OLDER, name: "wait_agent", input }
}

function codexEnvironment(stage: Pick<Stage, "environment" | "scene" | "modelUrl">): Environment {
  return {
    ...pickEnvironment(stage.environment, HANDED_ON),
    TMPDIR: stage.scene.scratch,
    TERM: "dumb",
    ...shutIn(stage.modelUrl),
    QM_PROOF_KEY: "not-a-key",
  }
}

const Hook = z.looseObject({
  eventName: z.string(),
  command: z.string().nullish(),
  enabled: z.boolean(),
  trustStatus: z.string(),
})
type Hook = z.infer<typeof Hook>

const Listed = z.looseObject({
  id: z.literal(2),
  result: z.looseObject({ data: z.array(z.looseObject({ hooks: z.array(Hook) })) }),
})

async function readReviews(stage: Stage): Promise<Reasons> {
  const hooks = await listHooks(stage)
  return (event) => {
    const eventName = `${event.slice(0, 1).toLowerCase()}${event.slice(1)}`
    return formatReview(hooks.find((it) => it.eventName === eventName && isOurs(it.command)))
  }
}

export function formatReview(hook: Pick<Hook, "enabled" | "trustStatus"> | undefined): string {
  if (hook === undefined) return "Codex ran but does not list this hook; run `qm init` again."
  if (!hook.enabled)
    return "The hook is disabled in Codex: open `codex`, type /hooks and enable it."
  switch (hook.trustStatus) {
    case "untrusted":
      return "Codex skips the hook until you have reviewed it: open `codex`, type /hooks and trust it."
    case "modified":
      return "The hook changed since your review: open `codex`, type /hooks and trust it again."
    default:
      return "Codex ran but did not start the hook, although it is reviewed."
  }
}

function isOurs(command: string | null | undefined): boolean {
  return command?.includes("qm-hook") ?? false
}

/** The app server exits when its input ends; it is killed here in any case. */
async function listHooks(stage: Stage): Promise<readonly Hook[]> {
  const { scene, program, signal } = stage
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_QUESTION_MS)])
  const started = await start(program, ["app-server"], {
    cwd: scene.root,
    env: codexEnvironment(stage),
    stdin: "pipe",
    signal: limit,
  })
  if (started.kind !== "started") return []
  await using child = started.child
  child.stderr.resume()
  child.stdin?.on("error", () => {})
  for (const message of questions(scene.root)) child.stdin?.write(`${JSON.stringify(message)}\n`)
  for await (const line of createInterface({ input: child.stdout })) {
    const listed = Listed.safeParse(parseJson(line))
    if (listed.success) return listed.data.result.data.flatMap((it) => it.hooks)
  }
  return []
}

function questions(root: string): readonly object[] {
  const clientInfo = { name: "quartermaster", title: "Quartermaster", version: "1" }
  return [
    { id: 1, method: "initialize", params: { clientInfo } },
    { method: "initialized" },
    { id: 2, method: "hooks/list", params: { cwds: [root] } },
  ]
}
