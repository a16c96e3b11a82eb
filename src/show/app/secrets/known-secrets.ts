import path from "node:path"
import { statFile } from "#ground/base"
import { parseSecretPattern, splitSecretPatterns } from "#ground/contract"
import type { Secrets } from "#ground/secrets"
import { projectFolders, readEnvironmentFiles } from "#see/repo"
import type { RepositoryPaths } from "../places.ts"
import type { Services } from "../services.ts"
import { openCredentials } from "./credentials.ts"
import { readSalt } from "./salt.ts"

/** Folders whose `.env` files are read, so that their values are known as secrets elsewhere. */
const MOST_ENVIRONMENT_FOLDERS = 32

type SecretsDeps = Pick<Services, "clock" | "environment" | "loaded" | "log" | "places" | "random">

/** The same secret gets the same replacement everywhere, today and tomorrow. */
export async function loadSecrets(directory: string, deps: SecretsDeps): Promise<Secrets> {
  const { createSecrets, isSecretName, isSecretSetting } = await import("#ground/secrets")
  const folders = foldersBetween(directory, await projectFolders(directory))
  const inFiles = (await Promise.all(folders.map(readEnvironmentFiles))).flat()
  const variables = Object.entries(deps.environment()).filter(([name]) => isSecretName(name))
  const values = [
    ...inFiles.filter(isSecretSetting).map((it) => it.value),
    ...variables.flatMap(([, value]) => value ?? []),
    ...(await (await openCredentials(deps)).known()),
  ]
  const salt = await readSalt(deps.places().home, deps)
  // Also with a broken config: then its valid values, or the defaults, count.
  const patterns = splitSecretPatterns(deps.loaded().config.secrets.patterns)
    .map(parseSecretPattern)
    .filter((it) => typeof it !== "string")
  const secrets = createSecrets({ random: deps.random, known: values, patterns, salt })
  return withLate(secrets, deps.places())
}

/** Credentials stored after rooms had loaded their secrets; rooms keep theirs while they live. */
type LateSecrets = { readonly stamp: string; readonly secrets: Secrets | undefined }
const lateOf = new WeakMap<RepositoryPaths, LateSecrets>()

/** Checks before each operation whether any process set a credential. */
export async function noticeCredentials(deps: SecretsDeps): Promise<void> {
  const places = deps.places()
  const status = await statFile(path.join(places.home, "credentials.json"))
  const stamp = status.kind === "found" ? `${status.stat.changedAtMs} ${status.stat.inode}` : "none"
  const before = lateOf.get(places)
  if (before?.stamp === stamp) return
  if (before === undefined || stamp === "none") {
    lateOf.set(places, { stamp, secrets: undefined })
    return
  }
  const { createSecrets } = await import("#ground/secrets")
  const stored = await (await openCredentials(deps)).known()
  const salt = await readSalt(places.home, deps)
  lateOf.set(places, {
    stamp,
    secrets: createSecrets({ random: deps.random, known: stored, salt }),
  })
}

function withLate(secrets: Secrets, places: RepositoryPaths): Secrets {
  return {
    redact(text) {
      const late = lateOf.get(places)?.secrets
      return secrets.redact(late === undefined ? text : late.redact(text).text)
    },
    redactJson(value, options) {
      const late = lateOf.get(places)?.secrets
      return secrets.redactJson(
        late === undefined ? value : late.redactJson(value, options).value,
        options,
      )
    },
  }
}

/** The given folder and its parents, up to the top of its project. */
function foldersBetween(directory: string, project: readonly string[]): readonly string[] {
  const folders = [path.resolve(directory), ...project]
  return [...new Set(folders)].slice(0, MOST_ENVIRONMENT_FOLDERS)
}
