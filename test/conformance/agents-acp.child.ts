import { randomUUID } from "node:crypto"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Readable, Writable } from "node:stream"
import { type AgentContext, agent, ndJsonStream, RequestError } from "@agentclientprotocol/sdk"

/**
 * A scripted agent on the protocol's own SDK. The prompt names what it does; its first argument may
 * name a way in which it differs: `version-2`, `no-resume`, `signed-out`, `modes`.
 */
const [, , variant = ""] = process.argv
const store = join(process.env["HOME"] ?? ".", "acp-sessions")
const sessions = new Map<string, { readonly cwd: string; cancel: AbortController }>()
let isSignedIn = variant !== "signed-out"
let modeId = "yolo"
let calls = 0

function open(sessionId: string, cwd: string): void {
  if (!isSignedIn) throw RequestError.authRequired()
  mkdirSync(store, { recursive: true })
  writeFileSync(join(store, sessionId), cwd)
  sessions.set(sessionId, { cwd, cancel: new AbortController() })
}

const modes = () => ({
  currentModeId: modeId,
  availableModes: ["yolo", "default", "plan"].map((id) => ({ id, name: id })),
})

agent({ name: "scripted" })
  .onRequest("initialize", () => ({
    protocolVersion: variant === "version-2" ? 2 : 1,
    agentInfo: { name: "scripted", title: "Scripted", version: "1.2.3" },
    agentCapabilities: {
      loadSession: variant !== "no-resume",
      sessionCapabilities: variant === "no-resume" ? {} : { resume: {}, close: {} },
    },
    authMethods: [{ id: "api-key", name: "API key", description: "Set SCRIPTED_API_KEY" }],
  }))
  .onRequest("authenticate", () => {
    if (process.env["SCRIPTED_API_KEY"] === undefined) throw RequestError.authRequired()
    isSignedIn = true
  })
  .onRequest("session/new", ({ params }) => {
    const sessionId = randomUUID()
    open(sessionId, params.cwd)
    return { sessionId, modes: modes() }
  })
  .onRequest("session/resume", ({ params }) => {
    if (!existsSync(join(store, params.sessionId))) throw RequestError.resourceNotFound("session")
    open(params.sessionId, params.cwd)
    return { modes: modes() }
  })
  .onRequest("session/close", ({ params }) => {
    writeFileSync(join(store, `${params.sessionId}.closed`), "")
  })
  .onRequest("session/set_mode", ({ params }) => {
    modeId = params.modeId
  })
  .onRequest("session/prompt", async ({ params, client }) => {
    const session = sessions.get(params.sessionId)
    if (session === undefined) throw RequestError.resourceNotFound("session")
    session.cancel = new AbortController()
    const text = params.prompt.map((it) => (it.type === "text" ? it.text : "")).join("")
    const turn = {
      client,
      sessionId: params.sessionId,
      cwd: session.cwd,
      signal: session.cancel.signal,
    }
    await act(turn, text)
    const usage = { inputTokens: 90, cachedReadTokens: 10, outputTokens: 20, totalTokens: 120 }
    return { stopReason: turn.signal.aborted ? "cancelled" : "end_turn", usage }
  })
  .onNotification("session/cancel", ({ params }) => {
    sessions.get(params.sessionId)?.cancel.abort()
  })
  .connect(
    ndJsonStream(
      Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
      Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
    ),
  )

type Turn = {
  readonly client: AgentContext
  readonly sessionId: string
  readonly cwd: string
  readonly signal: AbortSignal
}

async function act(turn: Turn, text: string): Promise<void> {
  if (text.includes("please edit")) await edit(turn, `${turn.cwd}/note.txt`)
  else if (text.includes("please outside")) await edit(turn, `${turn.cwd}/../outside.txt`)
  else if (text.includes("please command")) await command(turn, ["touch", "made.txt"])
  else if (text.includes("please wait")) {
    const forever = "touch waiting.txt; until false; do sleep 0.2; done"
    await command(turn, ["sh", "-c", forever])
  } else if (text.includes("please steal")) await steal(turn, text)
  else if (text.includes("please flood")) await flood(turn)
  else if (text.includes("please die")) process.exit(7)
  else if (text.includes("please ask")) {
    const answer = await turn.client
      .request("elicitation/create", {})
      .catch((error: unknown) => error)
    await say(turn, String(answer))
  }
  await say(turn, "under")
  await say(turn, `stood in ${modeId}`)
}

function say({ client, sessionId }: Turn, text: string): Promise<void> {
  const content = { type: "text", text } as const
  return client.notify("session/update", {
    sessionId,
    update: { sessionUpdate: "agent_message_chunk", content },
  })
}

