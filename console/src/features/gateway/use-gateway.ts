import { useMutation, useQueryClient } from "@tanstack/react-query"
import { toWireError } from "../../base/errors.ts"
import { type GatewayShow, plural } from "../../contract.ts"
import { useSettled } from "../../data/clock.ts"
import { invalidateOperations } from "../../data/keys.ts"
import type { GatewayParams } from "../../data/paths.ts"
import { useClient, useOperation } from "../../data/queries.tsx"
import { useToast } from "../../ui/toast/toast.tsx"
import { readKey } from "./lines.ts"

const FIRST_REQUESTS = 500
const MOST_REQUESTS = 2_000
/** Items of an exact request per page. */
export const PAGE_PIECES = 100
const SETTLES_MS = 200
const MAX_SESSIONS = 50

export function showInput(id: string, all: boolean) {
  return { id, limit: all ? MOST_REQUESTS : FIRST_REQUESTS }
}

export function useShow(id: string, all: boolean) {
  return useOperation("gateway.show", showInput(id, all))
}

/** Only runs have their own page; other proxied sessions are known by their title. */
export function isRunId(id: string): boolean {
  return !id.startsWith("gw_")
}

export function useRun(id: string) {
  return useOperation("agents.show", { id }, { isEnabled: isRunId(id) })
}

export function useProxiedSessions() {
  return useOperation("gateway.list", { limit: MAX_SESSIONS })
}

export function useManifest(at: string) {
  const { proxiedSession, seq } = readKey(at) ?? NOTHING
  return useOperation(
    "gateway.request",
    { id: proxiedSession, seq },
    { isEnabled: proxiedSession !== "" },
  )
}

const NOTHING = { proxiedSession: "", seq: 1 } as const

export function textsInput(
  { proxiedSession, seq }: { proxiedSession: string; seq: number },
  query: string,
  from: number,
) {
  return { id: proxiedSession, seq, from, limit: PAGE_PIECES, ...(query === "" ? {} : { query }) }
}

export function useTexts({ at, find, from }: GatewayParams) {
  const query = useSettled(find.trim(), SETTLES_MS)
  return useOperation("gateway.texts", textsInput(readKey(at) ?? NOTHING, query, from ?? 0))
}

export function useDelete() {
  const client = useClient()
  const queries = useQueryClient()
  const toast = useToast()
  const remove = useMutation({
    async mutationFn({ sessions }: GatewayShow) {
      let requests = 0
      for (const { id } of sessions) {
        requests += (await client.write("gateway.delete", { id })).requests
      }
      return requests
    },
    onSuccess: (requests) => toast.show({ text: `${plural(requests, "request")} deleted` }),
    onError: (error) => toast.fail(toWireError(error)),
    onSettled() {
      invalidateOperations(queries, ["gateway.list", "gateway.show"])
    },
  })
  return { remove: remove.mutate, isBusy: remove.isPending }
}
