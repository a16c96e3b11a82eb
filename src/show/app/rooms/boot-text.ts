import path from "node:path"
import { RULES, readHookConfig } from "#choose/guard"
import { thisMachine } from "#ground/base"
import { createClaims, createClassifier, createLedger } from "#know/ledger"
import { LONGEST_BOOT_MS } from "../limits.ts"
import type { OperationDeps } from "../operations.ts"

type Deps = Pick<OperationDeps, "places" | "environment" | "clock" | "random">

/** What a session would be told at its start now. It is only asked: nothing is written down. */
export async function bootText(level: number, deps: Deps): Promise<string> {
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
      signal: AbortSignal.timeout(LONGEST_BOOT_MS),
      afterwards: () => {},
    },
  )
  return verdict.kind === "context" ? verdict.text : ""
}
