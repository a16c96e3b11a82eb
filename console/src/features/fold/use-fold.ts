import { keepPreviousData, useQueries, useQuery, useQueryClient } from "@tanstack/react-query"
import type { AnyOperation } from "../../data/client.ts"
import { useSettled } from "../../data/clock.ts"
import { invalidateOperations, keys } from "../../data/keys.ts"
import type { FoldParams } from "../../data/paths.ts"
import { useClient, useOperation } from "../../data/queries.tsx"

const TYPING_MS = 150
export const MOST_FOUND = 200

export const treeInput = (all: boolean) => (all ? { all } : {})
export const searchInput = (words: string) => ({ words, limit: MOST_FOUND })
export const keptInput = () => ({ all: true, limit: 1 })

export function useTree({ all }: Pick<FoldParams, "all">) {
  return useOperation("fold.tree", treeInput(all))
}

export function useKept(isEnabled: boolean) {
  return useOperation("fold.list", keptInput(), { isEnabled: isEnabled })
}

export function useTrails(text: string) {
  const client = useClient()
  const words = useSettled(text.trim(), TYPING_MS)
  return useQuery({
    queryKey: keys.operation("fold.search", searchInput(words)),
    queryFn: ({ signal }) => client.read("fold.search", searchInput(words), { signal }),
    enabled: words !== "",
    placeholderData: keepPreviousData,
  })
}

export function useBranch(id: string) {
  return useOperation("fold.show", { id }, { isEnabled: id !== "" })
}

export function useRestored(id: string) {
  return useOperation("fold.restore", { id })
}

export function useTitles(ids: readonly string[]): readonly (string | undefined)[] {
  const client = useClient()
  const answers = useQueries({
    queries: ids.map((id) => ({
      queryKey: keys.operation("memory.show", { id }),
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        client.read("memory.show", { id }, { signal }),
      retry: false,
    })),
  })
  return answers.map((it) => it.data?.title)
}

const COUNTED: readonly AnyOperation[] = ["fold.tree", "fold.list", "fold.show", "fold.search"]

export function useRefreshCounts() {
  const queries = useQueryClient()
  return () => {
    invalidateOperations(queries, COUNTED)
  }
}
