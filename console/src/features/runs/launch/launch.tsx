import { useMutation } from "@tanstack/react-query"
import { type KeyboardEvent, useEffect, useRef, useState } from "react"
import { installedInstead, TYPES } from "../../../base/agent-types.ts"
import { toWireError } from "../../../base/errors.ts"
import {
  type AgentMode,
  type AgentType,
  formatExact,
  type PackBuilt,
  type Provider,
  plural,
  type Run,
} from "../../../contract.ts"
import type { Input } from "../../../data/client.ts"
import { useSettled } from "../../../data/clock.ts"
import { paths } from "../../../data/paths.ts"
import { useClient, useOperation, useSession } from "../../../data/queries.tsx"
import { Button, IconButton, LinkButton } from "../../../ui/button/button.tsx"
import { CopyButton } from "../../../ui/copy/copy.tsx"
import {
  AreaEntry,
  EntryActions,
  EntryForm,
  EntryPair,
  PickEntry,
  TextEntry,
} from "../../../ui/entry/entry.tsx"
import { Failure } from "../../../ui/failure/failure.tsx"
import { ChoiceField } from "../../../ui/field/field.tsx"
import { Kbd } from "../../../ui/kbd/kbd.tsx"
import { Flow, Pane, PaneHead, PaneScroll, Stack } from "../../../ui/pane/pane.tsx"
import { remember } from "../../../ui/remember.ts"
import { Prose, Text } from "../../../ui/text/text.tsx"
import {
  checkDraft,
  describeProvider,
  GATEWAYS,
  type LaunchDraft,
  MODES,
  type Problems,
  problemsOf,
} from "./launch-draft.ts"

type LaunchProps = {
  readonly draft: LaunchDraft
  onDraft(draft: LaunchDraft): void
  onStarted(run: Run): void
  onClose(): void
}

export function LaunchForm({ draft, onDraft, onStarted, onClose }: LaunchProps) {
  const { data: session } = useSession()
  const prompt = useRef<HTMLTextAreaElement>(null)
  useEffect(() => prompt.current?.focus(), [])
  const { start, isPending, problems, error } = useStart(draft, onStarted)
  const set = (change: Partial<LaunchDraft>) => onDraft({ ...draft, ...change })
  const missing = useProviders()?.find((it) => it.type === draft.type && !it.isInstalled)
  const isOff = session?.readOnly === true || isPending || missing !== undefined
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
      event.preventDefault()
      if (!isOff) start()
    }
    if (event.key === "Escape") onClose()
  }
  return (
    <Pane ground="canvas" label="New run">
      <FormHead title={draft.resume === "" ? "New run" : "Continue a session"} onClose={onClose} />
      <PaneScroll onKeyDown={press}>
        <EntryForm>
          <AreaEntry
            ref={prompt}
            label="Task"
            rows={5}
            value={draft.prompt}
            problem={problems.prompt}
            onChange={(text) => set({ prompt: text })}
          />
          {draft.resume === "" ? null : (
            <TextEntry
              label="Session"
              mono
              value={draft.resume}
              problem={problems.resume}
              description="The agent continues this session with all that it read before. Empty it for a new session."
              onChange={(resume) => set({ resume })}
            />
          )}
          <PackEntry draft={draft} problems={problems} set={set} />
          <AgentEntries draft={draft} problems={problems} set={set} />
          <GatewayEntry draft={draft} problems={problems} set={set} />
          <LimitEntries
            draft={draft}
            problems={problems}
            set={set}
            root={session?.repository.root}
          />
          {error === undefined ? null : <Failure size="pane" error={error} />}
          <EntryActions>
            <Button variant="primary" disabled={isOff} onPress={start}>
              {isPending ? "Starting" : "Start"}
            </Button>
            <Kbd keys="mod+Enter" />
            {session?.readOnly === true ? <Text tone="2">This page is read only.</Text> : null}
            {missing === undefined ? null : (
              <Text tone="warn">{missing.title} is not installed.</Text>
            )}
          </EntryActions>
        </EntryForm>
      </PaneScroll>
    </Pane>
  )
}

