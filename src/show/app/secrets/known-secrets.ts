import { hash } from "node:crypto"
import path from "node:path"
import { statNow } from "#ground/base"
import { parseSecretPattern, splitSecretPatterns } from "#ground/contract"
import type { PrepareRedaction, RedactionKeys, Secrets } from "#ground/secrets"
import { projectFolders, readEnvironmentFiles } from "#see/repo"
import type { RepositoryPaths } from "../places.ts"
import type { Services } from "../services.ts"
import { openCredentials } from "./credentials.ts"
import { findPrepared, prepareTexts } from "./long-texts.ts"
import { readSalt } from "./salt.ts"

/** Folders whose `.env` files are read, so that their values are known as secrets elsewhere. */
const MOST_ENVIRONMENT_FOLDERS = 32

type SecretsDeps = Pick<Services, "clock" | "environment" | "loaded" | "log" | "places" | "random">

export type LoadedSecrets = Secrets & { readonly prepare: PrepareRedaction }

/** The same secret gets the same replacement everywhere, today and tomorrow. */
export async function loadSecrets(directory: string, deps: SecretsDeps): Promise<LoadedSecrets> {
  const { createSecrets } = await import("#ground/secrets")
  const { digest, ...keys } = await readRedactionKeys(directory, deps)
  const places = deps.places()
  const secrets = createSecrets({
    random: deps.random,
    ...keys,
    prepared: (text) => findPrepared(places, { ...credentialStamp(places), digest, text }),
  })
  return {
    ...withLate(secrets, places),
    // The values are read again: nothing but their hashes stays in memory.
    prepare: (value) =>
      prepareTexts(value, {
        places,
        async read() {
          // Before the values: a credential set in between makes the result unused, not incomplete.
          const stamp = credentialStamp(places)
          return { ...(await readRedactionKeys(directory, deps)), ...stamp }
        },
      }),
  }
}

/** `digest` is equal for equal keys without credentials, which change; it reveals none of them. */
async function readRedactionKeys(
  directory: string,
  deps: SecretsDeps,
): Promise<RedactionKeys & { readonly digest: string }> {
  const { isSecretName, isSecretSetting } = await import("#ground/secrets")
  const folders = foldersBetween(directory, await projectFolders(directory))
  const inFiles = (await Promise.all(folders.map(readEnvironmentFiles))).flat()
  const variables = Object.entries(deps.environment()).filter(([name]) => isSecretName(name))
  const values = [
    ...inFiles.filter(isSecretSetting).map((it) => it.value),
    ...variables.flatMap(([, value]) => value ?? []),
  ]
  const credentials = await (await openCredentials(deps)).known()
  const salt = await readSalt(deps.places().home, deps)
  // Also with a broken config: then its valid values, or the defaults, count.
  const setting = deps.loaded().config.secrets.patterns
  const patterns = splitSecretPatterns(setting)
    .map(parseSecretPattern)
    .filter((it) => typeof it !== "string")
  const digest = hash("sha256", JSON.stringify([salt, setting, ...values]))
  return { known: [...values, ...credentials], patterns, salt, digest }
}

/** Credentials stored after rooms had loaded their secrets; rooms keep theirs while they live. */
type LateSecrets = { readonly stamp: string; readonly secrets: Secrets | undefined }
const lateOf = new WeakMap<RepositoryPaths, LateSecrets>()

/** Checks before each operation whether any process set a credential. */
export async function noticeCredentials(deps: SecretsDeps): Promise<void> {
  const places = deps.places()
  // Synchronous, because on a busy server a turn of the thread pool takes longer than the operation.
  const stat = statNow(path.join(places.home, "credentials.json"))
  const stamp = stat === undefined ? "none" : `${stat.changedAtMs} ${stat.inode}`
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
    secrets: createSecrets({
      random: deps.random,
      known: stored,
      salt,
      // Of any room: it has all credentials, and the room's own secrets follow.
      prepared: (text) => findPrepared(places, { stamp, text }),
    }),
  })
}

function credentialStamp(places: RepositoryPaths): { readonly stamp: string } {
  return { stamp: lateOf.get(places)?.stamp ?? "" }
}

function withLate(secrets: Secrets, places: RepositoryPaths): Secrets {
  return {
    redact(text) {
      const late = lateOf.get(places)?.secrets
      const result = late?.redact(text)
      if (result === undefined || result.text === text) return secrets.redact(text)
      const { text: redacted, findings } = secrets.redact(result.text)
      return { text: redacted, findings: findings.length === 0 ? result.findings : findings }
    },
    locate(text) {
      const late = lateOf.get(places)?.secrets?.locate(text) ?? []
      return late.length === 0 ? secrets.locate(text) : [...secrets.locate(text), ...late]
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
