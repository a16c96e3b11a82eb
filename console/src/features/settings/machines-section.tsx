import { useMutation } from "@tanstack/react-query"
import { useRef, useState } from "react"
import { toWireError } from "../../base/errors.ts"
import { formatAge, visibleLine } from "../../base/format.ts"
import { hostTitle } from "../../base/hosts.ts"
import {
  type AgentType,
  plural,
  type RemoteRun,
  type RemoteRunner,
  type RemoteState,
} from "../../contract.ts"
import { useClient, useOperation, useReadOnly } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import { Dialog, DialogActions, DialogEntry, DialogLines } from "../../ui/dialog/dialog.tsx"
import { AreaEntry, PickEntry } from "../../ui/entry/entry.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { FormRow } from "../../ui/form/form.tsx"
import { Group, RowNote, Section } from "../../ui/list/list.tsx"
import { Flow, Stack } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { useToast } from "../../ui/toast/toast.tsx"

const MOST_RUNS = 20

const AGENTS: readonly { readonly value: AgentType; readonly label: string }[] = [
  { value: "claude-code", label: "Claude Code" },
  { value: "codex", label: "Codex" },
  { value: "copilot", label: "Copilot" },
  { value: "gemini", label: "Gemini CLI" },
  { value: "opencode", label: "opencode" },
]

const STATES: Readonly<Record<RemoteState, string>> = {
  waiting: "waits for consent",
  running: "works",
  denied: "denied",
  done: "done",
  failed: "failed",
  stopped: "stopped",
}

/** Machines that run `qm connect`, and runs that were requested on them. */
export function MachinesSection({ now }: { readonly now: number }) {
  const machines = useOperation("remote.list", {})
  const runs = useOperation("remote.runs", { limit: MOST_RUNS })
  const isReadOnly = useReadOnly()
  const [starting, setStarting] = useState<RemoteRunner | null>(null)
  const [shown, setShown] = useState<string | null>(null)
  const all = machines.data?.runners ?? []
  const requested = runs.data?.runs ?? []
  const run = requested.find((it) => it.id === shown)
  const error = machines.error ?? runs.error
  return (
    <Section label="Machines">
      <Group name="Machines" {...(machines.data === undefined ? {} : { count: all.length })} />
      {error === null ? null : (
        <Failure
          size="row"
          error={toWireError(error)}
          onRetry={() => {
            void machines.refetch()
            void runs.refetch()
          }}
        />
      )}
      {machines.data !== undefined && all.length === 0 ? (
        <RowNote>
          No machine is connected. A person connects one with <code>qm connect</code> and the
          address of this server.
        </RowNote>
      ) : null}
      {all.map((it) => (
        <FormRow
          key={it.id}
          name={`${visibleLine(it.name)} of ${visibleLine(it.person)}`}
          description={describeMachine(it, now)}
        >
          {it.isConnected && !isReadOnly && it.repositories.length > 0 ? (
            <Button small onPress={() => setStarting(it)}>
              Request a run
            </Button>
          ) : (
            <Text tone="2">{it.isConnected ? "connected" : "not connected"}</Text>
          )}
        </FormRow>
      ))}
      {requested.length === 0 ? null : <Group name="Runs on machines" count={requested.length} />}
      {requested.map((it) => (
        <RunRow
          key={it.id}
          run={it}
          machine={all.find((one) => one.id === it.runner)?.name ?? it.runner}
          now={now}
          isReadOnly={isReadOnly}
          onShow={() => setShown(it.id)}
        />
      ))}
      {starting === null ? null : (
        <RequestDialog machine={starting} onClose={() => setStarting(null)} />
      )}
      {run === undefined ? null : <MessagesDialog run={run} onClose={() => setShown(null)} />}
    </Section>
  )
}

function describeMachine({ repositories, isConnected, seenAt }: RemoteRunner, now: number): string {
  const offered = repositories.map(({ name, shares }) =>
    shares.length === 0 ? name : `${name} (shares ${shares.join(", ")})`,
  )
  const seen = isConnected ? [] : [`seen ${formatAge(seenAt, now)} ago`]
  return [offered.length === 0 ? "offers no repository" : offered.join(", "), ...seen].join(", ")
}

type RunRowProps = {
  readonly run: RemoteRun
  readonly machine: string
  readonly now: number
  readonly isReadOnly: boolean
  onShow(): void
}

