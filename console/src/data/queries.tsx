import { useQuery, useQueryClient } from "@tanstack/react-query"
import { createContext, useContext } from "react"
import { type AnyOperation, type Client, createClient, type Input } from "./client.ts"
import { keys } from "./keys.ts"
import { type Journal, journalOf, olderThan, PAGE_EVENTS, prependOlder } from "./live/journal.ts"

const NO_SERVER = createClient({
  fetch: () => Promise.reject(new Error("this page has no client")),
})

export const ClientContext = createContext<Client>(NO_SERVER)
export const useClient = (): Client => useContext(ClientContext)

export function useOperation<Name extends AnyOperation>(
  name: Name,
  input: Input<Name>,
  { isEnabled = true }: { readonly isEnabled?: boolean } = {},
) {
  const client = useClient()
  return useQuery({
    queryKey: keys.operation(name, input),
    queryFn: ({ signal }) => client.read(name, input, { signal }),
    enabled: isEnabled,
  })
}

export function useSession() {
  const client = useClient()
  return useQuery({ queryKey: keys.session, queryFn: () => client.session(), retry: false })
}

/** The store accepts no writes, or the person may only look. */
export function useReadOnly(): boolean {
  const { data } = useSession()
  return data?.readOnly === true || data?.person?.role === "viewer"
}

/** Whether the page may show and change people and settings of the server. */
export function useIsOwner(): boolean {
  const { data } = useSession()
  return data?.person == null || data.person.role === "owner"
}

export function useOperationList() {
  const client = useClient()
  return useQuery({
    queryKey: keys.operations,
    queryFn: () => client.operations(),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export function useJournal(name: string) {
  const client = useClient()
  const queries = useQueryClient()
  const queryKey = keys.events(name)
  const filter = name === "" ? {} : { name }
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const input = { ...filter, limit: PAGE_EVENTS }
      return journalOf(await client.read("events.list", input, { signal }), PAGE_EVENTS)
    },
  })
  const loadOlder = async (): Promise<void> => {
    const journal = queries.getQueryData<Journal>(queryKey)
    const range = journal === undefined ? null : olderThan(journal)
    if (range === null) return
    const input = { ...filter, after: range.after, limit: PAGE_EVENTS }
    const page = await client.read("events.list", input)
    queries.setQueryData<Journal>(queryKey, (now) =>
      now === undefined ? now : prependOlder(now, page, range),
    )
  }
  return { ...query, loadOlder }
}
