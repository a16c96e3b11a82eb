import path from "node:path"
import {
  listDirectory,
  parseJson,
  pickEnvironment,
  readTextBounded,
  removeEmptyDirectory,
  removeFile,
} from "#ground/base"
import { claudeProjectSlug } from "#see/hosts"
import { LARGEST_SETTINGS_BYTES } from "../../limits.ts"
import { anthropic } from "../models/anthropic.ts"
import type { Answer } from "../models/model.ts"
import { promptOf, type StoryAction, type StoryFolder } from "../scene.ts"
import { HANDED_ON, type Stage, shutIn, type ToldHost } from "./story-host.ts"

const DEEPEST_LEFTOVERS = 6

/** Limits for removing what a host left under the scene's folder name. */
const MOST_LEFTOVERS = 1_000

export const toldClaudeCode: ToldHost = {
  dialect: anthropic,
  answer: (deed, _question, scene) => answer(deed, scene),
  async command(stage) {
    const env = modelEnvironment(stage)
    return {
      args: [
        "-p",
        promptOf(stage.scene.marks),
        "--output-format",
        "json",
        "--no-session-persistence",
        "--session-id",
        stage.scene.sessionId,
        "--strict-mcp-config",
        // The user's settings may have a mode in which nothing is written.
        "--permission-mode",
        "acceptEdits",
        "--allowedTools",
        "Write,Edit,Read,Agent",
        // Command-line settings override the user's, which may name another model URL.
        "--settings",
        JSON.stringify({ env, apiKeyHelper: "" }),
      ],
      env: {
        ...pickEnvironment(stage.environment, HANDED_ON),
        ...env,
        TMPDIR: stage.scene.scratch,
        TERM: "dumb",
      },
    }
  },
  async reasons(stage) {
    const settings = await readTextBounded(path.join(stage.folder, "settings.json"), {
      maxBytes: LARGEST_SETTINGS_BYTES,
    })
    const isOff = settings.kind === "read" && /"disableAllHooks"\s*:\s*true/.test(settings.text)
    const isPlain = settings.kind !== "read" || parseJson(settings.text) !== undefined
    const other = isPlain
      ? "Claude Code ran but did not start the hook; managed settings can forbid hooks."
      : "Claude Code ignores its settings.json, because it has comments or trailing commas; make it plain JSON."
    const why = isOff ? "Claude Code's settings contain `disableAllHooks`; remove it." : other
    return () => why
  },
  // Even without a transcript it stores a note for each sub-agent and an empty folder.
  async sweep({ folder, scene }) {
    await removeTree(path.join(folder, "projects", claudeProjectSlug(scene.root)))
    await removeTree(path.join(folder, "session-env", scene.sessionId))
  },
}

function modelEnvironment({ modelUrl }: Stage): Readonly<Record<string, string>> {
  return {
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: "not-a-key",
    ANTHROPIC_AUTH_TOKEN: "",
    ANTHROPIC_CUSTOM_HEADERS: "",
    CLAUDE_CODE_USE_BEDROCK: "",
    CLAUDE_CODE_USE_VERTEX: "",
    CLAUDE_CODE_USE_FOUNDRY: "",
    ...shutIn(modelUrl),
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  }
}

function answer(deed: StoryAction, scene: StoryFolder): Answer {
  switch (deed.kind) {
    case "write": {
      const input = { file_path: path.join(scene.root, deed.path), content: deed.text }
      return { kind: "call", name: "Write", input }
    }
    case "edit": {
      const { from: old_string, to: new_string } = deed
      const input = { file_path: path.join(scene.root, deed.path), old_string, new_string }
      return { kind: "call", name: "Edit", input }
    }
    case "read":
      return { kind: "call", name: "Read", input: { file_path: path.join(scene.root, deed.path) } }
    case "agent": {
      const input = {
        description: "a proof",
        prompt: deed.task,
        subagent_type: "general-purpose",
        run_in_background: false,
      }
      return { kind: "call", name: "Agent", input }
    }
    // The agent already finished where it was started.
    case "wait":
    case "done":
      return { kind: "say", text: "Done." }
  }
}

export async function removeTree(folder: string, depth = 0): Promise<void> {
  if (depth > DEEPEST_LEFTOVERS) return
  const listed = await listDirectory(folder, { maxEntries: MOST_LEFTOVERS })
  if (listed.kind !== "listed") return
  for (const { name, what } of listed.entries) {
    const entry = path.join(folder, name)
    if (what === "directory") await removeTree(entry, depth + 1)
    else await removeFile(entry)
  }
  await removeEmptyDirectory(folder)
}