function FormHead({ title, onClose }: { readonly title: string; onClose(): void }) {
  return (
    <PaneHead
      actions={<IconButton small icon="close" label="Close" keyId="leave" onPress={onClose} />}
    >
      <Text strong>{title}</Text>
    </PaneHead>
  )
}

function useStart(draft: LaunchDraft, onStarted: (run: Run) => void) {
  const client = useClient()
  const [wrong, setWrong] = useState<Problems>({})
  const begin = useMutation({
    mutationFn: (input: Input<"agents.start">) => client.write("agents.start", input),
    onSuccess: (run) => {
      remember("launch.agent", draft.type)
      remember("launch.mode", draft.mode)
      onStarted(run)
    },
  })
  const refusal = begin.error === null ? undefined : toWireError(begin.error)
  const refused = refusal === undefined ? {} : problemsOf(refusal)
  const start = () => {
    const checked = checkDraft(draft)
    setWrong(checked.kind === "wrong" ? checked.problems : {})
    if (checked.kind === "right") begin.mutate(checked.input)
    else begin.reset()
  }
  return {
    start,
    isPending: begin.isPending,
    problems: { ...refused, ...wrong },
    error: Object.keys(refused).length > 0 ? undefined : refusal,
  }
}

type EntriesProps = {
  readonly draft: LaunchDraft
  readonly problems: Problems
  set(change: Partial<LaunchDraft>): void
}

const SETTLES_MS = 200

function PackEntry({ draft, problems, set }: EntriesProps) {
  const id = useSettled(draft.pack.trim(), SETTLES_MS)
  const packQuery = useOperation("pack.show", { id, format: "summary" }, { isEnabled: id !== "" })
  const refusal =
    id === "" || packQuery.error === null ? undefined : toWireError(packQuery.error).message
  return (
    <TextEntry
      label="Package"
      mono
      value={draft.pack}
      placeholder="none"
      problem={problems.pack ?? refusal}
      description={
        id === "" || packQuery.data === undefined ? undefined : (
          <PackSummary pack={packQuery.data.pack} />
        )
      }
      onChange={(pack) => set({ pack })}
    />
  )
}

function PackSummary({ pack }: Pick<PackBuilt, "pack">) {
  const { id, files, tokens } = pack
  return (
    <>
      {plural(files.length, "file")}, {formatExact(tokens)} tokens, before the first turn.{" "}
      <LinkButton variant="ghost" small href={paths.pack({ id })}>
        Open
      </LinkButton>
    </>
  )
}

function AgentEntries({ draft, problems, set }: EntriesProps) {
  const providers = useProviders()
  const [isTouched, setIsTouched] = useState(false)
  const chosen = providers?.find((it) => it.type === draft.type)
  const better = isTouched ? undefined : installedInstead(draft.type, providers)
  useEffect(() => {
    if (better !== undefined && draft.resume === "") set({ type: better })
  }, [better])
  const consequence = MODES.find((it) => it.value === draft.mode)?.description
  return (
    <>
      <PickEntry
        label="Agent"
        choices={TYPES.map((value) => pickFor(value, providers))}
        value={draft.type}
        problem={problems.type}
        {...(chosen === undefined || chosen.isInstalled
          ? {}
          : { description: <InstallHint hint={chosen.hint} /> })}
        onPick={(value) => {
          setIsTouched(true)
          // Another agent does not have the session.
          set({ type: TYPES.find((it) => it === value) ?? draft.type, resume: "" })
        }}
      />
      {draft.type === "synthetic" ? (
        <ScriptEntry provider={chosen} draft={draft} problems={problems} set={set} />
      ) : null}
      <Stack gap="8">
        <Text size="sm" tone="2">
          Mode
        </Text>
        <ChoiceField
          label="Mode"
          choices={MODES.map(({ value }) => ({ value, label: value }))}
          value={draft.mode}
          onPick={(value) => set({ mode: modeOf(value) ?? draft.mode })}
        />
        <Text as="p" size="sm" tone="2">
          {problems.mode ?? consequence}
        </Text>
      </Stack>
    </>
  )
}

