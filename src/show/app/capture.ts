import path from "node:path"
import { createIds } from "#ground/base"
import { captureOperations, createHistory, createRedact } from "#see/capture"
import { loadHost, realDisk } from "#see/hosts"
import { directoryProblem, listFiles, readEnvironmentFiles } from "#see/repo"
import { LARGEST_LISTED_TREE_FILES } from "./limits.ts"
import type { OperationDeps } from "./operations.ts"

type CounterOf = () => Promise<{ readonly encoding: string; count(text: string): number }>

/** What capture stands on, for the person and the place this process serves. */
export function captureIn(deps: OperationDeps, counter: CounterOf) {
  return captureOperations({
    host: loadHost,
    disk: realDisk(),
    place: (given) => ({
      workingDirectory: deps.resolve(given),
      home: userHome(deps),
      environment: deps.environment(),
      platform: platformHere(),
    }),
    directoryProblem,
    encoding: () => deps.config().tokens.encoding,
    counter,
    redact: () => loadRedact(deps),
    history: async () => createHistory((await deps.store()).forRoom("capture")),
    isShared: () => deps.location().kind === "postgres",
    async listFiles(folder, signal) {
      const listed = await listFiles(folder, { maxFiles: LARGEST_LISTED_TREE_FILES, signal })
      return listed.isWhole ? listed.files : undefined
    },
    sizes: () => ({ window: deps.config().tokens.window, ...deps.config().capture }),
    ids: createIds(deps),
    clock: deps.clock,
    log: deps.log,
  })
}

/** The same secret reads the same in everything one call shows. */
async function loadRedact(deps: OperationDeps) {
  const { createSecrets } = await import("#ground/secrets")
  const inFiles = await readEnvironmentFiles(deps.places().repository.root)
  const given = Object.entries(deps.environment()).filter(([name]) => SECRET_NAME.test(name))
  const known = [
    ...inFiles.filter(isWorthHiding).map((it) => it.value),
    ...given.flatMap(([, value]) => value ?? []),
  ]
  return createRedact(createSecrets({ random: deps.random, known }))
}

const SECRET_NAME = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|PRIVATE/i

/** A plain name such as `APP_NAME=harbour` stands in every text, and is no secret. */
function isWorthHiding({ name, value }: { readonly name: string; readonly value: string }) {
  return SECRET_NAME.test(name) || /\d/.test(value) || !/^[\w .-]+$/.test(value)
}

/** Hosts look in the person's home, which is not where our own files lie when QM_HOME is set. */
function userHome(deps: OperationDeps): string {
  const { HOME, USERPROFILE } = deps.environment()
  return path.resolve(HOME || USERPROFILE || path.dirname(deps.places().home))
}

function platformHere(): "linux" | "darwin" | "win32" {
  const { platform } = process
  return platform === "darwin" || platform === "win32" ? platform : "linux"
}
