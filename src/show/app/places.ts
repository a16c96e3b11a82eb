import path from "node:path"
import { isInside, statFile } from "#ground/base"
import type { HostPlace } from "#see/hosts"
import { locateRepository, PROJECT_FOLDER, type Repository } from "#see/repo"
import { DirectoryMissing, HomeUnknown } from "./errors.ts"

export type RepositoryPaths = {
  readonly repository: Repository
  readonly home: string
  readonly userConfig: string
  readonly projectConfig: string
  readonly database: string
  readonly backups: string
}

export async function findPlaces(
  directory: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<RepositoryPaths> {
  const home = findHome(environment)
  const status = await statFile(directory)
  const isFile = status.kind === "found" && status.what === "regular file"
  if (status.kind === "missing" || isFile) throw DirectoryMissing({ directory })
  const repository = await locateRepository(directory)
  return {
    repository,
    home,
    userConfig: path.join(home, "config.json"),
    projectConfig: path.join(repository.root, PROJECT_FOLDER, "config.json"),
    database: path.join(repository.stateDirectory, "store.db"),
    backups: path.join(repository.stateDirectory, "backups"),
  }
}

function findHome(environment: Readonly<Record<string, string | undefined>>): string {
  if (environment["QM_HOME"]) return path.resolve(environment["QM_HOME"])
  const home = environment["HOME"] ?? environment["USERPROFILE"]
  if (!home || !path.isAbsolute(home)) throw HomeUnknown({})
  return path.join(home, PROJECT_FOLDER)
}

type Environment = Readonly<Record<string, string | undefined>>
type Surroundings = {
  places(): RepositoryPaths
  environment(): Environment
  /** A path given by the user, made absolute. */
  resolve(path: string): string
}

/**
 * Relative to the root with forward slashes; undefined for the root itself and for paths outside.
 */
export function placeInside(
  deps: Pick<Surroundings, "places" | "resolve">,
  userPath: string,
): string | undefined {
  const { root } = deps.places().repository
  const file = deps.resolve(userPath)
  if (file === root || !isInside(root, file)) return undefined
  // Both are resolved, so the rest of the path is the way. `path.relative` would resolve them again,
  // which takes long for a path of thousands of folders.
  const way = file.slice(root.endsWith(path.sep) ? root.length : root.length + 1)
  return way.split(path.sep).join("/")
}

/** The surroundings of a host that starts in the given directory. */
export function hostPlace(deps: Surroundings, userPath: string): HostPlace {
  return {
    workingDirectory: deps.resolve(userPath),
    home: userHome(deps),
    environment: deps.environment(),
    platform: platformHere(),
  }
}

/** Hosts read the user's home, which differs from QM_HOME if that is set. */
export function userHome(deps: Pick<Surroundings, "environment" | "places">): string {
  const { HOME, USERPROFILE } = deps.environment()
  const home = [HOME, USERPROFILE].find((it) => it !== undefined && path.isAbsolute(it))
  return path.resolve(home ?? path.dirname(deps.places().home))
}

export function platformHere(): HostPlace["platform"] {
  const { platform } = process
  return platform === "darwin" || platform === "win32" ? platform : "linux"
}
