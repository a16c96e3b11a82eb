import { type Clock, createIds, isAppError, once } from "#ground/base"
import type { credentialOperations, Handlers } from "#ground/contract"
import type { Credentials } from "#ground/secrets"
import type { CredentialRequests } from "#see/sources"
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
  const { createCredentials, systemKeychain } = await import("#ground/secrets")
  const environment = deps.environment()
  return createCredentials({
    directory: deps.places().home,
    passphrase: environment["QM_PASSPHRASE"],
    keychain: systemKeychain({ platform: process.platform, environment }),
    clock: deps.clock,
    random: deps.random,
  })
}

export function openCredentialHandlers(
  deps: Pick<Services, "agents" | "clock" | "credentials" | "random" | "secrets" | "store">,
): Handlers<typeof credentialOperations> {
  return credentialHandlers({
    credentials: deps.credentials,
    requests: once(async () => {
      const { createCredentialRequests } = await import("#see/sources")
      return createCredentialRequests({
        db: async () => (await deps.store()).forRoom("sources"),
        clock: deps.clock,
        ids: createIds(deps),
        redact: async (text) => (await deps.secrets()).redact(text).text,
      })
    }),
    sessionKey: async (session) =>
      (await (await deps.agents()).findBySession(session))?.id ?? session,
    clock: deps.clock,
  })
}

const POLL_MS = 1_000

type HandlerDeps = {
  credentials(): Promise<Credentials>
  requests(): Promise<CredentialRequests>
  sessionKey(session: string): Promise<string>
  readonly clock: Pick<Clock, "monotonicMs" | "sleep">
}

/** Agents cannot set keys: only the user at the terminal or the console can. */
export const credentialHandlers = (deps: HandlerDeps): Handlers<typeof credentialOperations> => ({
  async set({ name, value }) {
    const credentials = await deps.credentials()
    await credentials.set(name, withoutNewline(value))
    await answerByName(name, deps)
    return credentials.list()
  },
  async request({ name, reason, wait, sessionId }, { caller, signal }) {
    const session = await deps.sessionKey(sessionId ?? caller?.session ?? "terminal")
    if ((await (await deps.credentials()).use(name)) !== undefined) {
      return { name, status: "set", id: null }
    }
    const requests = await deps.requests()
    const earlier = await requests.newest(session, name)
    // A refusal is final for a session: asking again and again would wear the user down.
    const request =
      earlier?.status === "denied"
        ? earlier
        : await requests.ask({ session, client: caller?.client ?? "you", name, reason })
    const untilMs = deps.clock.monotonicMs() + wait * 1_000
    let { status } = request
    while (status === "open" && deps.clock.monotonicMs() < untilMs) {
      await deps.clock.sleep(POLL_MS, signal)
      status = (await requests.newest(session, name))?.status ?? status
    }
    return { name, status, id: request.id }
  },
  requests: async () => ({ requests: [...(await (await deps.requests()).open())] }),
  async give({ id, value }) {
    const requests = await deps.requests()
    const request = (await requests.open()).find((it) => it.id === id)
    // The value is stored first: an agent that sees `given` finds it.
    if (request !== undefined) {
      await (await deps.credentials()).set(request.name, withoutNewline(value))
    }
    return requests.answer(id, "given")
  },
  deny: async ({ id }) => (await deps.requests()).answer(id, "denied"),
  async remove({ name }) {
    const credentials = await deps.credentials()
    await credentials.remove(name)
    return credentials.list()
  },
  list: async () => (await deps.credentials()).list(),
})

/** A pipe ends with a newline that is not part of the key. */
function withoutNewline(value: string | undefined): string {
  return (value ?? "").replace(/\r?\n$/, "")
}

/** The credential is stored already; a store that cannot be opened does not undo that. */
async function answerByName(name: string, { requests }: HandlerDeps): Promise<void> {
  try {
    await (await requests()).setByName(name)
  } catch (error) {
    if (!isAppError(error)) throw error
  }
}
