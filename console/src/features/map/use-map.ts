import {
  keepPreviousData,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query"
import { toWireError } from "../../base/errors.ts"
import type { AnyOperation } from "../../data/client.ts"
import { useSettled } from "../../data/clock.ts"
import { keys } from "../../data/keys.ts"
import type { MapParams } from "../../data/paths.ts"
import { useClient, useOperation } from "../../data/queries.tsx"
import { useToast } from "../../ui/toast/toast.tsx"
import { shownFolders } from "./tree-lines.ts"

const MOST_ENTRIES = 2_000
const MOST_FOUND = 50
const TYPING_MS = 150

export const folderInput = (folder: string) => ({ folder, limit: MOST_ENTRIES, measures: true })
export const filterInput = (filter: string) => ({ filter, limit: MOST_ENTRIES, measures: true })
export const findInput = (words: string) => ({ words, limit: MOST_FOUND })

export function useFolders(open: readonly string[]) {
  const client = useClient()
  const folders = shownFolders(open)
  const answers = useQueries({
    queries: folders.map((folder) => ({
      queryKey: keys.operation("map.tree", folderInput(folder)),
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        client.read("map.tree", folderInput(folder), { signal }),
    })),
  })
  return new Map(
    folders.map((folder, i) => {
      const answer = answers[i]
      return [
        folder,
        {
          tree: answer?.data,
          error: answer?.error ?? null,
          retry: () => void answer?.refetch(),
        },
      ] as const
    }),
  )
}

export function useFound({ text, by }: Pick<MapParams, "text" | "by">) {
  const client = useClient()
  const query = useSettled(text.trim(), TYPING_MS)
  const words = useQuery({
    queryKey: keys.operation("search.find", findInput(query)),
    queryFn: ({ signal }) => client.read("search.find", findInput(query), { signal }),
    enabled: query !== "" && by === "words",
    placeholderData: keepPreviousData,
  })
  const paths = useQuery({
    queryKey: keys.operation("map.tree", filterInput(query)),
    queryFn: ({ signal }) => client.read("map.tree", filterInput(query), { signal }),
    enabled: query !== "" && by === "path",
    placeholderData: keepPreviousData,
  })
  return { words, paths }
}

/** A folder ends with a slash; everything else is a file or a symbol. */
export function useDetail({ show, hops }: Pick<MapParams, "show" | "hops">) {
  const isFolder = show.endsWith("/")
  const folder = useOperation("map.folder", { folder: show.slice(0, -1) }, { isEnabled: isFolder })
  const shown = useOperation(
    "map.show",
    { what: show, hops },
    { isEnabled: show !== "" && !isFolder },
  )
  const { error, isPending, refetch } = isFolder ? folder : shown
  const state = { error, isPending, refetch: () => void refetch() }
  return {
    folder: { data: isFolder ? folder.data : undefined },
    shown: { ...state, data: isFolder ? undefined : shown.data },
  }
}

export function useUsers(path: string) {
  return useOperation("map.users", { path })
}

export function useTreemap(folder: string, isEnabled: boolean) {
  return useOperation("map.treemap", { folder }, { isEnabled: isEnabled })
}

const CHANGED_BY_A_SCAN: readonly AnyOperation[] = [
  "map.tree",
  "map.treemap",
  "map.folder",
  "map.users",
  "map.show",
  "search.find",
]

export function useScan() {
  const client = useClient()
  const queries = useQueryClient()
  const toast = useToast()
  return useMutation({
    mutationFn: () => client.write("map.scan", {}),
    onSuccess: async () => {
      for (const name of CHANGED_BY_A_SCAN) {
        await queries.invalidateQueries({ queryKey: keys.anyInput(name) })
      }
    },
    onError: (error) => toast.fail(toWireError(error)),
  })
}
