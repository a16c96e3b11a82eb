/// <reference types="node" />
// The entry point of the image: `serve` starts the server, `health` asks whether it responds,
// `backup [folder]` and `restore [file]` copy the database with its password from the secret.
import { spawn } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { request } from "node:https"
import { connect } from "node:net"
import { constants } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

const { env } = process
const port = env["QM_PORT"] || "4242"

/** A setting that is missing or wrong. Its text never contains a value that may be secret. */
class Refusal extends Error {
  /** @param {string} code @param {string} message @param {string} hint */
  constructor(code, message, hint) {
    super(`qm-server: ${message}\n  → ${hint}  [${code}]\n`)
  }
}

try {
  const command = process.argv[2] ?? "serve"
  if (command === "serve") await serve()
  else if (command === "health") await checkHealth()
  else if (command === "backup") await copyDatabase("backup", ["--to", backupFolder()])
  else if (command === "restore") await copyDatabase("restore", process.argv.slice(3, 4))
  else {
    throw new Refusal(
      "CONTAINER_COMMAND",
      `There is no command "${command}".`,
      "Use serve, health, backup or restore.",
    )
  }
} catch (error) {
  if (!(error instanceof Refusal)) throw error
  process.stderr.write(error.message)
  process.exitCode = 1
}

async function serve() {
  const host = readHost()
  const url = readDatabaseUrl()
  const [cert, key] = [tlsFile("QM_TLS_CERT", "tls_cert"), tlsFile("QM_TLS_KEY", "tls_key")]
  storeToken()
  await waitForDatabase(url)
  run(
    ["up", "--no-open", "--port", port, "--host", host, "--expose-to-the-network"].concat([
      "--tls-cert",
      cert,
      "--tls-key",
      key,
    ]),
    { ...env, QM_DATABASE_URL: url.href },
  )
}

function backupFolder() {
  return process.argv[3] ?? join(env["QM_HOME"] || "/var/lib/qm", "backups")
}

/** @param {"backup" | "restore"} what @param {readonly string[]} args */
async function copyDatabase(what, args) {
  const url = readDatabaseUrl()
  if (what === "restore" && args.length === 0) {
    const message = "No backup is named."
    throw new Refusal("CONTAINER_NO_BACKUP", message, "Pass the path of the file to restore.")
  }
  await waitForDatabase(url)
  run(["store", what, ...args], { ...env, QM_DATABASE_URL: url.href })
}

function readHost() {
  const host = env["QM_HOST"] ?? ""
  if (host !== "") return host
  const hint = "Set it to the name of the server, as in its certificate."
  throw new Refusal("CONTAINER_NO_HOST", "QM_HOST is not set.", hint)
}

function readDatabaseUrl() {
  const hint = "Set it to postgres://user@host:5432/database."
  const text = env["QM_DATABASE_URL"] ?? ""
  if (text === "") throw new Refusal("CONTAINER_NO_DATABASE", "QM_DATABASE_URL is not set.", hint)
  const url = URL.parse(text)
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol) || url.hostname === "") {
    throw new Refusal("CONTAINER_DATABASE_INVALID", "QM_DATABASE_URL is no Postgres URL.", hint)
  }
  const file = env["QM_DATABASE_PASSWORD_FILE"]
  if (file !== undefined && file !== "" && url.password === "") {
    url.password = encodeURIComponent(readSecret("QM_DATABASE_PASSWORD_FILE", file))
  }
  return url
}

/** @param {string} variable @param {string} name */
function tlsFile(variable, name) {
  const file = env[variable] || `/run/secrets/${name}`
  readSecret(variable, file)
  return file
}

