import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type KeyboardEvent, useRef, useState } from "react"
import { toWireError } from "../../base/errors.ts"
import { visibleLine } from "../../base/format.ts"
import { formatExact, type GatewayRequest, type GatewayShow, plural } from "../../contract.ts"
import { invalidateOperations } from "../../data/keys.ts"
import { useClient } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import { Dialog, DialogActions, DialogEntry } from "../../ui/dialog/dialog.tsx"
import { AreaEntry } from "../../ui/entry/entry.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { Stack } from "../../ui/pane/pane.tsx"
import { SpanList } from "../../ui/span-list/span-list.tsx"
import { useToast } from "../../ui/toast/toast.tsx"

type FoldSpanProps = {
  readonly show: GatewayShow
  onClose(): void
}

/** A person selects finished requests and writes what stays of their tool results. */
export function FoldSpan({ show, onClose }: FoldSpanProps) {
  const requests = requestsWithResults(show)
  const client = useClient()
  const queries = useQueryClient()
  const toast = useToast()
  const [selected, setSelected] = useState({ from: 0, to: requests.length - 1 })
  const span = requests.slice(selected.from, selected.to + 1)
  const [from, to] = [span[0]?.seq ?? 0, span.at(-1)?.seq ?? 0]
  const [written, setWritten] = useState<string>()
  const summary = written ?? draftOf(span)
  const area = useRef<HTMLTextAreaElement>(null)
  const id = show.sessions.at(-1)?.id ?? ""
  const fold = useMutation({
    mutationFn: () => client.write("gateway.fold", { id, from, to, summary }),
    onSuccess: ({ results }) => {
      invalidateOperations(queries, ["gateway.show"])
      toast.show({ text: `${plural(results, "result")} will be folded at the next prompt` })
      onClose()
    },
  })
  const isReady = span.length > 0 && summary.trim() !== "" && !fold.isPending
  const press = (event: KeyboardEvent) => {
    const isCommit = event.key === "Enter" && (event.metaKey || event.ctrlKey)
    if (isCommit && isReady) fold.mutate()
  }
  const lines = requests.map((it) => ({
    key: String(it.seq),
    label: `Request ${it.seq}`,
    detail: visibleLine(resultsIn(it).map(callName).join(", ")),
  }))
  return (
    <Dialog title="Fold finished work" showsTitle onClose={onClose} initialFocus={area}>
      <DialogEntry onKeyDown={press}>
        <Stack gap="8">
          <SpanList
            label="Requests"
            description="Press the first request, then the last. With keys: arrows, Shift and an arrow to extend."
            lines={lines}
            span={selected}
            onSelect={setSelected}
          />
          <AreaEntry
            ref={area}
            label="Summary"
            rows={4}
            value={summary}
            description={describeSpan(span)}
            onChange={setWritten}
          />
        </Stack>
      </DialogEntry>
      {fold.error === null ? null : <Failure size="row" error={toWireError(fold.error)} />}
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button variant="primary" disabled={!isReady} onPress={() => fold.mutate()}>
          {fold.isPending ? "Folding" : "Fold"}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** Of the newest proxied session, and of its main conversation. */
export function requestsWithResults({
  sessions,
  requests,
}: GatewayShow): readonly GatewayRequest[] {
  const own = sessions.at(-1)
  return requests.filter(
    (it) => it.proxiedSession === own?.id && it.agent === null && resultsIn(it).length > 0,
  )
}

function resultsIn({ added }: GatewayRequest): GatewayRequest["added"] {
  return added.filter((it) => it.kind === "result")
}

function callName({ name, why }: GatewayRequest["added"][number]): string {
  return why === undefined ? name : `${name} ${why}`
}

/** The calls of the span, for the person to replace by what was found. */
export function draftOf(span: readonly GatewayRequest[]): string {
  const calls = span.flatMap((it) => resultsIn(it).map(callName))
  return calls.length === 0 ? "" : `Done: ${calls.map((it) => visibleLine(it)).join("; ")}.`
}

export function describeSpan(span: readonly GatewayRequest[]): string {
  const results = span.flatMap(resultsIn)
  const tokens = results.reduce((sum, it) => sum + it.tokens, 0)
  return results.length === 0
    ? "No request has a tool result."
    : `Replaces ${plural(results.length, "tool result")} with ${formatExact(tokens)} tokens from the next prompt on. Your own messages stay.`
}
