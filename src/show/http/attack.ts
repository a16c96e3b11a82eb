import { request } from "node:http"
import { systemRandom } from "#ground/base"
import type { DoctorCheck } from "#ground/contract"
import { readOrMakeToken } from "./guard/token-file.ts"
import { ASK_RUNNING_TIMEOUT_MS, findRunning } from "./server/running-server.ts"

const EXPOSED: DoctorCheck = {
  area: "server",
  name: "attack",
  state: "warn",
  detail: "this server is exposed to the network; the probes test loopback only",
  hint: "Stop it and run `qm up` without --host to test the same guard.",
}

type Attempt = {
  readonly name: string
  readonly method?: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Statuses that mean the request was refused. */
  readonly shut: readonly number[]
}

export type AttackedPlaces = {
  readonly home: string
  readonly repository: { readonly stateDirectory: string }
}

/**
 * Attacks the running server like a foreign page, a rebound DNS name or another user. Each attempt
 * is one request to loopback; an accepted one is a failed check.
 */
export async function attack(places: AttackedPlaces): Promise<readonly DoctorCheck[]> {
  const running = await findRunning(places.repository.stateDirectory)
  if (running === undefined) return [NOT_RUNNING]
  if (running.url.startsWith("https:")) return [EXPOSED]
  const token = await readOrMakeToken(places.home, systemRandom)
  const checks: DoctorCheck[] = []
  for (const attempt of attempts(running.port, token)) {
    const status = await tryOnce(running.port, attempt)
    checks.push(report(attempt, status))
  }
  return checks
}

const NOT_RUNNING: DoctorCheck = {
  area: "server",
  name: "attack",
  state: "warn",
  detail: "no server is running for this repository",
  hint: "Run `qm up` in another terminal, then `qm doctor --attack`.",
}

const READ = "/api/doctor/run"
const WRITE = "/api/store/backup"
const REFUSED = [401, 403, 421]
const UPGRADE = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "cXVhcnRlcm1hc3Rlci1xbQ==",
}

function attempts(port: number, token: string): readonly Attempt[] {
  const host = `127.0.0.1:${port}`
  const authorization = `Bearer ${token}`
  const signedIn = { host, authorization }
  const read = (name: string, headers: Attempt["headers"], path = READ): Attempt => ({
    name,
    path,
    headers: { host, ...headers },
    shut: REFUSED,
  })
  return [
    read("no token", {}),
    read("wrong token", { authorization: `Bearer ${"A".repeat(43)}` }),
    read("longer token", { authorization: `${authorization}x` }),
    read("token in the query", {}, `${READ}?token=${token}`),
    read("foreign page", { authorization, origin: "http://evil.example" }),
    read("page without an origin", { authorization, origin: "null" }),
    read("rebound DNS name", { authorization, host: `evil.example:${port}` }),
    read("Host that ends like ours", { authorization, host: `127.0.0.1.evil.example:${port}` }),
    read("0.0.0.0", { authorization, host: `0.0.0.0:${port}` }),
    read("socket without a token", UPGRADE, "/live/?EIO=4&transport=websocket"),
    read("polling without a token", {}, "/socket.io/?EIO=4&transport=polling"),
    {
      name: "form post",
      method: "POST",
      path: WRITE,
      headers: { ...signedIn, "content-type": "text/plain", "content-length": "0" },
      shut: [415],
    },
    { name: "write by GET", path: WRITE, headers: signedIn, shut: [404, 405] },
  ]
}

function report(attempt: Attempt, status: number | undefined): DoctorCheck {
  const area = "server"
  const name = attempt.name
  if (status !== undefined && attempt.shut.includes(status)) {
    return { area, name, state: "ok", detail: `refused with ${status}` }
  }
  const detail =
    status === undefined ? "the server did not respond" : `accepted with status ${status}`
  return {
    area,
    name,
    state: "fail",
    detail,
    hint: "Stop the server and report this as a security bug.",
  }
}

async function tryOnce(port: number, attempt: Attempt): Promise<number | undefined> {
  return new Promise((resolve) => {
    const sent = request(
      {
        host: "127.0.0.1",
        port,
        path: attempt.path,
        method: attempt.method ?? "GET",
        headers: attempt.headers,
        setHost: false,
        timeout: ASK_RUNNING_TIMEOUT_MS,
      },
      (response) => {
        response.resume()
        resolve(response.statusCode)
      },
    )
    sent.on("upgrade", (response, socket) => {
      socket.destroy()
      resolve(response.statusCode)
    })
    sent.on("timeout", () => sent.destroy())
    sent.on("error", () => resolve(undefined))
    sent.end()
  })
}
