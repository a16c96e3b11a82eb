import path from "node:path"
import {
  isRecord,
  oneLine,
  packageFile,
  parseJson,
  pickEnvironment,
  type RunOutcome,
  run,
  statFile,
  versions,
} from "#ground/base"
import type { Handlers, OperationOutput, upgradeOperations } from "#ground/contract"
import { NpmMissing, RegistryUnreachable, VersionUnknown } from "./errors.ts"
import { userHome } from "./places.ts"
import type { Services } from "./services.ts"

const NAME = "quartermaster"

type UpgradeDeps = Pick<Services, "environment" | "places"> & {
  /** Folder of the package. */
  readonly folder?: string
}

/** `qm upgrade`: how to update. It changes nothing and, without `--check`, uses no network. */
export const upgradeHandlers = (deps: UpgradeDeps): Handlers<typeof upgradeOperations> => ({
  async show({ check }, { signal }) {
    const { folder = packageFile(".") } = deps
    const version = versions().qm
    const installation = await findInstallation(folder, deps.environment())
    const latest = check ? await askRegistry(deps, signal) : null
    const isNewest = latest === null ? null : compareVersions(version, latest) >= 0
    return { version, folder, ...installation, latest, isNewest }
  },
})

type Installation = Pick<OperationOutput<"upgrade.show">, "installed" | "steps">
type Environment = Readonly<Record<string, string | undefined>>

