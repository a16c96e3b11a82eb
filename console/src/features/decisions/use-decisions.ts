import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import type { MemoryRecorded } from "../../contract.ts"
import type { AnyOperation, Input } from "../../data/client.ts"
import { toWireError } from "../../data/errors.ts"
import { keys } from "../../data/keys.ts"
import { useClient, useOperation } from "../../data/queries.tsx"
import { useToast } from "../../ui/toast/toast.tsx"
import { checkDraft, type Draft, type Problems, problemsOf } from "./draft.ts"

/** The contract's most. */
export const LIST_INPUT: Input<"decision.list"> = { limit: 1_000 }

export function useDecisions() {
  return useOperation("decision.list", LIST_INPUT)
}

export function useDecision(id: string) {
  return useOperation("decision.show", { id }, { isAsked: id !== "" })
}

/** A decision is a memory: both pages are asked again. */
const CHANGED: readonly AnyOperation[] = [
  "decision.list",
  "decision.show",
  "memory.list",
  "memory.search",
]

/** Checks, asks, and puts what is wrong beside its field. */
export function useAdd(draft: Draft, onAdded: (answer: MemoryRecorded) => void) {
  const client = useClient()
  const settle = useSettle()
  const [wrong, setWrong] = useState<Problems>({})
  const begin = useMutation({
    mutationFn: async () => {
      const checked = checkDraft(draft)
      setWrong(checked.kind === "wrong" ? checked.problems : {})
      return checked.kind === "wrong" ? undefined : client.write("decision.add", checked.input)
    },
    onSuccess: (answer) => {
      if (answer === undefined) return
      settle()
      onAdded(answer)
    },
  })
  const error = begin.error === null ? undefined : toWireError(begin.error)
  const refused = error === undefined ? {} : problemsOf(error)
  const isOfField = Object.keys(refused).length > 0
  return {
    add: () => begin.mutate(),
    isPending: begin.isPending,
    problems: { ...refused, ...wrong },
    error: isOfField ? undefined : error,
  }
}

/** Takes back what was just added. */
export function useTakeBack() {
  const client = useClient()
  const settle = useSettle()
  const toast = useToast()
  const forget = useMutation({
    mutationFn: (id: string) => client.write("memory.forget", { id }),
    onSuccess: ({ file }) => toast.show({ text: `Taken back, ${file} is deleted` }),
    onError: (error) => toast.fail(toWireError(error)),
    onSettled: settle,
  })
  return forget.mutate
}

function useSettle() {
  const queries = useQueryClient()
  return () => {
    for (const name of CHANGED) void queries.invalidateQueries({ queryKey: keys.anyInput(name) })
  }
}
