import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useMemo } from "react"
import type { PipelineLine, PipelineRun, RecipeFolder } from "../../contract.ts"
import type { Input } from "../../data/client.ts"
import { invalidateOperations, keys } from "../../data/keys.ts"
import type { PipelinesParams } from "../../data/paths.ts"
import { useClient, useOperation } from "../../data/queries.tsx"
import { countFacets, isOfFacet } from "./lines.ts"

export const MOST_RUNS = 500

/** Loads all runs; agent and status are filtered here, so that each filter has a count. */
export const LIST_INPUT: Input<"pipeline.list"> = { limit: MOST_RUNS }

export function usePipelines(params: Pick<PipelinesParams, "text" | "agent" | "status">) {
  const list = useOperation("pipeline.list", LIST_INPUT)
  const { text, agent, status } = params
  const all = list.data?.runs ?? NONE
  const ofAgent = useMemo(
    () => all.filter((it) => isMatch(it, { text, agent })),
    [all, text, agent],
  )
  const lines = useMemo(() => ofAgent.filter((it) => isOfFacet(it, status)), [ofAgent, status])
  const counts = useMemo(() => countFacets(ofAgent), [ofAgent])
  return { list, all, lines, counts }
}

export type PipelinesData = ReturnType<typeof usePipelines>

const NONE: readonly PipelineLine[] = []

function isMatch(
  { query, title, id, agent: own }: PipelineLine,
  { text, agent }: Pick<PipelinesParams, "text" | "agent">,
): boolean {
  if (agent !== "" && own !== agent) return false
  const needle = text.trim().toLowerCase()
  return `${id} ${title} ${query}`.toLowerCase().includes(needle)
}

export function useRecipes() {
  return useOperation("recipe.list", {})
}

export function useStart(onStarted: (run: PipelineRun) => void) {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (input: Input<"pipeline.run">) => client.write("pipeline.run", input),
    onSuccess: (run) => {
      void queries.invalidateQueries({ queryKey: keys.anyInput("pipeline.list") })
      onStarted(run)
    },
  })
}

export const EXAMPLE = {
  agent: "deep-research",
  query: "When may a booking be re-priced after arrival?",
} as const

/** The shipped example; indexes its documents first if none are indexed. */
export function useExample(onStarted: (run: PipelineRun) => void) {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (agent: RecipeFolder) => {
      const { documents } = await client.read("kb.status", {})
      if (documents === 0) {
        const corpus = `${agent.folder}/corpus`
        await client.write("kb.add", { path: `${corpus}/guides`, tier: "guide" })
        await client.write("kb.add", { path: corpus })
      }
      return client.write("pipeline.run", EXAMPLE)
    },
    onSuccess: (run) => {
      invalidateOperations(queries, ["pipeline.list", "kb.status", "kb.documents"])
      onStarted(run)
    },
  })
}