/** Global folders of other package managers than npm, by a part of their path. */
const GLOBAL_FOLDERS: readonly (readonly [part: RegExp, step: string])[] = [
  [/\/pnpm\/global\//, `pnpm add --global ${NAME}@latest`],
  [/\/\.bun\/install\/global\//, `bun add --global ${NAME}@latest`],
  [/\/yarn\/(?:data\/)?global\//i, `yarn global add ${NAME}@latest`],
  [/\/\.volta\/tools\//, `volta install ${NAME}@latest`],
]

const LOCKFILES: readonly (readonly [file: string, step: string])[] = [
  ["pnpm-lock.yaml", `pnpm add ${NAME}@latest`],
  ["yarn.lock", `yarn add ${NAME}@latest`],
  ["bun.lock", `bun add ${NAME}@latest`],
  ["bun.lockb", `bun add ${NAME}@latest`],
]

/** Reads only the path and the names of a few files: no program is started. */
export async function findInstallation(
  folder: string,
  environment: Environment,
): Promise<Installation> {
  const place = folder.split(path.sep).join("/")
  if (environment["QM_CONTAINER"] !== undefined) {
    return {
      installed: "container",
      steps: ["docker compose build --pull", "docker compose up --detach"],
    }
  }
  if (/\/(?:_npx|dlx-[^/]+|bunx-[^/]+)\//.test(place)) {
    return { installed: "npx", steps: [`npx ${NAME}@latest`] }
  }
  const plugin = /\/plugins\/cache\/([^/]+)\/([^/]+)\//.exec(`${place}/`)
  if (plugin !== null) {
    const [, marketplace = "", name = ""] = plugin
    return {
      installed: "claude-plugin",
      steps: [
        `claude plugin marketplace update ${marketplace}`,
        `claude plugin update ${name}@${marketplace}`,
      ],
    }
  }
  if (await isThere(path.join(folder, ".git"))) {
    return { installed: "clone", steps: [inFolder(folder, "git pull"), inFolder(folder, "npm ci")] }
  }
  return findNodeModules(place)
}

async function findNodeModules(place: string): Promise<Installation> {
  const end = place.indexOf("/node_modules/")
  if (end === -1) return { installed: "unknown", steps: [`npm install --global ${NAME}@latest`] }
  const other = GLOBAL_FOLDERS.find(([part]) => part.test(place))
  if (other !== undefined) return { installed: "global", steps: [other[1]] }
  const project = place.slice(0, end) || "/"
  if (!(await isThere(path.join(project, "package.json")))) {
    return { installed: "global", steps: [`npm install --global ${NAME}@latest`] }
  }
  for (const [file, step] of LOCKFILES) {
    if (await isThere(path.join(project, file))) {
      return { installed: "dependency", steps: [inFolder(project, step)] }
    }
  }
  const step = inFolder(project, `npm install ${NAME}@latest`)
  return { installed: "dependency", steps: [step] }
}

async function isThere(file: string): Promise<boolean> {
  return (await statFile(file)).kind === "found"
}

function inFolder(folder: string, step: string): string {
  const isPlain = /^[\w@%+=:,./-]+$/.test(folder)
  return `cd ${isPlain ? folder : `'${folder.replaceAll("'", String.raw`'\''`)}'`} && ${step}`
}

/** npm waits for its registry at most half of it. */
const ASK_TIMEOUT_MS = 20_000
const ASK_OUTPUT_BYTES = 100_000
const ASK_LINE = `npm view ${NAME} version --json --fetch-retries=0 --fetch-timeout=10000`

/** npm's own client, so that its registry, proxy, certificates and tokens apply. */
async function askRegistry(deps: UpgradeDeps, signal: AbortSignal): Promise<string> {
  const environment = deps.environment()
  const isWindows = process.platform === "win32"
  // On Windows npm is a script, which only a shell starts. The line is constant.
  const [program = "", ...args] = isWindows
    ? [environment["ComSpec"] ?? "cmd.exe", "/d", "/s", "/c", ASK_LINE]
    : ASK_LINE.split(" ")
  // Not the repository: its .npmrc could name another registry.
  const outcome = await run(program, args, {
    cwd: userHome(deps),
    env: pickEnvironment(environment, Object.keys(environment).filter(isNpmSetting)),
    timeoutMs: ASK_TIMEOUT_MS,
    maxOutputBytes: ASK_OUTPUT_BYTES,
    signal,
  })
  return readVersion(outcome)
}

const NPM_SETTING =
  /^(?:npm_.*|https?_proxy|no_proxy|all_proxy|node_extra_ca_certs|ssl_cert_(?:file|dir)|path|pathext|home|userprofile|appdata|localappdata|systemroot|comspec|temp|tmp|tmpdir|xdg_.*|lang)$/i

function isNpmSetting(name: string): boolean {
  return NPM_SETTING.test(name)
}

const UNREACHABLE =
  /^(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT|ENOTCACHED|EPROTO|FETCH_ERROR)$/

function readVersion(outcome: RunOutcome): string {
  if (outcome.kind === "not-found") throw NpmMissing({ reason: "it is not on the PATH" })
  if (outcome.kind === "not-started") throw NpmMissing({ reason: outcome.reason })
  if (outcome.kind === "timed-out") {
    throw RegistryUnreachable({ reason: `no response within ${ASK_TIMEOUT_MS / 1_000} s` })
  }
  const answer = parseJson(outcome.stdout.toString("utf8"))
  if (typeof answer === "string" && VERSION.test(answer)) return answer
  const error = isRecord(answer) && isRecord(answer["error"]) ? answer["error"] : {}
  const { code, summary } = error
  const reason = `${typeof code === "string" ? code : "no JSON"}`
  if (UNREACHABLE.test(reason)) throw RegistryUnreachable({ reason })
  const detail =
    reason === "E404" ? `${NAME} is not published there` : oneLine(String(summary), 200)
  throw VersionUnknown({ reason: summary === undefined ? reason : `${reason}, ${detail}` })
}

const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/

/** By semantic versioning; a pre-release comes before its release. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [VERSION.exec(left), VERSION.exec(right)]
  if (a === null || b === null) return left === right ? 0 : -1
  for (const part of [1, 2, 3]) {
    const difference = Number(a[part]) - Number(b[part])
    if (difference !== 0) return difference
  }
  return comparePreRelease(a[4], b[4])
}

function comparePreRelease(left: string | undefined, right: string | undefined): number {
  if (left === right) return 0
  if (left === undefined) return 1
  if (right === undefined) return -1
  const [a, b] = [left.split("."), right.split(".")]
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [one = "", other = ""] = [a[i], b[i]]
    if (one === other) continue
    const numbers = [one, other].filter((it) => /^\d+$/.test(it)).length
    if (numbers === 2) return Number(one) - Number(other)
    if (numbers === 1) return /^\d+$/.test(one) ? -1 : 1
    return one < other ? -1 : 1
  }
  return a.length - b.length
}