/** The server reads its token from its own folder, with mode 0600; a mounted secret has another. */
function storeToken() {
  const token = readSecret("QM_TOKEN_FILE", env["QM_TOKEN_FILE"] || "/run/secrets/qm_token")
  if (!/^[A-Za-z0-9_-]{43}$/.test(token)) {
    throw new Refusal(
      "CONTAINER_TOKEN_INVALID",
      "The file of QM_TOKEN_FILE contains no token of 43 characters.",
      "Make one: openssl rand -base64 32 | tr '+/' '-_' | tr -d '='",
    )
  }
  const home = env["QM_HOME"] || "/var/lib/qm"
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 })
    const draft = join(home, `token.${process.pid}.tmp`)
    writeFileSync(draft, `${token}\n`, { mode: 0o600 })
    chmodSync(draft, 0o600)
    renameSync(draft, join(home, "token"))
  } catch (error) {
    const hint = "Mount a volume there that the user of the container can write."
    throw new Refusal("CONTAINER_HOME", `${home} cannot be written (${codeOf(error)}).`, hint)
  }
}

/** @param {string} variable @param {string} file */
function readSecret(variable, file) {
  let text = ""
  try {
    text = readFileSync(file, "utf8").trim()
  } catch (error) {
    const message = `${variable}: ${file} cannot be read (${codeOf(error)}).`
    throw new Refusal("CONTAINER_FILE", message, "Mount the file, readable by user 1000.")
  }
  if (text !== "") return text
  throw new Refusal("CONTAINER_FILE", `${variable}: ${file} is empty.`, "Write the secret into it.")
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error"
}

/** @param {URL} url */
async function waitForDatabase(url) {
  const seconds = Number(env["QM_WAIT_SECONDS"] || "60")
  if (!Number.isFinite(seconds) || seconds < 0) {
    throw new Refusal("CONTAINER_WAIT", "QM_WAIT_SECONDS is no number.", "Set it to 60.")
  }
  const place = { host: url.hostname, port: Number(url.port || "5432") }
  const end = performance.now() + seconds * 1_000
  for (let isFirst = true; ; isFirst = false) {
    const problem = await tryConnect(place)
    if (problem === undefined) return
    if (isFirst) process.stdout.write(`Waiting for Postgres at ${place.host}:${place.port}\n`)
    if (performance.now() >= end) {
      const message = `Postgres at ${place.host}:${place.port} did not respond within ${seconds} s (${problem}).`
      throw new Refusal("CONTAINER_DATABASE_DOWN", message, "Start it, or correct QM_DATABASE_URL.")
    }
    await sleep(500)
  }
}

/**
 * @param {{ host: string, port: number }} place
 * @returns {Promise<string | undefined>} the reason why there is no connection
 */
function tryConnect(place) {
  return new Promise((resolve) => {
    const socket = connect({ ...place, timeout: 3_000 })
    /** @param {string} [problem] */
    const end = (problem) => {
      socket.destroy()
      resolve(problem)
    }
    socket.once("connect", () => end())
    socket.once("timeout", () => end("timeout"))
    socket.once("error", (error) => end(codeOf(error)))
  })
}

/**
 * Signals go in, the exit code or the signal comes out.
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} environment
 */
function run(args, environment) {
  const child = spawn(env["QM_PROGRAM"] || "qm", args, { stdio: "inherit", env: environment })
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) {
    process.on(name, () => child.kill(/** @type {NodeJS.Signals} */ (name)))
  }
  child.on("error", (error) => {
    process.stderr.write(`qm-server: qm could not be started (${codeOf(error)}).\n`)
    process.exit(1)
  })
  child.on("exit", (code, signal) => {
    process.exit(signal === null ? (code ?? 1) : 128 + constants.signals[signal])
  })
}

async function checkHealth() {
  const problem = await askServer(readHost())
  if (problem === undefined) return
  const message = `The server does not respond: ${problem}.`
  throw new Refusal("CONTAINER_UNHEALTHY", message, "Read the log of the container.")
}

/**
 * It sends no secret, so the certificate is not verified.
 * @param {string} host
 * @returns {Promise<string | undefined>} the reason why it does not respond
 */
function askServer(host) {
  const options = { host, port, path: "/healthz", rejectUnauthorized: false, timeout: 4_000 }
  return new Promise((resolve) => {
    const asked = request(options, (response) => {
      response.resume()
      resolve(response.statusCode === 200 ? undefined : `status ${response.statusCode}`)
    })
    asked.once("timeout", () => asked.destroy(new Error("timeout")))
    asked.once("error", (error) => resolve(error.message))
    asked.end()
  })
}
