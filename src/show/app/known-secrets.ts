import path from "node:path"
import type { Secrets } from "#ground/secrets"
import { projectFolders, readEnvironmentFiles } from "#see/repo"
import { openCredentials } from "./credentials.ts"
import { MOST_ENVIRONMENT_FOLDERS } from "./limits.ts"
import type { OperationDeps } from "./operations.ts"
import { readSalt } from "./salt.ts"

type SecretsDeps = Pick<
  OperationDeps,
  "clock" | "environment" | "places" | "random" | "log" | "onSecrets"
>

/** The same secret reads the same in everything this person is shown, today and tomorrow. */
export async function loadSecrets(directory: string, deps: SecretsDeps): Promise<Secrets> {
  const { createSecrets } = await import("#ground/secrets")
  const folders = foldersBetween(directory, await projectFolders(directory))
  const inFiles = (await Promise.all(folders.map(readEnvironmentFiles))).flat()
  const given = Object.entries(deps.environment()).filter(([name]) => SECRET_NAME.test(name))
  const known = [
    ...inFiles.filter(isWorthHiding).map((it) => it.value),
    ...given.flatMap(([, value]) => value ?? []),
    ...(await (await openCredentials(deps)).known()),
  ]
  const salt = await readSalt(deps.places().home, deps)
  const secrets = createSecrets({ random: deps.random, known, salt })
  deps.onSecrets?.(secrets)
  return secrets
}

const SECRET_NAME = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|PRIVATE/i

/** A plain name such as `APP_NAME=harbour` stands in every text, and is no secret. */
function isWorthHiding({ name, value }: { readonly name: string; readonly value: string }) {
  return SECRET_NAME.test(name) || /\d/.test(value) || !/^[\w .-]+$/.test(value)
}

/** The captured folder and those above it, up to the top of its project. */
function foldersBetween(directory: string, project: readonly string[]): readonly string[] {
  const folders = [path.resolve(directory), ...project]
  return [...new Set(folders)].slice(0, MOST_ENVIRONMENT_FOLDERS)
}
