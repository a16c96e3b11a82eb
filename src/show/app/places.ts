import path from "node:path"
import { statFile } from "#ground/base"
import { locateRepository, PROJECT_FOLDER, type Repository } from "#see/repo"
import { DirectoryMissing, HomeUnknown } from "./errors.ts"

/** Every place the product reads or writes for one repository and one user. */
export type Places = {
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
): Promise<Places> {
  const home = findHome(environment)
  const found = await statFile(directory)
  const isFile = found.kind === "found" && found.what === "regular file"
  if (found.kind === "missing" || isFile) throw DirectoryMissing({ directory })
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
  if (!home) throw HomeUnknown({})
  return path.join(home, PROJECT_FOLDER)
}
