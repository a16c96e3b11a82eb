import path from "node:path"
import { z } from "zod"
import {
  ensureDirectory,
  nearest,
  parseJson,
  readTextBounded,
  whileLocked,
  writeFileAtomic,
} from "#ground/base"
import { ModelConnection } from "#ground/contract"
import {
  ConnectionsUnreadable,
  ConnectionUnknown,
  ConnectionWithoutAddress,
  TooManyConnections,
} from "./errors.ts"
import { checkAddress, type ModelConfig } from "./settings.ts"

const LARGEST_FILE_BYTES = 1_000_000

const MOST_CONNECTIONS = 100

const ConnectionsFile = z.strictObject({
  version: z.literal(1),
  connections: z.array(ModelConnection),
})

/**
 * Named models of the user. In the user's folder only: a repository that could name an address
 * would receive the user's key.
 */
export function createConnectionFile(file: string) {
  async function read(): Promise<readonly ModelConnection[]> {
    const outcome = await readTextBounded(file, { maxBytes: LARGEST_FILE_BYTES })
    if (outcome.kind === "missing") return []
    const value = outcome.kind === "read" ? parseJson(outcome.text) : undefined
    const parsed = ConnectionsFile.safeParse(value)
    if (parsed.success) return parsed.data.connections
    const [issue] = parsed.error.issues
    const reason = outcome.kind === "read" ? (issue?.message ?? "invalid") : outcome.kind
    throw ConnectionsUnreadable({ path: file, reason })
  }

  async function change(
    make: (all: readonly ModelConnection[]) => readonly ModelConnection[],
  ): Promise<void> {
    await ensureDirectory(path.dirname(file))
    await whileLocked(file, async () => {
      const connections = make(await read())
      await writeFileAtomic(file, `${JSON.stringify({ version: 1, connections }, undefined, 2)}\n`)
    })
  }

  async function find(name: string): Promise<ModelConnection> {
    const all = await read()
    const connection = all.find((it) => it.name === name)
    if (connection !== undefined) return connection
    const names = all.map((it) => it.name)
    throw ConnectionUnknown({ name, nearest: nearest(name, names) })
  }

  return {
    file,
    list: read,
    find,
    async put(connection: ModelConnection): Promise<void> {
      checkConnection(connection)
      await change((all) => {
        const others = all.filter((it) => it.name !== connection.name)
        if (others.length >= MOST_CONNECTIONS) throw TooManyConnections({ most: MOST_CONNECTIONS })
        return [...others, connection]
      })
    },
    async remove(name: string): Promise<void> {
      await find(name)
      await change((all) => all.filter((it) => it.name !== name))
    },
  }
}

/** Before it is stored: an error at the first question would come too late. */
function checkConnection({ name, provider, baseUrl }: ModelConnection): void {
  if (baseUrl !== "") checkAddress(baseUrl, "baseUrl")
  const needsAddress = provider === "azure" || provider === "custom"
  if (baseUrl === "" && needsAddress) throw ConnectionWithoutAddress({ name, provider })
}

/** The settings of a connection; what it does not name is that of the model settings. */
export function settingsOf(connection: ModelConnection, settings: ModelConfig): ModelConfig {
  const { provider, model, baseUrl, apiVersion } = connection
  return {
    ...settings,
    provider,
    name: model,
    baseUrl,
    apiVersion: apiVersion === "" ? settings.apiVersion : apiVersion,
  }
}
