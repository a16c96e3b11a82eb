import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useContext, useEffect, useState, useSyncExternalStore } from "react"
import { toWireError } from "../../base/errors.ts"
import type { Message } from "../../contract.ts"
import type { AnyOperation, Input } from "../../data/client.ts"
import { browserClock } from "../../data/clock.ts"
import { invalidateOperations, keys } from "../../data/keys.ts"
import { useClient, useOperation } from "../../data/queries.tsx"
import { RunLineContext } from "../../data/transcript/run-line.ts"
import { createTranscript } from "../../data/transcript/transcript.ts"
import { useToast } from "../../ui/toast/toast.tsx"

const CHANGED: readonly AnyOperation[] = [
  "swarm.review",
  "swarm.plan",
  "worktree.list",
  "board.show",
  "ticket.show",
]

export const useReview = () => useOperation("swarm.review", {})

/** The stored messages of a run and those that follow over the live connection. */
export function useMessages(id: string): readonly Message[] {
  const client = useClient()
  const line = useContext(RunLineContext)
  const queries = useQueryClient()
  const [transcript] = useState(() =>
    createTranscript({
      id,
      client,
      line,
      after: browserClock.after,
      onRun: (run) => queries.setQueryData(keys.operation("agents.show", { id }), run),
    }),
  )
  useEffect(() => transcript.start(null), [transcript])
  return useSyncExternalStore(transcript.listen, transcript.state, transcript.state).window.messages
}

/** Whatever makes a workstream active also lets the server work on it. */
export function useSwarmActions() {
  const client = useClient()
  const queries = useQueryClient()
  const toast = useToast()
  const onSettled = () => invalidateOperations(queries, CHANGED)
  const onError = (error: unknown) => toast.fail(toWireError(error))
  const go = () => client.write("swarm.run", { wait: false })
  const start = useMutation({
    mutationFn: (input: Input<"swarm.run">) => client.write("swarm.run", { ...input, wait: false }),
    onSettled,
  })
  const approve = useMutation({
    mutationFn: (workstream: string) => client.write("swarm.approve", { workstream }),
    onSuccess: (_, name) => toast.show({ text: `${name} is merged and its tickets are concluded` }),
    onSettled,
  })
  const sendBack = useMutation({
    mutationFn: async (input: Input<"swarm.reject">) => {
      await client.write("swarm.reject", input)
      return go()
    },
    onSuccess: (_, { workstream }) => toast.show({ text: `${workstream} is sent back` }),
    onError,
    onSettled,
  })
  const discard = useMutation({
    mutationFn: (workstream: string) => client.write("swarm.discard", { workstream }),
    onSuccess: (_, name) => toast.show({ text: `${name} is discarded; its branch stays` }),
    onError,
    onSettled,
  })
  const pause = useMutation({
    mutationFn: () => client.write("swarm.pause", {}),
    onError,
    onSettled,
  })
  const retry = useMutation({
    mutationFn: async (input: Input<"swarm.retry">) => {
      await client.write("swarm.retry", input)
      return go()
    },
    onError,
    onSettled,
  })
  const resumeAll = useMutation({
    mutationFn: async (names: readonly string[]) => {
      for (const workstream of names) await client.write("swarm.retry", { workstream })
      return go()
    },
    onError,
    onSettled,
  })
  const resume = useMutation({ mutationFn: go, onError, onSettled })
  return {
    start,
    approve: approve.mutate,
    approveFailed: approve.error === null ? undefined : toWireError(approve.error),
    isApproving: approve.isPending,
    sendBack: sendBack.mutate,
    discard: discard.mutate,
    pause: () => pause.mutate(),
    retry: retry.mutate,
    resumeAll: resumeAll.mutate,
    resume: () => resume.mutate(),
    isBusy: [approve, sendBack, discard, pause, retry, resume, resumeAll].some(
      (it) => it.isPending,
    ),
  }
}

export type SwarmActions = ReturnType<typeof useSwarmActions>
