import { useState } from "react"
import { formatUsd } from "#ground/base/format"
import { toWireError } from "../../base/errors.ts"
import { visibleLine } from "../../base/format.ts"
import { plural, type SwarmPlan, type Workstream } from "../../contract.ts"
import type { Input } from "../../data/client.ts"
import { paths } from "../../data/paths.ts"
import { useOperation } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import { Loaded } from "../../ui/collection/collection.tsx"
import { DiffLines } from "../../ui/diff/diff.tsx"
import { readUnified } from "../../ui/diff/unified-diff.ts"
import { EntryForm, PickEntry, TextEntry } from "../../ui/entry/entry.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { ChoiceField } from "../../ui/field/field.tsx"
import { Block, DetailHead, Flow, Pane, PaneScroll, Stack } from "../../ui/pane/pane.tsx"
import { Path } from "../../ui/path/path.tsx"
import { PlaceLink, Text } from "../../ui/text/text.tsx"
import { Changes } from "../../ui/transcript/box.tsx"
import type { SwarmActions } from "./use-swarm.ts"

type DiffPaneProps = { readonly stream: Workstream; onClose(): void }

export function DiffPane({ stream, onClose }: DiffPaneProps) {
  const diff = useOperation("worktree.diff", { name: stream.worktree })
  return (
    <Pane label="Diff">
      <DetailHead back="Back to the swarm" onClose={onClose}>
        <Text strong>{`Diff of ${stream.name}`}</Text>
      </DetailHead>
      <Loaded query={diff} rows={12}>
        {(data) => {
          const files = readUnified(data.text)
          return (
            <PaneScroll>
              {files.length === 0 ? (
                <Block>
                  <Text tone="2">No file differs from {data.against ?? "the base"}.</Text>
                </Block>
              ) : null}
              {files.map((it) => (
                <Block
                  key={it.path}
                  title={visibleLine(it.path)}
                  aside={<Changes added={it.added} removed={it.removed} />}
                >
                  <DiffLines lines={it.lines} label={`Changes of ${visibleLine(it.path)}`} />
                </Block>
              ))}
              {data.isCut ? (
                <Block>
                  <Text tone="warn">The diff is longer; the rest is not shown.</Text>
                </Block>
              ) : null}
            </PaneScroll>
          )
        }}
      </Loaded>
    </Pane>
  )
}

const AGENTS = ["claude-code", "codex", "copilot"] as const
const COUNTS = ["1", "2", "3", "4", "5"] as const
const CHOICES = [
  { value: "", label: "Configured" },
  ...AGENTS.map((it) => ({ value: it, label: it })),
  { value: "mixed", label: "claude-code and codex in turn" },
]

type PlanPaneProps = {
  /** New workstreams join the open swarm. */
  readonly isOpen: boolean
  readonly isReadOnly: boolean
  readonly actions: SwarmActions
  onClose(): void
}

export function PlanPane({ isOpen, isReadOnly, actions, onClose }: PlanPaneProps) {
  const [agent, setAgent] = useState("")
  const [count, setCount] = useState("3")
  const [budget, setBudget] = useState("")
  const request: Input<"swarm.plan"> = { workstreams: Number(count), agent: agentsOf(agent) }
  const plan = useOperation("swarm.plan", request)
  const usd = Number(budget)
  const problem = budget.trim() === "" || usd > 0 ? undefined : "Enter a number above 0."
  const ready = plan.data?.workstreams.length ?? 0
  const isOff = isReadOnly || ready === 0 || problem !== undefined || actions.start.isPending
  const start = () => {
    const tickets = plan.data?.workstreams.flatMap((it) => it.tickets.map((one) => one.id)) ?? []
    const input = { ...request, tickets, ...(budget.trim() === "" ? {} : { budget: usd }) }
    actions.start.mutate(input, { onSuccess: onClose })
  }
  return (
    <Pane ground="canvas" label="Plan">
      <DetailHead back="Back to the swarm" onClose={onClose}>
        <Text strong>{isOpen ? "Add workstream" : "Plan a swarm"}</Text>
      </DetailHead>
      <PaneScroll>
        <EntryForm>
          <PickEntry label="Agent" choices={CHOICES} value={agent} onPick={setAgent} />
          <Stack>
            <Text size="sm" tone="2">
              Maximum number of workstreams
            </Text>
            <ChoiceField
              label="Maximum number of workstreams"
              choices={COUNTS.map((it) => ({ value: it, label: it }))}
              value={count}
              onPick={setCount}
            />
          </Stack>
          <TextEntry
            label="Budget of each workstream"
            description={`US dollars; empty for ${formatUsd(plan.data?.budgetUsd ?? 4)}, by the cost tier.`}
            kind="number"
            value={budget}
            problem={problem}
            onChange={setBudget}
          />
          <Flow>
            <Button variant="primary" keyId="swarm.start" disabled={isOff} onPress={start}>
              {describeStart(ready, actions.start.isPending)}
            </Button>
          </Flow>
          {actions.start.error === null ? null : (
            <Failure size="pane" error={toWireError(actions.start.error)} />
          )}
        </EntryForm>
        <Loaded query={plan} rows={6}>
          {(data) => <Planned plan={data} />}
        </Loaded>
      </PaneScroll>
    </Pane>
  )
}

function describeStart(ready: number, isStarting: boolean): string {
  if (isStarting) return "Starting"
  return ready === 0 ? "Start" : `Start ${plural(ready, "workstream")}`
}

function agentsOf(choice: string): (typeof AGENTS)[number][] {
  if (choice === "mixed") return ["claude-code", "codex"]
  return AGENTS.filter((it) => it === choice)
}

function Planned({ plan }: { readonly plan: SwarmPlan }) {
  const { workstreams, left, conflicts } = plan
  return (
    <>
      {workstreams.length === 0 ? (
        <Block>
          <Text wrap tone="2">
            No ticket can start now. Tickets need known files, no open dependency, and no block.
          </Text>
        </Block>
      ) : null}
      {workstreams.map(({ name, agent, tickets }) => (
        <Block key={name} title={name} aside={agent}>
          <Stack gap="8">
            {tickets.map((it) => (
              <Stack key={it.id}>
                <Text cut title={visibleLine(it.title)}>
                  {visibleLine(it.title)}
                </Text>
                <PlaceLink href={paths.ticket(it.id)}>{it.id}</PlaceLink>
                {[...it.touch, ...it.tests].slice(0, 5).map((file) => (
                  <Path key={file} path={file} />
                ))}
              </Stack>
            ))}
          </Stack>
        </Block>
      ))}
      {conflicts.length === 0 ? null : (
        <Block title="Likely conflicts" aside={`${conflicts.length}`}>
          <Stack>
            {conflicts.map((it) => (
              <Text key={`${it.workstream} ${it.with}`} wrap size="sm" tone="warn">
                {visibleLine(`${it.workstream} with ${it.with}: ${it.files.join(", ")}`)}
              </Text>
            ))}
          </Stack>
        </Block>
      )}
      {left.length === 0 ? null : (
        <Block title="Left out" aside={`${left.length}`}>
          <Stack gap="8">
            {left.map((it) => (
              <Stack key={it.id}>
                <Text cut title={visibleLine(it.title)}>
                  {visibleLine(it.title)}
                </Text>
                <PlaceLink href={paths.ticket(it.id)}>{it.id}</PlaceLink>
                <Text size="sm" tone="2" wrap>
                  {visibleLine(it.reason)}
                </Text>
              </Stack>
            ))}
          </Stack>
        </Block>
      )}
    </>
  )
}
