import { useMutation, useQueryClient } from "@tanstack/react-query"
import { toWireError } from "../../base/errors.ts"
import { visibleLine } from "../../base/format.ts"
import type { Claim, ClaimList } from "../../contract.ts"
import type { AnyOperation, Input } from "../../data/client.ts"
import { invalidateOperations, keys } from "../../data/keys.ts"
import { useWatched } from "../../data/live/watch-query.ts"
import type { SessionsParams } from "../../data/paths.ts"
import { useClient, useOperation, useSession } from "../../data/queries.tsx"
import { useToast } from "../../ui/toast/toast.tsx"

/** One month of sessions, and the contract's maximum of stored logs. */
export const LIST_INPUT: Input<"session.list"> = { sinceHours: 24 * 30, limit: 500 }

export function useSessions() {
  return useWatched("session.list", LIST_INPUT)
}

/** The contract's maximum of transcripts and runs. */
const MOST_LISTED = 500

/** Filters of a request, as the server knows them. */
export function useFilter({ host, here }: Pick<SessionsParams, "host" | "here">) {
  const { data: session } = useSession()
  const root = session?.repository.root
  return {
    ...(host === null ? {} : { host }),
    ...(here && root !== undefined ? { repository: root } : {}),
  }
}

export function useIndexed(params: Pick<SessionsParams, "host" | "here">) {
  return useOperation("sessions.list", { ...useFilter(params), limit: MOST_LISTED })
}

export function useRuns() {
  return useOperation("agents.list", { limit: MOST_LISTED })
}

export function useClaims() {
  return useWatched("claim.list", {})
}

export function useOneSession(session: string) {
  return useWatched("session.show", { session }, { isEnabled: session !== "" })
}

const CHANGED: readonly AnyOperation[] = ["claim.list", "session.list", "session.show"]

/** Releases claims, optimistically. Undo claims again unless another session did so. */
export function useRelease() {
  const client = useClient()
  const queries = useQueryClient()
  const toast = useToast()
  const settle = () => {
    invalidateOperations(queries, CHANGED)
  }
  const fail = (error: unknown) => toast.fail(toWireError(error))
  const take = useMutation({
    mutationFn: ({ path, session }: Claim) =>
      client.write("claim.take", { paths: [path], session, minutes: MINUTES }),
    onSuccess: ({ held }) => {
      if (held === null) return
      toast.show({
        text: `The session ${visibleLine(held.session)} has claimed it in the meantime`,
      })
    },
    onError: fail,
    onSettled: settle,
  })
  const release = useMutation({
    mutationFn: ({ path, session }: Claim) =>
      client.write("claim.release", { paths: [path], session }),
    onMutate: ({ path }) =>
      queries.setQueryData<ClaimList>(keys.operation("claim.list", {}), (list) =>
        list === undefined ? list : { claims: list.claims.filter((it) => it.path !== path) },
      ),
    onSuccess: ({ released }, claim) => {
      const path = visibleLine(claim.path)
      if (released.length === 0) toast.show({ text: `${path} was already released` })
      else toast.show({ text: `${path} was released`, undo: () => take.mutate(claim) })
    },
    onError: fail,
    onSettled: settle,
  })
  return { release: release.mutate, isBusy: release.isPending }
}

const MINUTES = 60
