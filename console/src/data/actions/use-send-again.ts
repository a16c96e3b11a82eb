import { useMutation, useQueryClient } from "@tanstack/react-query"
import { asRecord } from "#ground/base/object"
import { toWireError } from "../../base/errors.ts"
import type { Message, Run, WireError } from "../../contract.ts"
import type { Client } from "../client.ts"
import { invalidateOperations } from "../keys.ts"
import { useClient } from "../queries.tsx"

/** An imported run without a session on this machine cannot go on. */
export function takesTurns({ origin, sessionId }: Run): boolean {
  return origin === "started" || sessionId !== null
}

/** Sends the last prompt of a failed run once more. */
export function useSendAgain(run: Run, onFailed: (error: WireError) => void) {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async () =>
      client.write("agents.send", { id: run.id, text: await lastPrompt(client, run), now: false }),
    onError: (error) => onFailed(toWireError(error)),
    onSettled: () => invalidateOperations(queries, ["agents.turns", "agents.show", "agents.list"]),
  })
}

async function lastPrompt(client: Pick<Client, "read">, { id, lastSeq, prompt }: Run) {
  let before = lastSeq + 1
  while (before > 1) {
    const { messages } = await client.read("agents.messages", { id, before })
    const sent = messages.findLast(isPrompt)
    if (sent !== undefined) return sent.content
    before = messages[0]?.seq ?? 1
  }
  return prompt
}

/** A message with a parent is the prompt of an agent to its own agent. */
function isPrompt({ type, metadata }: Message): boolean {
  return type === "user" && asRecord(metadata.event)["parentId"] === undefined
}
