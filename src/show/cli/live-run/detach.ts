import { request as requestPlain } from "node:http"
import { request as requestTls } from "node:https"
import { json } from "node:stream/consumers"
import { Run, WireError } from "#ground/contract"
import type { EntryCall, EntryPoints } from "../entry-points.ts"
import { ServerRefused } from "../errors.ts"
import { SERVER_TIMEOUT_MS } from "./limits.ts"

/** Starts a run in the server of this repository, which stays when this command has ended. */
export async function startInServer(
  input: Readonly<Record<string, unknown>>,
  entryPoints: Pick<EntryPoints, "open" | "token">,
  call: Omit<EntryCall, "say" | "input" | "isTerminal">,
): Promise<Run> {
  // The link tells where the server is; that it could sign a browser in is not needed here.
  const link = await readOutput(entryPoints.open, call)
  const token = await readOutput(entryPoints.token, call)
  const answer = await post(new URL("/api/agents/start", link), { token, input })
  const run = Run.safeParse(answer)
  if (run.success) return run.data
  const error = WireError.safeParse(answer)
  if (!error.success) throw ServerRefused(NO_RUN)
  const { code, message, hint } = error.data
  throw ServerRefused({ code, message, hint })
}

const NO_RUN = {
  code: "no run",
  message: "its answer is no run.",
  hint: "Look at the terminal in which `qm up` runs.",
}

/** The entryPoints speak to a person; here their one line is for us. */
async function readOutput(
  door: EntryPoints["open"],
  call: Omit<EntryCall, "say" | "input" | "isTerminal">,
): Promise<string> {
  const said: string[] = []
  await door({ ...call, input: {}, isTerminal: false, say: (text) => void said.push(text) })
  return said[0] ?? ""
}

async function post(url: URL, what: { token: string; input: unknown }): Promise<unknown> {
  const request = url.protocol === "https:" ? requestTls : requestPlain
  const answer = Promise.withResolvers<unknown>()
  const sent = request(url, {
    method: "POST",
    headers: { authorization: `Bearer ${what.token}`, "content-type": "application/json" },
    timeout: SERVER_TIMEOUT_MS,
    // The server was found by its process; its certificate may be its own.
    rejectUnauthorized: false,
  })
  sent.on("response", (response) => answer.resolve(json(response)))
  sent.on("timeout", () => sent.destroy(new Error("no answer in time")))
  sent.on("error", answer.reject)
  sent.end(JSON.stringify(what.input))
  return answer.promise
}
