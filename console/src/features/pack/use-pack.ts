import { useMutation, useQuery } from "@tanstack/react-query"
import { useMemo, useState } from "react"
import { toWireError } from "../../base/errors.ts"
import type { PackBuilt } from "../../contract.ts"
import { useSettled } from "../../data/clock.ts"
import { keys } from "../../data/keys.ts"
import type { PackParams, PackTab } from "../../data/paths.ts"
import { useClient, useOperation } from "../../data/queries.tsx"
import { useToast } from "../../ui/toast/toast.tsx"
import { buildInput, type Choices, choicesFrom, choicesOf } from "./choices.ts"

const SETTLES_MS = 150
/** Each change is a response with the text of every file, so the cache time is short. */
const FORGOTTEN_AFTER_MS = 30_000
const MOST_LISTED = 50

export function usePack(params: PackParams) {
  const { id, tab } = params
  const choices = useStable(choicesOf(params))
  const settled = useSettled(choices, SETTLES_MS)
  const stored = useKept(id, tab)
  const built = useBuilt(settled, tab, id === "" && settled.task.trim() !== "")
  const query = id === "" ? built : stored
  const shown = useLast(query.data)
  const isFromKept = params.task === "" && shown !== undefined
  return {
    shown,
    /** Also if the URL has only the id of a stored package. */
    choices: isFromKept ? choicesFrom(shown.pack) : choices,
    written: shown?.format === tab ? shown : undefined,
    error: query.error,
    isPending: query.isFetching || (id === "" && settled !== choices),
    retry: () => void query.refetch(),
    ...usePackSettings(),
  }
}

export type PackData = ReturnType<typeof usePack>

export function usePackList() {
  return useOperation("pack.list", { limit: MOST_LISTED })
}

function useBuilt(choices: Choices, format: PackTab, isEnabled: boolean) {
  const client = useClient()
  const input = buildInput(choices, format)
  return useQuery({
    queryKey: keys.operation("pack.build", input),
    // Aborts builds that were superseded.
    queryFn: ({ signal }) => client.write("pack.build", input, { signal }),
    enabled: isEnabled,
    gcTime: FORGOTTEN_AFTER_MS,
  })
}

function useKept(id: string, format: PackTab) {
  const client = useClient()
  const input = { id, format }
  return useQuery({
    queryKey: keys.operation("pack.show", input),
    queryFn: ({ signal }) => client.read("pack.show", input, { signal }),
    enabled: id !== "",
    gcTime: FORGOTTEN_AFTER_MS,
  })
}

function useLast(now: PackBuilt | undefined): PackBuilt | undefined {
  const [last, setLast] = useState(now)
  if (now !== undefined && now !== last) setLast(now)
  return now ?? last
}

function useStable(choices: Choices): Choices {
  const serialized = JSON.stringify(choices)
  return useMemo(() => choices, [serialized])
}

export function usePackSettings() {
  const { data } = useOperation("config.show", { sources: true })
  const numberOf = (key: string) => {
    const value = data?.settings.find((it) => it.key === key)?.value
    return typeof value === "number" ? value : undefined
  }
  return {
    defaultBudget: numberOf("pack.budget"),
    summaryMaxTokens: numberOf("pack.summaryMaxTokens"),
    minRelevance: numberOf("pack.minRelevance") ?? 0.01,
  }
}

export function useKeep(onKept: (id: string) => void) {
  const client = useClient()
  const toast = useToast()
  return useMutation({
    mutationFn: (choices: Choices) =>
      client.write("pack.build", { ...buildInput(choices, "summary"), save: true }),
    onSuccess: ({ pack }) => {
      onKept(pack.id)
      toast.show({ text: "Package saved" })
    },
    onError: (error) => toast.fail(toWireError(error)),
  })
}