function useProviders(): readonly Provider[] | undefined {
  return useOperation("agents.providers", {}).data?.providers
}

function InstallHint({ hint }: Pick<Provider, "hint">) {
  const command = hint.split("`")[1]
  return (
    <>
      <Prose>{`Not installed. ${hint}`}</Prose>{" "}
      {command === undefined ? null : <CopyButton text={command} label="Copy the command" />}
    </>
  )
}

function pickFor(value: AgentType, providers: readonly Provider[] | undefined) {
  const provider = providers?.find((it) => it.type === value)
  if (provider === undefined) return { value, label: value }
  const isMissing = !provider.isInstalled
  return { value, label: provider.title, detail: describeProvider(provider), isMissing }
}

function modeOf(value: string): AgentMode | undefined {
  return MODES.find((it) => it.value === value)?.value
}

type ScriptEntryProps = EntriesProps & { readonly provider: Provider | undefined }

function ScriptEntry({ provider, draft, problems, set }: ScriptEntryProps) {
  const shipped = provider?.scripts ?? []
  const names = shipped.length === 0 ? "" : `Shipped: ${shipped.join(", ")}. `
  return (
    <TextEntry
      label="Script"
      mono
      value={draft.script}
      placeholder={shipped[0] ?? ""}
      problem={problems.script}
      description={`${names}Or JSON lines of events, each with after in milliseconds.`}
      onChange={(script) => set({ script })}
    />
  )
}

function LimitEntries({
  draft,
  problems,
  set,
  root,
}: EntriesProps & { readonly root: string | undefined }) {
  return (
    <>
      <TextEntry
        label="Directory"
        mono
        value={draft.cwd}
        placeholder={root ?? ""}
        problem={problems.cwd}
        onChange={(cwd) => set({ cwd })}
      />
      <EntryPair>
        <TextEntry
          label="Model"
          mono
          value={draft.model}
          placeholder="default"
          problem={problems.model}
          onChange={(model) => set({ model })}
        />
        <TextEntry
          label="Sources"
          mono
          value={draft.sources}
          placeholder="all tools of the host"
          problem={problems.sources}
          onChange={(sources) => set({ sources })}
        />
      </EntryPair>
      <BudgetEntries draft={draft} problems={problems} set={set} />
    </>
  )
}

function BudgetEntries({ draft, problems, set }: EntriesProps) {
  return (
    <EntryPair>
      <TextEntry
        label="Budget in USD"
        kind="number"
        value={draft.budgetUsd}
        placeholder="none"
        problem={problems.budgetUsd}
        onChange={(budgetUsd) => set({ budgetUsd })}
      />
      <TextEntry
        label="Budget in tokens"
        kind="number"
        value={draft.budgetTokens}
        placeholder="none"
        problem={problems.budgetTokens}
        onChange={(budgetTokens) => set({ budgetTokens })}
      />
    </EntryPair>
  )
}

type GatewayEntryProps = {
  readonly draft: LaunchDraft
  readonly problems: Problems
  set(change: Partial<LaunchDraft>): void
}

function GatewayEntry({ draft, problems, set }: GatewayEntryProps) {
  const chosen = GATEWAYS.find((it) => it.value === draft.gateway)
  const pick = (value: string) => {
    const option = GATEWAYS.find((it) => it.value === value)
    if (option !== undefined) set({ gateway: option.value })
  }
  return (
    <Stack gap="8">
      <Flow align="apart">
        <Text size="sm" tone="2">
          Gateway
        </Text>
        <ChoiceField
          small
          label="Gateway"
          choices={GATEWAYS.map(({ value, label }) => ({ value, label }))}
          value={draft.gateway}
          onPick={pick}
        />
      </Flow>
      <Text as="p" size="sm" tone="2">
        {problems.gateway ?? chosen?.description}
      </Text>
    </Stack>
  )
}
