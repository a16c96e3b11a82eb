import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { toWireError } from "../../base/errors.ts"
import { formatScore } from "../../base/format.ts"
import type { Memory, MemoryList } from "../../contract.ts"
import type { AnyOperation, Input } from "../../data/client.ts"
import { useSettled } from "../../data/clock.ts"
import { invalidateOperations, keys } from "../../data/keys.ts"
import type { MemoryParams } from "../../data/paths.ts"
import { useClient, useOperation } from "../../data/queries.tsx"
import { useToast } from "../../ui/toast/toast.tsx"

const TYPING_MS = 150
export const MOST_LISTED = 1_000
const MOST_FOUND = 100

type Filter = Pick<MemoryParams, "kind" | "state">

export const listInput = ({ kind, state }: Filter): Input<"memory.list"> => ({
  ...(kind === null ? {} : { kind }),
  ...(state === null ? {} : { state }),
  limit: MOST_LISTED,
})

export const searchInput = (words: string, kind: Filter["kind"]): Input<"memory.search"> => ({
  words,
  ...(kind === null ? {} : { kind }),
  limit: MOST_FOUND,
})

export function useMemories(params: Filter) {
  return useOperation("memory.list", listInput(params))
}

export function useFound({ text, kind }: Pick<MemoryParams, "text" | "kind">) {
  const client = useClient()
  const words = useSettled(text.trim(), TYPING_MS)
  return useQuery({
    queryKey: keys.operation("memory.search", searchInput(words, kind)),
    queryFn: ({ signal }) => client.read("memory.search", searchInput(words, kind), { signal }),
    enabled: words !== "",
    placeholderData: keepPreviousData,
  })
}

export function useMemory(id: string) {
  return useOperation("memory.show", { id }, { isEnabled: id !== "" })
}

export const CHANGED: readonly AnyOperation[] = [
  "memory.list",
  "memory.search",
  "memory.show",
  "decision.list",
  "decision.show",
]

/** Each action shows at once and refetches in any case. */
export function useActions() {
  const client = useClient()
  const queries = useQueryClient()
  const toast = useToast()
  const settle = () => {
    invalidateOperations(queries, CHANGED)
  }
  const fail = (error: unknown) => toast.fail(toWireError(error))
  const patch = (memory: Memory) => {
    queries.setQueryData<Memory>(keys.operation("memory.show", { id: memory.id }), memory)
    queries.setQueriesData<MemoryList>({ queryKey: keys.anyInput("memory.list") }, (list) =>
      list === undefined
        ? list
        : { ...list, memories: list.memories.map((it) => (it.id === memory.id ? memory : it)) },
    )
  }
  const confirm = useMutation({
    mutationFn: ({ id }: Memory) => client.write("memory.confirm", { id }),
    onMutate: (memory) => patch({ ...memory, state: "confirmed" }),
    onSuccess: (memory) => {
      patch(memory)
      toast.show({ text: describeConfirmed(memory) })
    },
    onError: fail,
    onSettled: settle,
  })
  const judge = useMutation({
    mutationFn: ({ memory: { id }, verdict }: Judgement) =>
      client.write("memory.feedback", { id, verdict }),
    onMutate: ({ memory, verdict }) => patch(withRating(memory, verdict)),
    onSuccess: (memory) => {
      patch(memory)
      toast.show({ text: `Rating saved, confidence is now ${formatScore(memory.confidence)}` })
    },
    onError: fail,
    onSettled: settle,
  })
  const forget = useMutation({
    mutationFn: ({ id }: ForgetRequest) => client.write("memory.forget", { id }),
    onSuccess: ({ file }, { isUndo = false }) =>
      toast.show({ text: `${isUndo ? "Undone" : "Forgotten"}, ${file} is deleted` }),
    onError: fail,
    onSettled: settle,
  })
  const isBusy = confirm.isPending || judge.isPending || forget.isPending
  return { confirm: confirm.mutate, judge: judge.mutate, forget: forget.mutate, isBusy }
}

export type Actions = ReturnType<typeof useActions>

type ForgetRequest = { readonly id: string; readonly isUndo?: boolean }
type Verdict = "helpful" | "unhelpful"
type Judgement = { readonly memory: Memory; readonly verdict: Verdict }

export function withRating(memory: Memory, verdict: Verdict): Memory {
  const { signals } = memory
  return { ...memory, signals: { ...signals, [verdict]: signals[verdict] + 1 } }
}

function describeConfirmed({ state }: Memory): string {
  // Confirmed by the user but still stale: the cited code has changed.
  return state === "stale" ? "Confirmed, but the cited code has changed" : "Confirmed"
}
