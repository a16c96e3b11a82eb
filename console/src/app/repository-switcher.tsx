import { useQuery } from "@tanstack/react-query"
import { visibleLine } from "../base/format.ts"
import type { RepositoryEntry } from "../contract.ts"
import { watchedQuery } from "../data/live/watch-query.ts"
import { paths } from "../data/paths.ts"
import { useClient } from "../data/queries.tsx"
import { Brand } from "../ui/frame/frame.tsx"
import { ChoiceMenu, type MenuChoice } from "../ui/menu/menu.tsx"

/** Other repositories emit no event here. */
const LOOK_MS = 15_000

function useRepositories(): readonly RepositoryEntry[] {
  const client = useClient()
  const { data } = useQuery({
    ...watchedQuery(client, "fleet.list", {}),
    staleTime: LOOK_MS,
    refetchInterval: LOOK_MS,
  })
  return data?.repositories ?? []
}

/** A page load: no data of one repository is ever shown under the name of another. */
function openRepository(id: string): void {
  window.location.assign(paths.repository(id))
}

export function RepositorySwitcher({ name }: { readonly name: string }) {
  const repositories = useRepositories()
  const current = repositories.find((it) => it.isCurrent)
  const waiting = repositories
    .filter((it) => !it.isCurrent)
    .reduce((sum, it) => sum + (it.waiting ?? 0), 0)
  return (
    <Brand href={paths.now()} waiting={waiting}>
      {repositories.length < 2 ? (
        name
      ) : (
        <ChoiceMenu
          label="Repository"
          keyId="repository.switch"
          choices={repositories.map(choiceOf)}
          value={current?.id ?? ""}
          onPick={openRepository}
        >
          {name}
        </ChoiceMenu>
      )}
    </Brand>
  )
}

function choiceOf({ id, name, root, branch, isMissing, waiting }: RepositoryEntry): MenuChoice {
  return {
    value: id,
    label: visibleLine(name),
    detail: visibleLine([branch, root].filter((it) => it !== null).join(", ")),
    ...(isMissing ? { problem: "The folder no longer exists.", aside: "missing" } : {}),
    ...((waiting ?? 0) > 0 ? { aside: `${waiting} waiting` } : {}),
  }
}
