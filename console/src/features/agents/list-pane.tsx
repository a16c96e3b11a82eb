import { useRef } from "react"
import { toWireError } from "../../base/errors.ts"
import { visibleLine } from "../../base/format.ts"
import { type AgentFolder, plural } from "../../contract.ts"
import type { AgentsParams } from "../../data/paths.ts"
import { Button } from "../../ui/button/button.tsx"
import { Empty } from "../../ui/empty/empty.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { FilterField } from "../../ui/field/field.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import {
  Cell,
  NameCell,
  NarrowLine,
  Row,
  RowNote,
  type RowOption,
  RowSkeleton,
  TableHead,
} from "../../ui/list/list.tsx"
import { VirtualList, type VirtualListHandle } from "../../ui/list/virtual-list.tsx"
import { Pane, PaneFoot, PaneHead, Stack } from "../../ui/pane/pane.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { Text } from "../../ui/text/text.tsx"
import { useAgents } from "./use-agents.ts"
import { ORIGINS, stateOf } from "./words.ts"

type ListPaneProps = {
  readonly params: AgentsParams
  onParams(change: Partial<AgentsParams>, how?: "push" | "replace"): void
}

/** Every folder that is an agent: shipped, one's own, and those of this repository. */
export function ListPane({ params, onParams }: ListPaneProps) {
  const { data, error, isPending, refetch } = useAgents()
  const handle = useRef<VirtualListHandle>(null)
  const wanted = params.text.trim().toLowerCase()
  const agents = data?.agents.filter((it) =>
    `${it.slug} ${it.name} ${it.description}`.toLowerCase().includes(wanted),
  )
  return (
    <Pane label="Agents">
      <PaneHead edge="page">
        <FilterField
          label="Filter by words"
          value={params.text}
          onChange={(text) => onParams({ text, at: "" }, "replace")}
          onLeave={() => handle.current?.focus()}
        />
      </PaneHead>
      {error === null ? null : (
        <Failure size="pane" error={toWireError(error)} onRetry={() => void refetch()} />
      )}
      {isPending ? <RowSkeleton rows={5} /> : null}
      {data?.agents.length === 0 ? (
        <Empty
          says="Agents that people can run will be here: a folder with AGENT.md, config.json and prompts."
          command="qm agent new my-research"
        />
      ) : null}
      {agents?.length === 0 && wanted !== "" ? (
        <RowNote>
          No agent has these words.
          <Button small onPress={() => onParams({ text: "" }, "replace")}>
            Show all
          </Button>
        </RowNote>
      ) : null}
      {agents === undefined || agents.length === 0 ? null : (
        <>
          <AgentRows agents={agents} params={params} handle={handle} onParams={onParams} />
          <PaneFoot>
            {plural(agents.length, "agent")}. An agent of a repository is run once a person trusts
            its folder as it is.
          </PaneFoot>
        </>
      )}
    </Pane>
  )
}

const COLUMNS = {
  full: "14px 168px minmax(0, 1fr) 112px 96px",
  tight: "14px 152px minmax(0, 1fr) 96px",
  narrow: "14px minmax(0, 1fr) 88px",
} as const

type AgentRowsProps = ListPaneProps & {
  readonly agents: readonly AgentFolder[]
  readonly handle: React.RefObject<VirtualListHandle | null>
}

function AgentRows({ agents, params, handle, onParams }: AgentRowsProps) {
  const index = agents.findIndex((it) => it.slug === params.at)
  const selected = agents[index]
  const moveTo = (agent: AgentFolder | undefined) =>
    agent === undefined ? undefined : onParams({ at: agent.slug }, "replace")
  const open = ({ slug }: AgentFolder) => onParams({ at: slug, show: slug })
  useKey("list.next", () => moveTo(agents[index + 1]))
  useKey("list.previous", () => moveTo(agents[index < 0 ? agents.length - 1 : index - 1]))
  useKey("list.first", () => moveTo(agents[0]))
  useKey("list.last", () => moveTo(agents.at(-1)))
  useKey("agents.open", () => (selected === undefined ? moveTo(agents[0]) : open(selected)))
  const idOf = ({ slug }: AgentFolder) => `agent-${slug}`
  return (
    <VirtualList
      ref={handle}
      label="Agents"
      columns={COLUMNS}
      head={<Head />}
      items={agents}
      keyOf={(it) => it.slug}
      isGroup={() => false}
      activeIndex={index}
      activeId={selected === undefined ? undefined : idOf(selected)}
      sticksToEnd={false}
      renderItem={(it) => (
        <AgentRow
          agent={it}
          option={{ id: idOf(it), isSelected: it === selected, onPick: () => open(it) }}
        />
      )}
    />
  )
}

function Head() {
  return (
    <TableHead
      labels={[
        { text: "" },
        { text: "Agent" },
        { text: "What it does", from: "roomy" },
        { text: "Origin", from: "wide" },
        { text: "State" },
      ]}
    />
  )
}

function AgentRow({ agent, option }: { readonly agent: AgentFolder; readonly option: RowOption }) {
  const { word, mark, tone } = stateOf(agent)
  const says = visibleLine(agent.description)
  return (
    <Row option={option}>
      <StatusMark status={mark} />
      <Stack>
        <NameCell>
          <Text cut title={visibleLine(agent.name)}>
            {agent.slug}
          </Text>
        </NameCell>
        <NarrowLine>{says}</NarrowLine>
      </Stack>
      <Cell from="roomy">
        <Text as="div" tone="2" cut title={says}>
          {says}
        </Text>
      </Cell>
      <Cell from="wide">
        <Text as="div" size="sm" tone="2" cut>
          {ORIGINS[agent.origin]}
        </Text>
      </Cell>
      <Text as="div" size="sm" tone={tone} cut>
        {word}
      </Text>
    </Row>
  )
}
