import path from "node:path"
import { createIds } from "#ground/base"
import { captureOperations, createHistory, createRedact } from "#see/capture"
import { loadHost, realDisk } from "#see/hosts"
import { directoryProblem, listFiles, projectFolders, readEnvironmentFiles } from "#see/repo"
import { LARGEST_LISTED_TREE_FILES, MOST_ENVIRONMENT_FOLDERS } from "./limits.ts"
import type { OperationDeps } from "./operations.ts"
import { readSalt } from "./salt.ts"

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
    redact: (directory) => loadRedact(directory, deps),
    projectFolders: async (directory) => {
      const folders = await projectFolders(directory)
      // A person whose home is a repository has their programs in it all the same.
      return folders.filter((it) => !isInside(it, userHome(deps)))
    },
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

/** The same secret reads the same in everything this person is shown, today and tomorrow. */
async function loadRedact(directory: string, deps: OperationDeps) {
  const { createSecrets } = await import("#ground/secrets")
  const folders = foldersBetween(directory, await projectFolders(directory))
  const inFiles = (await Promise.all(folders.map(readEnvironmentFiles))).flat()
  const given = Object.entries(deps.environment()).filter(([name]) => SECRET_NAME.test(name))
  const known = [
    ...inFiles.filter(isWorthHiding).map((it) => it.value),
    ...given.flatMap(([, value]) => value ?? []),
  ]
  const salt = await readSalt(deps.places().home, deps)
  return createRedact(createSecrets({ random: deps.random, known, salt }))
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

/** The captured folder and those above it, up to the top of its project. */
function foldersBetween(directory: string, project: readonly string[]): readonly string[] {
  const folders = [path.resolve(directory), ...project]
  return [...new Set(folders)].slice(0, MOST_ENVIRONMENT_FOLDERS)
}

function isInside(folder: string, file: string): boolean {
  const way = path.relative(folder, file)
  return way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way)
}
