import { request as requestPlain } from "node:http"
import { request as requestTls } from "node:https"
import { json } from "node:stream/consumers"
import { visible } from "#ground/base"
import {
  AgentsApprovals,
  AgentsHandoff,
  AgentsList,
  type AgentType,
  Approval,
  agentsOperations,
  describeIssue,
  type PipelineLine,
  Run,
  RunConfiguration,
  WireError,
} from "#ground/contract"
import type { App } from "#show/app"
import type { LiveName } from "../cli.ts"
import type { EntryCall, EntryPoints } from "../entry-points.ts"
import { NothingRuns, RunInputInvalid, ServerRefused } from "../errors.ts"
import { stayWith } from "../pipeline/follow.ts"
import { renderAnswer } from "../render/agents.ts"
import { openApp, type RunContext, settleLost } from "../run-operation.ts"
import { safeJson } from "../terminal/screen.ts"
import { isEnded } from "./exit-code.ts"
import { watch } from "./watch.ts"

type FlagValues = Readonly<Record<string, unknown>>
type Call = { readonly input: FlagValues; readonly app: App; readonly context: RunContext }

/** Commands that follow a run until it ends, or pass it to a server. */
export async function runLive(
  name: LiveName,
  input: FlagValues,
  context: RunContext,
): Promise<number> {
  await using app = await openApp(context)
  await settleLost(app)
  const call = { input, app, context }
  switch (name) {
    case "run":
      return input["detach"] === true ? await detach(call) : await start(call)
    case "send":
      return await send(call)
    case "attach":
      return await attach(call)
    case "stop":
      return await stop(call)
    case "answer":
      return await answer(call)
    case "handoff":
      return await handOff(call)
    default:
      return name satisfies never
  }
}

/** The agent works in this process; others see it through the store. */
async function start({ input, app, context }: Call): Promise<number> {
  const startRequest = startInput(input, context.directory)
  const agents = await app.agents()
  const run = await agents.start(startRequest, { isHere: true, mayNameRecipe: true })
  runText(run, context)
  const pipeline = isEnded(run) ? await newestPipeline(run.id, app) : undefined
  if (pipeline !== undefined) return stayWith(pipeline.id, 0, { app, context })
  return watch({ id: run.id, after: 0, onInterrupt: "stop" }, app, context)
}

async function detach({ input, app, context }: Call): Promise<number> {
  const { entryPoints, environment, signal } = context.terminal
  const fields = startFields(input, context.directory)
  const run = await startInServer(fields, entryPoints, { app, environment, signal })
  return print(run, `Started ${run.id} on the server; \`qm attach ${run.id}\` shows it.`, context)
}

async function send({ input: { follow, ...input }, app, context }: Call): Promise<number> {
  const { signal } = context.terminal
  const before = await findRun(input["id"], app, context)
  const pipeline = await newestPipeline(before.id, app)
  const run = Run.parse(await app.call("agents.send", input, { signal }))
  const newest = await newestPipeline(before.id, app)
  const isTheirs = newest?.id !== pipeline?.id || newest?.lastSeq !== pipeline?.lastSeq
  if (newest !== undefined && isTheirs) {
    const from = newest.id === pipeline?.id ? pipeline.lastSeq : 0
    const code = await stayWith(newest.id, from, { app, context })
    // The pipeline was left, so the message is for the agent.
    const isLeft = (await newestPipeline(before.id, app))?.status === "breakout"
    if (!isLeft) return code
  }
  // An ended run is resumed in this process, and may have ended again already.
  const isHere = isEnded(before) || (await app.agents()).isHere(run.id)
  if (!isHere && follow !== true) {
    const way = input["now"] === true ? "Sent to" : "Queued after the current turn of"
    return print(run, `${way} ${run.id}; \`qm attach ${run.id}\` shows it.`, context)
  }
  const onInterrupt = isHere ? "stop" : "leave"
  return watch({ id: run.id, after: before.lastSeq, onInterrupt }, app, context)
}

/** A message to a session may be for its pipeline: an answer to a pause, or a recipe's name. */
async function newestPipeline(session: string, app: App): Promise<PipelineLine | undefined> {
  return (await (await app.pipelines()).list({ session, limit: 1 })).runs[0]
}

async function attach({ input, app, context }: Call): Promise<number> {
  const run = await findRun(input["id"], app, context)
  runText(run, context)
  const tail = asNumber(input["tail"])
  const after = asNumber(input["after"]) ?? (tail === undefined ? 0 : run.lastSeq - tail)
  const plan = { id: run.id, after: Math.max(0, after), onInterrupt: "leave" } as const
  const code = await watch(plan, app, context)
  const pipeline = isEnded(run) ? await newestPipeline(run.id, app) : undefined
  // The transcript above has its events so far; a pause is answered here.
  const isOpen = pipeline !== undefined && pipeline.endedAt === null
  return isOpen ? stayWith(pipeline.id, pipeline.lastSeq, { app, context }) : code
}

async function stop({ input, app, context }: Call): Promise<number> {
  const { signal } = context.terminal
  const before = await findRun(input["id"], app, context)
  const run = Run.parse(await app.call("agents.stop", input, { signal }))
  const text = isEnded(before)
    ? `${run.id} had already ended: ${run.status}.`
    : `Stopped ${run.id}.`
  return print(run, text, context)
}

