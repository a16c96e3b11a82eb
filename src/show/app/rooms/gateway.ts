import path from "node:path"
import type { ProxiedRun, ProxyRequest } from "#act/agents"
import type { Gateway, ProxiedHost, ProxiedSessionRequest } from "#act/gateway"
import { createIds, isSameProcessAlive } from "#ground/base"
import { type GatewayMode, HostName, type WireName } from "#ground/contract"
import { findBypass, type HostPlace, type HostReport, readCodexProvider } from "#see/hosts"
import { platformHere } from "../places.ts"
import { checkForEvents } from "../room-events.ts"
import { receiptKey } from "../secrets/salt.ts"
import type { Services } from "../services.ts"
import { priceOf } from "./tokens.ts"

type GatewayDeps = Pick<
  Services,
  | "clock"
  | "config"
  | "environment"
  | "fold"
  | "log"
  | "owner"
  | "places"
  | "random"
  | "secrets"
  | "store"
>

export async function openGateway(deps: GatewayDeps): Promise<Gateway> {
  const { createGateway } = await import("#act/gateway")
  const { repository, home } = deps.places()
  const gateway = createGateway({
    db: (await deps.store()).forRoom("gateway"),
    ids: createIds(deps),
    clock: deps.clock,
    random: deps.random,
    log: deps.log,
    owner: deps.owner(),
    location: { home, stateDirectory: repository.stateDirectory },
    root: () => repository.root,
    settings: () => deps.config().gateway,
    secrets: () => deps.secrets(),
    receiptKey: () => receiptKey(deps),
    priceOf,
    chargeUsage: async (report) => (await deps.fold()).chargeUsage(report),
    noteCache: async (note) => {
      const { noteSessionCache } = await import("#choose/guard")
      await noteSessionCache(note, repository.stateDirectory)
    },
    keepTrail: async (branchId, steps) => (await deps.fold()).keepTrail(branchId, steps),
    keepResults: async (session, results) =>
      (await deps.fold()).keepMaskedResults(session, results),
    unfold: async (branchIds) => {
      const fold = await deps.fold()
      for (const it of branchIds) await fold.unfold(it)
    },
    isAlive: isSameProcessAlive,
    proxyEnvironment: deps.environment,
  })
  await gateway.recover().catch((error: unknown) => {
    deps.log.warn("proxied sessions of dead processes could not be ended", { error })
  })
  return gateway
}

type ProxyDeps = Pick<Services, "config" | "gateway">

/** Proxies a run if its input or the user's settings ask for it. */
export function proxyRuns(deps: ProxyDeps) {
  return async ({
    run,
    mode,
    environment,
    tell,
  }: ProxyRequest): Promise<ProxiedRun | undefined> => {
    const chosenMode = mode ?? deps.config().gateway.mode
    if (chosenMode === "off") return undefined
    if (run.type === "synthetic") {
      if (mode !== undefined)
        tell("The synthetic agent calls no model, so the gateway has no requests to record.")
      return undefined
    }
    const { acpHost } = await import("#act/agents")
    const host = HostName.safeParse(
      run.type === "acp" ? acpHost(deps.config().agents.acp) : run.type,
    )
    // Through `codex-acp` Codex takes its provider from its own settings only.
    if (!host.success || (run.type === "acp" && host.data === "codex")) {
      const { HostNotProxied } = await import("#act/gateway")
      throw HostNotProxied({ title: run.type, reason: "its address cannot be changed" })
    }
    return proxyHost(
      {
        run: run.id,
        title: run.type,
        host: host.data,
        mode: chosenMode,
        hasContent: deps.config().gateway.content,
        workingDirectory: run.cwd,
        environment,
        tell,
      },
      deps,
    )
  }
}

export type HostSessionRequest = Omit<ProxiedSessionRequest, "codexProvider" | "mode" | "wire"> & {
  readonly mode: Exclude<GatewayMode, "off">
  readonly wire?: WireName | undefined
}

/** Refuses a host whose own settings would bypass the proxy. */
export async function proxyHost(
  request: HostSessionRequest,
  deps: Pick<Services, "gateway">,
): Promise<ProxiedHost> {
  const { wireOf, Bypassed } = await import("#act/gateway")
  const place = placeOf(request)
  const wire = wireOf(request.host, request.wire, request.title)
  const bypass = await findBypass(place, request.host, wire)
  if (bypass !== undefined) throw Bypassed({ file: bypass.file, key: bypass.key })
  const codexProvider = request.host === "codex" ? await readCodexProvider(place) : undefined
  return (await deps.gateway()).proxySession({ ...request, wire, codexProvider })
}

function placeOf({ environment, workingDirectory }: HostSessionRequest): HostPlace {
  const home = environment["HOME"] ?? environment["USERPROFILE"] ?? path.dirname(workingDirectory)
  return { workingDirectory, home, environment, platform: platformHere() }
}

/** The last recorded request of a host in a directory, as that host's report. */
export async function wireReport(
  place: HostPlace,
  host: HostName,
  deps: Pick<Services, "gateway" | "store">,
): Promise<HostReport | undefined> {
  if (!(await checkForEvents("gateway", deps))) return undefined
  const seen = await (await deps.gateway()).newestHostReport(place.workingDirectory, host)
  if (seen === undefined) return undefined
  const { at, session, hostVersion, files, model, tokens, kinds, tools } = seen
  return {
    by: "wire",
    at,
    ...(hostVersion === undefined ? {} : { version: hostVersion }),
    ...(session === null ? {} : { session }),
    files: files.map(({ path: file, sha256, tokens }) => ({ path: file, sha256, tokens })),
    totalTokens: tokens,
    ...(model === null ? {} : { model }),
    tools,
    categories: kinds.map((it) => ({ name: it.kind, tokens: it.tokens })),
  }
}

/** Asks every process that may proxy the session. */
export async function foldEligibilityOf(
  question: { readonly session: string; readonly branchId: string | undefined },
  deps: Pick<Services, "places">,
) {
  const { askFoldEligibility } = await import("#act/gateway")
  const { home, repository } = deps.places()
  return askFoldEligibility({ home, stateDirectory: repository.stateDirectory }, question)
}