function RunRow({ run, machine, now, isReadOnly, onShow }: RunRowProps) {
  const client = useClient()
  const toast = useToast()
  const stop = useMutation({
    mutationFn: () => client.write("remote.stop", { id: run.id }),
    onError: (reason) => toast.fail(toWireError(reason)),
  })
  const isOpen = run.state === "waiting" || run.state === "running"
  const state = run.isStopWanted && isOpen ? "stops" : STATES[run.state]
  const where = `${hostTitle(run.type)} in ${run.repository} on ${visibleLine(machine)}`
  const age = `${formatAge(run.createdAt, now)} ago`
  const reason = run.note === "" ? [] : [visibleLine(run.note)]
  return (
    <FormRow
      name={visibleLine(run.prompt).slice(0, 120)}
      description={[where, `by ${visibleLine(run.requestedBy)}`, age, ...reason].join(", ")}
    >
      <Flow>
        <Text tone={run.state === "failed" ? "bad" : "2"}>{state}</Text>
        {run.lastSeq === 0 ? null : (
          <Button small onPress={onShow}>
            {plural(run.lastSeq, "message")}
          </Button>
        )}
        {isOpen && !isReadOnly && !run.isStopWanted ? (
          <Button small disabled={stop.isPending} onPress={() => stop.mutate()}>
            Stop
          </Button>
        ) : null}
      </Flow>
    </FormRow>
  )
}

type RequestProps = { readonly machine: RemoteRunner; onClose(): void }

function RequestDialog({ machine, onClose }: RequestProps) {
  const client = useClient()
  const toast = useToast()
  const area = useRef<HTMLTextAreaElement>(null)
  const [repository, setRepository] = useState(machine.repositories[0]?.name ?? "")
  const [type, setType] = useState<AgentType>("claude-code")
  const [prompt, setPrompt] = useState("")
  const start = useMutation({
    mutationFn: () =>
      client.write("remote.start", { runner: machine.id, repository, type, prompt: prompt.trim() }),
    onSuccess: () => {
      toast.show({ text: `${machine.name} asks ${machine.person} for consent` })
      onClose()
    },
  })
  const isReady = prompt.trim() !== "" && !start.isPending
  return (
    <Dialog
      title={`Request a run on ${visibleLine(machine.name)}`}
      showsTitle
      onClose={onClose}
      initialFocus={area}
    >
      <DialogEntry
        onKeyDown={(event) => {
          const isCommit = event.key === "Enter" && (event.metaKey || event.ctrlKey)
          if (isCommit && isReady) start.mutate()
        }}
      >
        <Stack gap="8">
          <PickEntry
            label="Repository"
            choices={machine.repositories.map(({ name }) => ({ value: name, label: name }))}
            value={repository}
            onPick={setRepository}
          />
          <PickEntry
            label="Agent"
            choices={AGENTS}
            value={type}
            onPick={(picked) => {
              const agent = AGENTS.find((it) => it.value === picked)?.value
              if (agent !== undefined) setType(agent)
            }}
          />
          <AreaEntry
            ref={area}
            label="Task"
            rows={4}
            value={prompt}
            description={`It starts only after ${visibleLine(machine.person)} agrees on that machine.`}
            onChange={setPrompt}
          />
        </Stack>
      </DialogEntry>
      {start.error === null ? null : <Failure size="row" error={toWireError(start.error)} />}
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button variant="primary" disabled={!isReady} onPress={() => start.mutate()}>
          {start.isPending ? "Asking" : "Request"}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

type MessagesProps = { readonly run: RemoteRun; onClose(): void }

function MessagesDialog({ run, onClose }: MessagesProps) {
  const { data, error, refetch } = useOperation("remote.messages", { id: run.id })
  const close = useRef<HTMLButtonElement>(null)
  const shown = (data?.messages ?? []).filter((it) => it.text !== "")
  return (
    <Dialog
      title={visibleLine(run.prompt).slice(0, 120)}
      showsTitle
      onClose={onClose}
      initialFocus={close}
    >
      {error === null ? null : (
        <Failure size="row" error={toWireError(error)} onRetry={() => void refetch()} />
      )}
      <DialogLines
        label="Messages"
        lines={shown.map(({ seq, kind, text }) => `${seq} ${kind}: ${text}`)}
      />
      <DialogActions>
        <Button ref={close} onPress={onClose}>
          Close
        </Button>
      </DialogActions>
    </Dialog>
  )
}