/** If the process that asked is gone, the run is resumed here and followed. */
async function answer({ input, app, context }: Call): Promise<number> {
  const { line, terminal, screen } = context
  const { signal } = terminal
  const open = AgentsApprovals.parse(await app.call("agents.approvals", {}, { signal })).approvals
  const question = open.find((it) => it.id === input["id"])
  const before = question === undefined ? undefined : await findRun(question.runId, app, context)
  const approval = Approval.parse(await app.call("agents.answer", input, { signal }))
  const isWatched = before?.status === "interrupted"
  const text = line.json ? safeJson(approval) : renderAnswer(visibleApproval(approval), screen)
  // With --json, stdout has only JSON lines.
  if (!isWatched || !line.json) terminal.stdout.write(`${text}\n`)
  if (!isWatched) return 0
  return watch({ id: before.id, after: before.lastSeq, onInterrupt: "stop" }, app, context)
}

function visibleApproval(approval: Approval): Approval {
  return { ...approval, title: visible(approval.title) }
}

/** With `--start` the new session works here and is followed. */
async function handOff({ input, app, context }: Call): Promise<number> {
  const { signal } = context.terminal
  const { run } = AgentsHandoff.parse(await app.call("agents.handoff", input, { signal }))
  if (run === null) return 1
  runText(run, context)
  return watch({ id: run.id, after: 0, onInterrupt: "stop" }, app, context)
}

async function findRun(id: unknown, app: App, { terminal }: RunContext): Promise<Run> {
  const { signal } = terminal
  if (id !== undefined) return Run.parse(await app.call("agents.show", { id }, { signal }))
  const { runs } = AgentsList.parse(await app.call("agents.list", { limit: 100 }, { signal }))
  const working = runs.find((it) => !isEnded(it))
  if (working === undefined) throw NothingRuns({})
  return working
}

/** Prints the run for a user; with --json the last line has it. */
function runText({ id, type, mode, cwd }: Run, { line, terminal, screen }: RunContext): void {
  if (line.json) return
  const text = `Run ${id}, ${type}, mode ${mode}, in ${cwd}`
  terminal.stdout.write(`${screen.paint.muted(visible(text))}\n`)
}

function print(run: Run, message: string, { line, terminal }: RunContext): number {
  terminal.stdout.write(`${line.json ? safeJson(run) : visible(message)}\n`)
  return 0
}

function asNumber(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined
}

import path from "node:path"

/** A server on this machine responds at once, or not at all. */
const SERVER_TIMEOUT_MS = 10_000

type StartInput = {
  readonly type: AgentType
  readonly prompt: string
  readonly configuration: RunConfiguration
}

/**
 * The fields of `qm run` as the operation takes them; a directory is relative to the current one.
 */
export function startFields(typed: FlagValues, directory: string): FlagValues {
  const fields = Object.entries(typed).filter(([key]) => key !== "detach")
  return Object.fromEntries(
    fields.map(([key, value]) =>
      key === "cwd" ? [key, path.resolve(directory, String(value))] : [key, value],
    ),
  )
}

export function startInput(typed: FlagValues, directory: string): StartInput {
  const fields = startFields(typed, directory)
  const parsed = agentsOperations["agents.start"].input.safeParse(fields)
  if (!parsed.success) {
    const problems = parsed.error.issues.map((it) => describeIssue(it, { input: fields }))
    throw RunInputInvalid({ problem: problems.join("; ") })
  }
  const { type, prompt, env = [], ...others } = parsed.data
  const setFields = Object.entries(others).filter(([, value]) => value !== undefined)
  const variables = Object.fromEntries(env.map(nameAndValue))
  const configuration = RunConfiguration.parse({ ...Object.fromEntries(setFields), env: variables })
  return { type, prompt, configuration }
}

function nameAndValue(variable: string): readonly [string, string] {
  const split = variable.indexOf("=")
  return [variable.slice(0, split), variable.slice(split + 1)]
}

/** The server continues the run after this command has ended. */
async function startInServer(
  input: Readonly<Record<string, unknown>>,
  entryPoints: Pick<EntryPoints, "open" | "token">,
  call: Omit<EntryCall, "say" | "input" | "isTerminal">,
): Promise<Run> {
  // The link contains the server's address; its one-time token is not used.
  const link = await readOutput(entryPoints.open, call)
  const token = await readOutput(entryPoints.token, call)
  const answer = await post(new URL("api/agents/start", link), { token, input })
  const run = Run.safeParse(answer)
  if (run.success) return run.data
  const error = WireError.safeParse(answer)
  if (!error.success) throw ServerRefused(NO_RUN)
  const { code, message, hint } = error.data
  throw ServerRefused({ code, message, hint })
}

const NO_RUN = {
  code: "no run",
  message: "its response is not a run.",
  hint: "Check the output of `qm up` in its terminal.",
}

/** Captures the one line that an entry point prints. */
async function readOutput(
  door: EntryPoints["open"],
  call: Omit<EntryCall, "say" | "input" | "isTerminal">,
): Promise<string> {
  const lines: string[] = []
  await door({ ...call, input: {}, isTerminal: false, say: (text) => void lines.push(text) })
  return lines[0] ?? ""
}

async function post(url: URL, what: { token: string; input: unknown }): Promise<unknown> {
  const request = url.protocol === "https:" ? requestTls : requestPlain
  const answer = Promise.withResolvers<unknown>()
  const sent = request(url, {
    method: "POST",
    headers: { authorization: `Bearer ${what.token}`, "content-type": "application/json" },
    timeout: SERVER_TIMEOUT_MS,
    // The server was identified by its process; its certificate may be self-signed.
    rejectUnauthorized: false,
  })
  sent.on("response", (response) => answer.resolve(json(response)))
  sent.on("timeout", () => sent.destroy(new Error("no answer in time")))
  sent.on("error", answer.reject)
  sent.end(JSON.stringify(what.input))
  return answer.promise
}
