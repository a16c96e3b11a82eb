import { useMutation, useQueryClient } from "@tanstack/react-query"
import { toWireError } from "../../base/errors.ts"
import { type AgentsList, plural, type Run } from "../../contract.ts"
import type { Input } from "../../data/client.ts"
import { invalidateOperations, keys } from "../../data/keys.ts"
import { useClient } from "../../data/queries.tsx"
import { useToast } from "../../ui/toast/toast.tsx"

export type Edit = Omit<Input<"agents.edit">, "id">

const LIST_KEY = keys.anyInput("agents.list")

export function useActions() {
  const client = useClient()
  const queries = useQueryClient()
  const toast = useToast()
  const refetch = () => {
    invalidateOperations(queries, ["agents.list", "agents.show", "agents.approvals", "now.show"])
  }
  const edit = useMutation({
    mutationFn: ({ runs, change }: { readonly runs: readonly Run[]; readonly change: Edit }) =>
      each(runs, (it) => client.write("agents.edit", { id: it.id, ...change })),
    onMutate: ({ runs, change }) => patchLists(new Set(runs.map((it) => it.id)), change),
    onError: (error) => toast.fail(toWireError(error)),
    onSettled: refetch,
  })
  const stop = useMutation({
    mutationFn: (runs: readonly Run[]) =>
      each(runs, (it) => client.write("agents.stop", { id: it.id })),
    onSuccess: (_done, runs) => toast.show({ text: `${plural(runs.length, "run")} stopped` }),
    onError: (error) => toast.fail(toWireError(error)),
    onSettled: refetch,
  })
  const remove = useMutation({
    mutationFn: (runs: readonly Run[]) =>
      each(runs, (it) => client.write("agents.delete", { id: it.id })),
    onSuccess: (_done, runs) => toast.show({ text: `${plural(runs.length, "run")} deleted` }),
    onError: (error) => toast.fail(toWireError(error)),
    onSettled: refetch,
  })

  const title = useMutation({
    mutationFn: (run: Run) => client.write("agents.title", { id: run.id }),
    onSuccess: (run, before) =>
      toast.show({
        text: "Title written",
        undo: () => change([run], { title: before.title }, "Title restored"),
      }),
    onError: (error) => toast.fail(toWireError(error)),
    onSettled: refetch,
  })

  const change = (runs: readonly Run[], to: Edit, description: string) => {
    edit.mutate({ runs, change: to })
    const undo = () => {
      for (const it of runs) edit.mutate({ runs: [it], change: previousEdit(it, to) })
    }
    toast.show({ text: description, undo })
  }

  function patchLists(ids: ReadonlySet<string>, to: Edit): void {
    queries.setQueriesData<AgentsList>({ queryKey: LIST_KEY }, (list) =>
      list === undefined
        ? list
        : { runs: list.runs.map((it) => (ids.has(it.id) ? patched(it, to) : it)) },
    )
  }

  return {
    change,
    writeTitle: title.mutate,
    stop: stop.mutate,
    remove: remove.mutate,
    isBusy: remove.isPending,
  }
}

export type Actions = ReturnType<typeof useActions>

async function each(runs: readonly Run[], act: (run: Run) => Promise<unknown>): Promise<void> {
  for (const run of runs) await act(run)
}

function patched(run: Run, { title, label, unlabel, workflow, archived }: Edit): Run {
  return {
    ...run,
    ...(title === undefined ? {} : { title }),
    ...(label === undefined ? {} : { labels: [...label] }),
    ...(unlabel === true ? { labels: [] } : {}),
    ...(workflow === undefined ? {} : { workflow }),
    ...(archived === undefined ? {} : { isArchived: archived }),
  }
}

export function previousEdit(run: Run, to: Edit): Edit {
  const isLabelled = to.label !== undefined || to.unlabel === true
  const labels = run.labels.length === 0 ? { unlabel: true } : { label: run.labels }
  return {
    ...(to.title === undefined ? {} : { title: run.title }),
    ...(isLabelled ? labels : {}),
    ...(to.workflow === undefined ? {} : { workflow: run.workflow }),
    ...(to.archived === undefined ? {} : { archived: run.isArchived }),
  }
}