async function isAllowed(
  { client, sessionId, signal }: Turn,
  toolCallId: string,
): Promise<boolean> {
  const { outcome } = await client.request("session/request_permission", {
    sessionId,
    toolCall: { toolCallId },
    options: [
      { optionId: "yes", name: "Yes", kind: "allow_once" },
      { optionId: "always", name: "Always", kind: "allow_always" },
      { optionId: "no", name: "No", kind: "reject_once" },
    ],
  })
  return !signal.aborted && outcome.outcome === "selected" && outcome.optionId === "yes"
}

async function edit(turn: Turn, path: string): Promise<void> {
  const { client, sessionId } = turn
  calls += 1
  const toolCallId = `call-${calls}`
  const content = { type: "diff", path, oldText: null, newText: "remember\n" } as const
  const call = { toolCallId, title: "Write a file", kind: "edit", locations: [{ path }] } as const
  await client.notify("session/update", {
    sessionId,
    update: { sessionUpdate: "tool_call", ...call, status: "pending", content: [content] },
  })
  const wrote =
    (await isAllowed(turn, toolCallId)) &&
    (await client.request("fs/write_text_file", { sessionId, path, content: "remember\n" }).then(
      () => true,
      () => false,
    ))
  const status = wrote ? "completed" : "failed"
  await client.notify("session/update", {
    sessionId,
    update: { sessionUpdate: "tool_call_update", toolCallId, status },
  })
}

async function command(turn: Turn, [program = "", ...args]: readonly string[]): Promise<void> {
  const { client, sessionId, signal } = turn
  calls += 1
  const toolCallId = `call-${calls}`
  const rawInput = { command: [program, ...args].join(" ") }
  await client.notify("session/update", {
    sessionId,
    update: {
      sessionUpdate: "tool_call",
      toolCallId,
      title: "Run a command",
      kind: "execute",
      status: "pending",
      rawInput,
    },
  })
  const end = (status: "completed" | "failed", terminalId?: string) =>
    client.notify("session/update", {
      sessionId,
      update: {
        sessionUpdate: "tool_call_update",
        toolCallId,
        status,
        ...(terminalId !== undefined && { content: [{ type: "terminal", terminalId }] }),
      },
    })
  if (!(await isAllowed(turn, toolCallId))) return end("failed")
  const params = { sessionId, command: program, args: [...args] }
  const { terminalId } = await client.request<{ terminalId: string }>("terminal/create", params)
  const exited = client.request("terminal/wait_for_exit", { sessionId, terminalId })
  const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve))
  await Promise.race([exited, aborted])
  if (signal.aborted) return
  await end("completed", terminalId)
  await client.request("terminal/release", { sessionId, terminalId })
}

/** Reads and writes the paths after the word, and says what it got. */
async function steal({ client, sessionId, ...turn }: Turn, text: string): Promise<void> {
  const [, list = ""] = text.split("please steal ")
  for (const path of list.split(" ").filter((it) => it !== "")) {
    const read = await client.request("fs/read_text_file", { sessionId, path }).then(
      (it) => `read ${it.content}`,
      (error: unknown) => `refused: ${String(error)}`,
    )
    const write = await client
      .request("fs/write_text_file", { sessionId, path, content: "stolen" })
      .then(
        () => "wrote",
        (error: unknown) => `refused: ${String(error)}`,
      )
    await say({ client, sessionId, ...turn }, `${path} ${read} / ${write}\n`)
  }
  const terminal = await client
    .request("terminal/create", { sessionId, command: "pwd", cwd: "/" })
    .then(
      () => "opened",
      (error: unknown) => `refused: ${String(error)}`,
    )
  await say({ client, sessionId, ...turn }, `terminal ${terminal}\n`)
}

/** The requests stay open until the terminal ends, so the limit is reached at any speed. */
async function flood(turn: Turn): Promise<void> {
  const { client, sessionId, cwd } = turn
  const wait = "until [ -e flooded ]; do sleep 0.05; done"
  const params = { sessionId, command: "sh", args: ["-c", wait] }
  const { terminalId } = await client.request<{ terminalId: string }>("terminal/create", params)
  let refused = 0
  const waits = Array.from({ length: 200 }, () =>
    client.request("terminal/wait_for_exit", { sessionId, terminalId }).catch(() => {
      refused += 1
      if (refused === 100) writeFileSync(join(cwd, "flooded"), "")
    }),
  )
  await Promise.all(waits)
  for (let chunk = 0; chunk < 20_000; chunk++) await say(turn, "flood ")
  await say(turn, `refused ${refused}`)
}
