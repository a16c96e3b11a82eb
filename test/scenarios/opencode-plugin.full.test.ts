import { existsSync } from "node:fs"
import { mkdir, readdir, writeFile } from "node:fs/promises"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import path from "node:path"
import { json } from "node:stream/consumers"
import { beforeAll, describe, expect, test } from "vitest"
import { run } from "#ground/base"
import { git } from "#test/git"
import { hostProgram } from "#test/host-programs"
import { needs } from "#test/needs"
import { newUser } from "#test/qm"
import { opencodeConfig } from "../conformance/agents-fixtures.ts"

const A_SESSION_MS = 600_000

type Message = { readonly role: string; readonly content?: unknown; readonly tool_calls?: unknown }
type Body = { readonly messages: readonly Message[]; readonly tools?: readonly unknown[] }
type Move =
  | { readonly text: string }
  | { readonly tool: string; readonly input: object; readonly usedTokens?: number }

/** Answers requests with tools by the next move; others ask for a title or a summary. */
async function scriptedModel(moves: readonly ((last: string) => Move)[]) {
  const requests: Body[] = []
  let at = 0
  const server = createServer((request, response) => {
    void json(request)
      .catch(() => ({ messages: [] }))
      .then((value) => {
        const body = value as Body
        requests.push(body)
        const isMain = (body.tools ?? []).length > 0
        const last = textOf(body.messages.at(-1))
        const move = isMain ? moves[at++]?.(last) : { text: "The summary of the work." }
        answer(response, move ?? { text: "Done." }, at)
      })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function answer(response: ServerResponse, move: Move, turn: number): void {
  const call =
    "tool" in move
      ? [
          {
            index: 0,
            id: `call_${turn}`,
            type: "function",
            function: { name: move.tool, arguments: JSON.stringify(move.input) },
          },
        ]
      : []
  const said = "text" in move ? { content: move.text } : { tool_calls: call }
  const chunk = { id: "c", object: "chat.completion.chunk", model: "mock" }
  const prompt_tokens = ("usedTokens" in move ? move.usedTokens : undefined) ?? 100
  const usage = { prompt_tokens, completion_tokens: 20, total_tokens: prompt_tokens + 20 }
  const finish_reason = "text" in move ? "stop" : "tool_calls"
  const events = [
    {
      ...chunk,
      choices: [{ index: 0, delta: { role: "assistant", ...said }, finish_reason: null }],
    },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }], usage },
  ]
  response.writeHead(200, { "content-type": "text/event-stream" })
  for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`)
  response.end("data: [DONE]\n\n")
}

function textOf(message: Message | undefined): string {
  return JSON.stringify(message?.content ?? "")
}

const WORDS = Array.from({ length: 400 }, (_, line) => `harbour line ${line}`).join("\n")

const branchIn = (text: string): string => /br_[0-9a-f]{32}/.exec(text)?.[0] ?? "no branch"

async function playStory() {
  const user = await newUser()
  git(user.project, "init", "-q")
  await mkdir(path.join(user.home, ".config/opencode"), { recursive: true })
  await writeFile(path.join(user.home, ".config/opencode/opencode.json"), "{}\n")
  await writeFile(path.join(user.project, "harbour.txt"), WORDS)
  await writeFile(path.join(user.project, ".env"), "API_TOKEN=none\n")
  const installed = await user.qm(["init", "--level", "5", "--yes"])
  let branch = ""
  const bash = (command: string, usedTokens?: number) => () => ({
    tool: "bash",
    input: { command, description: "run a command" },
    ...(usedTokens !== undefined && { usedTokens }),
  })
  await using model = await scriptedModel([
    () => ({
      tool: "qm_branch",
      input: { description: "Count the lines", prompt: "Count the lines of harbour.txt" },
    }),
    (last) => {
      branch = branchIn(last)
      return { tool: "read", input: { filePath: `${user.project}/harbour.txt` } }
    },
    bash("echo inside the branch"),
    () => ({
      tool: "qm_return",
      input: { branch_id: branch, message: "The harbour has 400 lines." },
    }),
    () => ({ tool: "read", input: { filePath: `${user.project}/.env` } }),
    () => ({ tool: "write", input: { filePath: `${user.project}/pier.txt`, content: "pier\n" } }),
    bash("echo before the compaction", 99_000),
    () => ({ text: "All done." }),
  ])
  const { program, args } = hostProgram("opencode")
  const outcome = await run(
    program,
    [...args, "run", "--model", "mock/mock", "Survey the harbour"],
    {
      cwd: user.project,
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: user.home,
        TERM: "dumb",
        QM_HOOK_DEADLINE_MS: "60000",
        OPENCODE_CONFIG_CONTENT: opencodeConfig(model.port),
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      },
      timeoutMs: A_SESSION_MS - 60_000,
      maxOutputBytes: 1024 * 1024,
    },
  )
  return { user, installed, outcome, requests: model.requests, branch: () => branch }
}

describe.runIf(needs("HOOKS-30", "opencode"))("the real opencode with the plugin", () => {
  let story: Awaited<ReturnType<typeof playStory>>
  beforeAll(async () => {
    story = await playStory()
    return () => story.user[Symbol.asyncDispose]()
  }, A_SESSION_MS)

  const main = () => story.requests.filter((it) => (it.tools ?? []).length > 0)
  const wholeText = (body: Body | undefined) => JSON.stringify(body?.messages ?? [])

  test("[KIT-28] `qm init` writes one plugin file, and opencode ran with it", () => {
    expect([story.installed.code, story.installed.stderr]).toEqual([0, ""])
    expect(story.outcome.kind === "exited" && story.outcome.code).toBe(0)
    expect(main()).toHaveLength(8)
    expect(existsSync(path.join(story.user.home, ".config/opencode/plugin/quartermaster.js"))).toBe(
      true,
    )
  })

  test("[HOOKS-30] the first prompt has the summary of the session start", () => {
    expect(wholeText(main()[0])).toContain("Quartermaster")
  })

  test("[HOOKS-31] a returned branch is folded in the next request, without a gateway", () => {
    const inside = wholeText(main()[3])
    expect(inside).toContain("harbour line 39")
    expect(inside).toContain("inside the branch")
    const after = wholeText(main()[4])
    expect(after).not.toContain("harbour line")
    expect(after).not.toContain("inside the branch")
    expect(after).not.toContain("qm_return")
    const result = main()[4]?.messages.find((it) => it.role === "tool")
    expect(textOf(result)).toContain("The harbour has 400 lines.")
    expect(wholeText(main()[5])).not.toContain("harbour line")
  })

  test("[HOOKS-31] the removed steps are in the trail of the branch", async () => {
    const shown = await story.user.qm(["fold", "restore", story.branch(), "--json"])
    expect(shown.stdout).toContain("harbour line 39")
    expect(shown.stdout).toContain("inside the branch")
  })

  test("[HOOKS-30] a read of a file with secrets is refused with the reason", () => {
    const refusal = textOf(main()[5]?.messages.at(-1))
    expect(refusal).toContain(".env")
    expect(refusal).not.toContain("API_TOKEN")
  })

  test("[HOOKS-32] a compaction gets the facts to keep, and the next request has them again", () => {
    const summary = story.requests.find((it) => wholeText(it).includes("Keep these facts"))
    expect(wholeText(summary)).toContain("pier.txt")
    expect(wholeText(summary)).toContain("Survey the harbour")
    const last = wholeText(main().at(-1))
    expect(last).toContain("From before the compaction, by Quartermaster")
    expect(last).toContain("pier.txt")
    expect(last).not.toContain("before the compaction\\n")
  })

  test("[SESSIONS-1] the session in opencode's database is indexed", async () => {
    const imported = await story.user.qm(["sessions", "import", "--json"])
    expect([imported.code, imported.stderr]).toEqual([0, ""])
    const listed = await story.user.qm(["sessions", "--json"])
    expect(listed.stdout).toContain('"opencode"')
  })

  test("[KIT-28] `qm uninstall` leaves what was there before", async () => {
    const done = await story.user.qm(["uninstall", "--yes"])
    expect([done.code, done.stderr]).toEqual([0, ""])
    const left = await readdir(path.join(story.user.home, ".config/opencode"))
    expect(left.filter((it) => !/^(?:node_modules|package|bun|\.gitignore)/.test(it))).toEqual([
      "opencode.json",
    ])
  })
})
