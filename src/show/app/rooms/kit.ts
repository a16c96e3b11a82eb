import path from "node:path"
import {
  createKit,
  forgeHandlers,
  type Kit,
  kitHandlers,
  loadHookBundle,
  packsHandlers,
  readTemplates,
} from "#act/kit"
import { RULES, readHookConfig } from "#choose/guard"
import { packageFile, thisMachine } from "#ground/base"
import { loadOperations } from "#ground/contract"
import { createClaims, createClassifier, createLedger } from "#know/ledger"
import { findGitProgram } from "#see/repo"
import { HomeUnknown, KitNeedsGit } from "../errors.ts"
import { platformHere } from "../places.ts"
import type { Services } from "../services.ts"
import { placeOf } from "./ledger.ts"

type KitDeps = Pick<
  Services,
  "places" | "environment" | "config" | "reload" | "tokens" | "clock" | "random" | "log"
>

export function openKitHandlers(deps: KitDeps & Pick<Services, "resolve" | "secrets">) {
  const kit = kitHandlers({
    kit: () => kitOf(deps),
    level: () => levelInForce(deps),
    requireGit() {
      if (deps.places().repository.gitCommonDirectory === undefined) throw KitNeedsGit({})
    },
    environment: deps.environment,
    program: packageFile("bin/qm"),
  })
  const forge = forgeHandlers({
    root: () => deps.places().repository.root,
    hosts: async () => (await (await kitOf(deps)).installed()).hosts,
    place: (path) => placeOf(path, deps),
    checks: () => definitionChecks(deps),
    templates: () => readTemplates(packageFile("templates")),
    countTokens: async (text) => (await deps.tokens.modelCounter()).count(text),
    log: deps.log,
  })
  return { kit, packs: packsHandlers({ kit: () => kitOf(deps) }), forge }
}

/** Commands of the command line that are not operations. */
const ENTRY_WORDS =
  "up open token mcp hook statusline keep tour completion version help gateway".split(" ")

async function definitionChecks(deps: Pick<Services, "secrets">) {
  const commands = (await loadOperations()).flatMap(({ name, cli }) =>
    (cli === undefined ? [] : [cli].flat()).flatMap(({ words, aliases = [] }) => [
      words ?? name.split("."),
      ...aliases.map((it) => it.split(" ")),
    ]),
  )
  const { redact } = await deps.secrets()
  return {
    isCommand: (words: readonly string[]) =>
      ENTRY_WORDS.includes(words[0] ?? "") ||
      commands.some((it) => it.every((word, at) => words[at] === word)),
    hasSecret: (text: string) => redact(text).findings.length > 0,
  }
}

export async function kitOf(deps: KitDeps): Promise<Kit> {
  const { repository, home, projectConfig } = deps.places()
  const environment = deps.environment()
  const userHome = environment["HOME"] ?? environment["USERPROFILE"]
  if (!userHome || !path.isAbsolute(userHome)) throw HomeUnknown({})
  return createKit({
    repository,
    configFile: projectConfig,
    level: () => levelInForce(deps),
    home,
    userHome,
    environment,
    platform: platformHere(),
    runtime: {
      node: process.execPath,
      qm: packageFile("bin/qm"),
      main: packageFile("bin/qm.mjs"),
    },
    git: await findGitProgram({ environment, outside: repository.root }),
    bundle: () => loadHookBundle(packageFile("."), environment),
    templates: packageFile("templates"),
    bootText: (level) => bootText(level, deps),
    countTokens: async (text) => (await deps.tokens.modelCounter()).count(text),
    clock: deps.clock,
    random: deps.random,
    log: deps.log,
  })
}

/** A team's level is in the project's file. */
async function levelInForce(deps: Pick<KitDeps, "reload" | "config">): Promise<number> {
  await deps.reload()
  return deps.config().kit.level
}

const BOOT_TIMEOUT_MS = 5_000

/** The text a session would get at its start; nothing is stored. */
async function bootText(level: number, deps: KitDeps): Promise<string> {
  const boot = RULES.find((it) => it.name === "boot")
  if (boot === undefined || level < boot.level) return ""
  const { repository, home, projectConfig, userConfig } = deps.places()
  const { root, gitDirectory, stateDirectory } = repository
  const environment = deps.environment()
  const files = { projectFile: projectConfig, userFile: userConfig, environment }
  const config = { ...(await readHookConfig(files)), level, mayFetch: false }
  const place = { stateDirectory, clock: deps.clock, random: deps.random }
  const verdict = await boot.judge(
    {
      host: "claude-code",
      session: "nobody",
      directory: path.resolve(root),
      at: deps.clock.now(),
      kind: "session-start",
      source: "startup",
    },
    {
      root,
      gitDirectory,
      stateDirectory,
      home,
      config,
      ledger: { ...createLedger(place), opened: async () => {} },
      claims: createClaims({ ...place, machine: thisMachine() }),
      classifier: createClassifier(),
      clock: deps.clock,
      random: deps.random,
      signal: AbortSignal.timeout(BOOT_TIMEOUT_MS),
      afterwards: () => {},
    },
  )
  return verdict.kind === "context" ? verdict.text : ""
}
