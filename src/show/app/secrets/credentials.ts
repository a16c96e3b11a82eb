import type { credentialOperations, Handlers } from "#ground/contract"
import type { Credentials } from "#ground/secrets"
import type { RepositoryPaths } from "../places.ts"
import type { Services } from "../services.ts"

type Deps = Pick<Services, "places" | "environment" | "clock" | "random">

const opened = new WeakMap<RepositoryPaths, Promise<Credentials>>()

/**
 * Opened once per process, because deriving a key from a passphrase takes a second. The passphrase
 * comes from the environment only.
 */
export function openCredentials(deps: Deps): Promise<Credentials> {
  const places = deps.places()
  const existing = opened.get(places)
  if (existing !== undefined) return existing
  const made = makeCredentials(deps)
  opened.set(places, made)
  return made
}

async function makeCredentials(deps: Deps): Promise<Credentials> {
  const { createCredentials } = await import("#ground/secrets")
  return createCredentials({
    directory: deps.places().home,
    passphrase: deps.environment()["QM_PASSPHRASE"],
    clock: deps.clock,
    random: deps.random,
  })
}

/** Agents cannot set keys: only the user at the terminal or the console can. */
export const credentialHandlers = (deps: {
  credentials(): Promise<Credentials>
}): Handlers<typeof credentialOperations> => ({
  async set({ name, value }) {
    const credentials = await deps.credentials()
    // A pipe ends with a newline that is not part of the key.
    await credentials.set(name, (value ?? "").replace(/\r?\n$/, ""))
    return credentials.list()
  },
  async remove({ name }) {
    const credentials = await deps.credentials()
    await credentials.remove(name)
    return credentials.list()
  },
  list: async () => (await deps.credentials()).list(),
})
