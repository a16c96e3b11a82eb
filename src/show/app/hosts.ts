import { isAppError } from "#ground/base"
import {
  type Handlers,
  HOST_NAMES,
  type HostStatus,
  type hostsOperations,
  INSTALL_COMMANDS,
  KIT_HOSTS,
} from "#ground/contract"
import { findSignIn, loadHost, realDisk } from "#see/hosts"
import { hostPlace } from "./places.ts"
import { kitOf } from "./rooms/kit.ts"
import type { Services } from "./services.ts"

type HostsDeps = Pick<
  Services,
  "clock" | "config" | "environment" | "log" | "places" | "random" | "reload" | "resolve" | "tokens"
>

export const hostsHandlers = (deps: HostsDeps): Handlers<typeof hostsOperations> => ({
  list: async () => ({ hosts: [...(await listHosts(deps))] }),
})

/** Starts no program: versions come from files, logins from the names of files and variables. */
export async function listHosts(deps: HostsDeps): Promise<readonly HostStatus[]> {
  const place = hostPlace(deps, deps.places().repository.root)
  const disk = realDisk()
  const sources = await hookSources(deps)
  const hosts = await Promise.all(
    HOST_NAMES.map(async (name): Promise<HostStatus> => {
      const host = await loadHost(name)
      const installed = await host.findInstalled(place, disk)
      const { state, from } = await findSignIn(place, name)
      const isOffered = KIT_HOSTS.some((it) => it === name)
      return {
        name,
        title: host.title,
        isCaptured: true,
        isInstalled: installed !== undefined,
        version: installed?.version ?? null,
        login: state,
        loginFrom: from ?? null,
        hooks: isOffered ? (sources.get(name) ?? "none") : "not offered",
        program: installed?.program ?? null,
        rulesFrom: host.isVerified ? (host.factsVersions.at(-1) ?? null) : null,
        install: INSTALL_COMMANDS[name],
      }
    }),
  )
  return hosts.toSorted((a, b) => Number(b.isInstalled) - Number(a.isInstalled))
}

/** Hooks of a plugin run only in an enrolled repository. */
async function hookSources(deps: HostsDeps): Promise<ReadonlyMap<string, HostStatus["hooks"]>> {
  try {
    const { level, sources } = await (await kitOf(deps)).installed()
    return new Map(level === null ? [] : sources.map((it) => [it.host, it.from]))
  } catch (error) {
    // The doctor reports why the kit cannot be read.
    if (isAppError(error)) return new Map()
    throw error
  }
}
