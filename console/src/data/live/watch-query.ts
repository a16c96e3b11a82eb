import { useQuery } from "@tanstack/react-query"
import type { AnyOperation, Client, Input } from "../client.ts"
import { keys } from "../keys.ts"
import { useClient } from "../queries.tsx"

/** Short enough to notice a claim in time, long enough for one process. */
export const WATCH_MS = 5_000

/**
 * Hooks write files and emit no event, so these queries are polled while the page is visible and
 * refetched when it becomes visible again. The only exception to the live stream.
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
  { isEnabled = true }: { readonly isEnabled?: boolean } = {},
) {
  const client = useClient()
  return useQuery({ ...watchedQuery(client, name, input), enabled: isEnabled })
}
