import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { toWireError } from "../../base/errors.ts"
import { type KbAdded, plural } from "../../contract.ts"
import type { AnyOperation, Input } from "../../data/client.ts"
import { useSettled } from "../../data/clock.ts"
import { invalidateOperations, keys } from "../../data/keys.ts"
import type { KnowledgeParams } from "../../data/paths.ts"
import { useClient, useOperation } from "../../data/queries.tsx"
import { useToast } from "../../ui/toast/toast.tsx"

const TYPING_MS = 200
const MOST_FOUND = 50

type KnowledgeQuery = Pick<KnowledgeParams, "text" | "tier" | "hops">

export const searchInput = (query: string, { tier, hops }: Omit<KnowledgeQuery, "text">) =>
  ({
    query,
    limit: MOST_FOUND,
    ...(tier === null ? {} : { tier }),
    ...(hops ? { hops: 1 } : {}),
  }) satisfies Input<"kb.search">

const documentsInput = (tier: KnowledgeParams["tier"]): Input<"kb.documents"> =>
  tier === null ? {} : { tier }

export function useStatus() {
  return useOperation("kb.status", {})
}

export function useDocuments({ tier }: Pick<KnowledgeParams, "tier">) {
  return useOperation("kb.documents", documentsInput(tier))
}

export function useFound(params: KnowledgeQuery) {
  const client = useClient()
  const query = useSettled(params.text.trim(), TYPING_MS)
  const input = searchInput(query, params)
  return useQuery({
    queryKey: keys.operation("kb.search", input),
    queryFn: ({ signal }) => client.read("kb.search", input, { signal }),
    enabled: query !== "",
    placeholderData: keepPreviousData,
  })
}

export function useParagraph(id: string) {
  return useOperation("kb.paragraph", { id }, { isEnabled: id !== "" })
}

const CHANGED: readonly AnyOperation[] = ["kb.status", "kb.documents", "kb.search", "kb.paragraph"]

export function useFolders(onAdded?: (added: KbAdded) => void) {
  const client = useClient()
  const queries = useQueryClient()
  const toast = useToast()
  const onSettled = () => {
    invalidateOperations(queries, CHANGED)
  }
  const add = useMutation({
    mutationFn: (input: Input<"kb.add">) => client.write("kb.add", input),
    onSuccess: (added) => {
      toast.show({ text: describeAdded(added) })
      onAdded?.(added)
    },
    onSettled,
  })
  const remove = useMutation({
    mutationFn: ({ path }: Input<"kb.add">) => client.write("kb.remove", { path }),
    onSuccess: ({ documents }, folder) =>
      toast.show({
        text: `Removed ${plural(documents, "document")}; the files are unchanged`,
        undo: () => add.mutate(folder),
      }),
    onError: (error: unknown) => toast.fail(toWireError(error)),
    onSettled,
  })
  return { add, remove }
}

export function describeAdded({ added, changed, removed, unchanged, skipped }: KbAdded): string {
  const parts = [
    [added, "added"],
    [changed, "changed"],
    [removed, "removed"],
    [unchanged, "unchanged"],
    [skipped.length, "skipped"],
  ] as const
  const changes = parts.flatMap(([count, label]) => (count === 0 ? [] : [`${count} ${label}`]))
  return `Indexed: ${changes.length === 0 ? "no document" : changes.join(", ")}`
}
