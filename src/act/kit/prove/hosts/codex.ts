import { z } from "zod"
import { run } from "#ground/base"
import { LARGEST_OUTPUT_BYTES, LONGEST_QUESTION_MS } from "../limits.ts"
import type { Answer, Question } from "../models/answer.ts"
import { responses } from "../models/responses.ts"
import { parseJson } from "../parse-json.ts"
import { type Deed, promptOf } from "../story.ts"
import { codexEnvironment } from "./codex-environment.ts"
import { readReviews } from "./codex-reviews.ts"
import type { Stage, ToldHost } from "./told.ts"

/** Codex without a terminal, with the hooks and the reviews of the person's own folder. */
export const toldCodex: ToldHost = {
  dialect: responses,
  answer,
  async command(stage) {
    const settings = [
      `model_provider="qm-proof"`,
      `model_providers.qm-proof={${provider(stage)}}`,
      // In this form, or Codex writes the folder of the story into the person's config.
      `projects={${JSON.stringify(stage.scene.root)}={trust_level="trusted"}}`,
      "notify=[]",
      ...(await withoutServers(stage)),
    ]
    return {
      args: [
        "exec",
        "--json",
        "--ephemeral",
        // What is run is ours alone, and a sandbox is not to be had on every machine.
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
  // Nothing is left under the folder's name: `--ephemeral` writes no transcript.
  sweep: async () => {},
}

function provider({ modelUrl }: Stage): string {
  const fields = { name: "qm-proof", base_url: `${modelUrl}/v1`, wire_api: "responses" }
  return Object.entries({ ...fields, env_key: "QM_PROOF_KEY" })
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(",")
}

const Servers = z.array(z.looseObject({ name: z.string() }))

/** The person's servers of tools are not started for this; a table that is empty would not do it. */
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
  const off = servers.data.map((it) => `${JSON.stringify(it.name)}={enabled=false}`)
  return [`mcp_servers={${off.join(",")}}`]
}

/** Models differ in the tools that Codex gives them; a question says which are there. */
function answer(deed: Deed, question: Question): Answer {
  switch (deed.kind) {
    case "write":
    case "edit":
      return patchCall(patchOf(deed), question)
    case "agent":
      return agentCall(deed.task, question)
    case "wait":
      return waitCall(question)
    case "done":
      return { kind: "say", text: "Done." }
  }
}

function patchOf(deed: Extract<Deed, { kind: "write" | "edit" }>): string {
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

/** The newer models write JavaScript that calls the tools. */
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
  // The id stands in the result of the call, which is text inside of text.
  const id = /agent_id\\":\\"([0-9a-f-]{36})/.exec(question.text)?.[1]
  if (id === undefined) return { kind: "say", text: "Done." }
  const input = { targets: [id], timeout_ms: AGENT_WAIT_MS }
  return { kind: "call", namespace: OLDER, name: "wait_agent", input }
}
