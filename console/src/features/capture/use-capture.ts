import { useMutation, useQueryClient } from "@tanstack/react-query"
import { toWireError } from "../../base/errors.ts"
import {
  type Capture,
  type CaptureHosts,
  type CaptureSummary,
  formatExact,
} from "../../contract.ts"
import { keys } from "../../data/keys.ts"
import type { CaptureParams } from "../../data/paths.ts"
import { useClient, useOperation } from "../../data/queries.tsx"
import { useToast } from "../../ui/toast/toast.tsx"

/** Older captures can be compared on the command line. */
const MOST_LISTED = 50

export function useCapture(params: CaptureParams) {
  const { host, id, tab } = params
  const path = placeOf(params)
  const hosts = useOperation("capture.hosts", {})
  const list = useOperation("capture.list", { path, host, limit: MOST_LISTED })
  const captures = list.data?.captures ?? NONE
  const shownId = id === "" ? (captures[0]?.id ?? "") : id
  const shown = useOperation("capture.show", { id: shownId }, { isEnabled: shownId !== "" })
  const previousId = idBefore(shownId, { captures, previous: shown.data?.previous ?? null })
  const diff = useDiff(previousId, shownId)
  // The default is the shown capture and the previous one.
  const from = params.from === "" ? previousId : params.from
  const to = params.to === "" ? shownId : params.to
  const compared = useDiff(tab === "diff" ? from : "", to)
  const showsSettings = tab === "settings"
  const settings = useOperation("capture.settings", { path, host }, { isEnabled: showsSettings })
  return {
    host: hosts.data?.hosts.find((it) => it.name === host),
    hosts: hosts.data?.hosts ?? NO_HOSTS,
    captures,
    shownId,
    capture: shown.data,
    diff: diff.data,
    compared: { ...compared, from, to },
    settings,
    error: shown.error ?? list.error,
    isNever: id === "" && list.data !== undefined && captures.length === 0,
    retry: () => void (list.error === null ? shown.refetch() : list.refetch()),
  }
}

export type CaptureData = ReturnType<typeof useCapture>

const NONE: readonly CaptureSummary[] = []
const NO_HOSTS: CaptureHosts["hosts"] = []

/** An unchanged capture may name itself as its predecessor; then use the list. */
function idBefore(
  id: string,
  { captures, previous }: Pick<Capture, "previous"> & { captures: readonly CaptureSummary[] },
): string {
  if (previous !== null && previous.id !== id) return previous.id
  const index = captures.findIndex((it) => it.id === id)
  return index < 0 ? "" : (captures[index + 1]?.id ?? "")
}

function useDiff(from: string, to: string) {
  return useOperation("capture.diff", { from, to }, { isEnabled: from !== "" && to !== "" })
}

function placeOf({ dir }: Pick<CaptureParams, "dir">): string {
  return dir === "" ? "." : dir
}

export type TakeChoice = { readonly observe: boolean; readonly trust: boolean }

export function useTake(
  params: Pick<CaptureParams, "host" | "dir">,
  onTaken: (capture: Capture) => void,
) {
  const client = useClient()
  const queries = useQueryClient()
  const toast = useToast()
  return useMutation({
    mutationFn: ({ observe, trust }: TakeChoice) =>
      client.write("capture.take", { path: placeOf(params), host: params.host, observe, trust }),
    onSuccess: async (capture, { observe }) => {
      const { id } = capture.manifest
      queries.setQueryData(keys.operation("capture.show", { id }), capture)
      await queries.invalidateQueries({ queryKey: keys.anyInput("capture.list") })
      void queries.invalidateQueries({ queryKey: keys.anyInput("capture.settings") })
      onTaken(capture)
      toast.show({ text: describeCaptured(capture, observe) })
    },
    onError: (error) => toast.fail(toWireError(error)),
  })
}

function describeCaptured(
  { isNew, headline, observation, observationProblem }: Capture,
  observe: boolean,
) {
  const tokens = `${formatExact(headline.tokens)} tokens`
  if (observe && observationProblem !== null)
    return "The estimate was updated; the host did not respond"
  if (observe && observation !== null) return `Host report received, ${tokens}`
  return isNew ? `Captured, ${tokens}` : `No changes, ${tokens}`
}
