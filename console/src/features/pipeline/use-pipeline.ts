import { type QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useContext, useEffect, useState } from "react"
import { toWireError } from "../../base/errors.ts"
import type { PipelineReply, PipelineRun, PipelineShow } from "../../contract.ts"
import type { Client } from "../../data/client.ts"
import { invalidateOperations, keys } from "../../data/keys.ts"
import { useClient } from "../../data/queries.tsx"
import { RunLineContext } from "../../data/transcript/run-line.ts"
import { useToast } from "../../ui/toast/toast.tsx"

export function usePipeline(id: string) {
  const client = useClient()
  const queries = useQueryClient()
  return useQuery({
    queryKey: showKey(id),
    queryFn: ({ signal }) => readOn(client, queries, { id, signal }),
  })
}

const showKey = (id: string) => keys.operation("pipeline.show", { id })

type EventsQuery = { readonly id: string; readonly signal: AbortSignal }

async function readOn(
  client: Pick<Client, "read">,
  queries: QueryClient,
  { id, signal }: EventsQuery,
): Promise<PipelineShow> {
  const cached = queries.getQueryData<PipelineShow>(showKey(id))
  const after = cached?.events.at(-1)?.seq ?? 0
  const answer = await client.read("pipeline.show", { id, after }, { signal })
  return joinShown(cached, answer) ?? client.read("pipeline.show", { id }, { signal })
}

/** Undefined if the response belongs to another history. */
export function joinShown(
  cached: PipelineShow | undefined,
  answer: PipelineShow,
): PipelineShow | undefined {
  const after = cached?.events.at(-1)?.seq ?? 0
  const fresh = answer.events.filter((it) => it.seq > after)
  const events = [...(cached?.events ?? []), ...fresh]
  // A restored store, or one that lost its newest events.
  if (answer.run.lastSeq < after) return undefined
  return { run: answer.run, events }
}

export function useWriting(id: string, isRunning: boolean): ReadonlyMap<string, string> {
  const line = useContext(RunLineContext)
  const [texts, setTexts] = useState<ReadonlyMap<string, string>>(NOTHING)
  useEffect(
    () =>
      line.followPipeline(id, ({ activityId, text }) =>
        setTexts((before) => {
          const next = new Map(before)
          if (text === "") next.delete(activityId)
          else next.set(activityId, text)
          return next
        }),
      ),
    [line, id],
  )
  return isRunning ? texts : NOTHING
}

const NOTHING: ReadonlyMap<string, string> = new Map()

/** Each action shows at once and refetches in any case. */
export function usePipelineWrites({ id, pause: openPause }: Pick<PipelineRun, "id" | "pause">) {
  const client = useClient()
  const queries = useQueryClient()
  const toast = useToast()
  const take = (run: PipelineRun) => {
    queries.setQueryData<PipelineShow>(showKey(id), (cached) =>
      cached === undefined || run.id !== id ? cached : { ...cached, run },
    )
  }
  const onError = (error: unknown) => toast.fail(toWireError(error))
  const onSettled = () => {
    invalidateOperations(queries, ["pipeline.show", "pipeline.list"])
  }
  const simply = { onSuccess: take, onError, onSettled }
  // Names the pause on screen, so that a second click cannot answer the next one.
  const answered = openPause === null ? { id } : { id, pause: openPause.pauseId }
  const resume = useMutation({
    mutationFn: () => client.write("pipeline.resume", answered),
    ...simply,
  })
  const skip = useMutation({ mutationFn: () => client.write("pipeline.skip", answered), ...simply })
  const stop = useMutation({ mutationFn: () => client.write("pipeline.stop", { id }), ...simply })
  // The card shows a rejected amendment beside its text.
  const amend = useMutation({
    mutationFn: (text: string) => client.write("pipeline.amend", { ...answered, text }),
    onSuccess: take,
    onSettled,
  })
  const say = useMutation({
    mutationFn: (text: string) => client.write("pipeline.say", { ...answered, text }),
    onSuccess: (result) => {
      take(result.run)
      if (IS_TOLD.includes(result.case) && result.reply !== "") toast.show({ text: result.reply })
    },
    onError,
    onSettled,
  })
  const isBusy =
    resume.isPending || amend.isPending || skip.isPending || stop.isPending || say.isPending
  return { resume, amend, skip, stop, say, isBusy }
}

const IS_TOLD: readonly PipelineReply["case"][] = ["A", "E"]

export type PipelineWrites = ReturnType<typeof usePipelineWrites>
