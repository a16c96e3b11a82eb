import path from "node:path"
import { isAppError, packageFile } from "#ground/base"
import type { EventBody } from "#ground/contract"
import type { Credentials } from "#ground/secrets"
import { PROJECT_FOLDER } from "#see/repo"
import type { Sources } from "#see/sources"
import type { Services } from "../services.ts"
import { addConnection } from "./model.ts"

type SourceDeps = Pick<
  Services,
  "agents" | "clock" | "config" | "environment" | "log" | "places" | "random" | "secrets" | "store"
> & {
  credentials(): Promise<Pick<Credentials, "remove" | "set" | "use">>
}

/** The server of a source is started at its first request. */
export async function openSources(deps: SourceDeps): Promise<Sources> {
  const { createSources } = await import("#see/sources")
  const { home, repository } = deps.places()
  return createSources({
    places: {
      shipped: packageFile("sources"),
      user: path.join(home, "sources"),
      project: path.join(repository.root, PROJECT_FOLDER, "sources"),
    },
    approvalsFile: path.join(home, "approvals", "sources.json"),
    stateDirectory: home,
    db: async () => (await deps.store()).forRoom("sources"),
    sessionKey: async (session) =>
      (await (await deps.agents()).findBySession(session))?.id ?? session,
    alwaysOn: () => splitNames(deps.config().sources.sessions),
    templatesDirectory: packageFile("templates/sources"),
    addConnection: (connection) => addConnection(connection, deps),
    runtime: process.execPath,
    environment: deps.environment(),
    clock: deps.clock,
    log: deps.log,
    random: deps.random,
    credential: async (name) => (await deps.credentials()).use(name),
    async storeCredential(name, value) {
      const credentials = await deps.credentials()
      await (value === undefined ? credentials.remove(name) : credentials.set(name, value))
    },
    redact: async (text) => (await deps.secrets()).redact(text).text,
    onChange: (change) => announce(change, deps),
  })
}

function splitNames(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((it) => it !== "")
}

/** If the store is unreachable, the approval stays. */
async function announce(
  change: EventBody<"sources.changed">,
  deps: Pick<SourceDeps, "store" | "log">,
): Promise<void> {
  try {
    const events = (await deps.store()).forRoom("sources")
    await events.transaction(async (tx) => tx.emit("sources.changed", change))
  } catch (error) {
    if (!isAppError(error)) throw error
    deps.log.warn("source changed, but the event could not be stored", { error })
  }
}
