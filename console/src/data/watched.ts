import { useQuery } from "@tanstack/react-query"
import type { AnyOperation, Client, Input } from "./client.ts"
import { keys } from "./keys.ts"
import { useClient } from "./queries.tsx"

/** Short enough that a claim is seen before somebody waits for it, long enough for one process. */
export const WATCH_MS = 5_000

/**
 * What hooks write are files, and no event tells of them: asked again while somebody looks, and at
 * once when they come back. The one exception to the rule that the live line says what changed.
 */
export function watchedQuery<Name extends AnyOperation>(
  client: Pick<Client, "read">,
  name: Name,
  input: Input<Name>,
) {
  return {
    queryKey: keys.operation(name, input),
    queryFn: ({ signal }: { readonly signal: AbortSignal }) => client.read(name, input, { signal }),
    staleTime: WATCH_MS,
    refetchInterval: WATCH_MS,
    refetchIntervalInBackground: false,
    refetchOnWindowFocus: "always" as const,
  }
}

export function useWatched<Name extends AnyOperation>(
  name: Name,
  input: Input<Name>,
  { isAsked = true }: { readonly isAsked?: boolean } = {},
) {
  const client = useClient()
  return useQuery({ ...watchedQuery(client, name, input), enabled: isAsked })
}
