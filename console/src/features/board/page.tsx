import { useState } from "react"
import { visibleLine } from "../../base/format.ts"
import type { Board, BoardEvents, Lane as LaneName, Ticket } from "../../contract.ts"
import { plural } from "../../contract.ts"
import { navigate } from "../../data/location.ts"
import { leaveOne, type PageProps } from "../../data/params.ts"
import { type BoardParams, paths } from "../../data/paths.ts"
import { useOperation, useReadOnly } from "../../data/queries.tsx"
import { RowBudgetBar } from "../../ui/budget-bar/budget-bar.tsx"
import type { BarContent } from "../../ui/budget-bar/layout.ts"
import { Button, LinkButton } from "../../ui/button/button.tsx"
import { CollectionPage, Loaded, NoMatch } from "../../ui/collection/collection.tsx"
import { Empty } from "../../ui/empty/empty.tsx"
import { FilterField } from "../../ui/field/field.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { Card, type CardLink, Lane, Lanes } from "../../ui/lanes/lanes.tsx"
import { Notice } from "../../ui/notice/notice.tsx"
import {
  Block,
  DetailHead,
  Flow,
  MoreFilters,
  Pane,
  PaneScroll,
  Stack,
} from "../../ui/pane/pane.tsx"
import { PlaceLink, Text } from "../../ui/text/text.tsx"
import { AddTicket } from "./add-form.tsx"
import {
  Acceptance,
  EventLine,
  Events,
  Evidence,
  ReviewButtons,
  TicketFacts,
  TicketText,
} from "./detail.tsx"
import { useBoard, useLog, useTicket, useTicketActions } from "./use-board.ts"
import {
  factOf,
  LANE_MARKS,
  LANE_NAMES,
  laneBeside,
  lastMoves,
  levelOf,
  matches,
  NO_TICKET,
} from "./words.ts"

/** More cards of a lane are drawn on request, so that 2,000 tickets open at once. */
const FIRST_CARDS = 60

export function BoardPage(props: PageProps<BoardParams>) {
  const { params, onParams } = props
  const { text, show, add, log } = params
  const isReadOnly = useReadOnly()
  const board = useBoard()
  useKey("board.log", () => onParams({ log: !log, show: "", add: false }))
  const total = board.data === undefined ? "" : countText(board.data)
  return (
    <CollectionPage
      name="board"
      detailPx={392}
      header={
        <Header title="Board" facts={<Text tone="2">{total}</Text>}>
          <MoreFilters bare isActive={text !== ""}>
            <FilterField label="Filter" value={text} onChange={(it) => onParams({ text: it })} />
            <Button
              variant="ghost"
              keyId="board.swarm"
              onPress={() => navigate(paths.swarm({ show: "plan" }))}
            >
              Plan a swarm
            </Button>
          </MoreFilters>
          <Button
            icon="events"
            pressed={log}
            onPress={() => onParams({ log: !log, show: "", add: false })}
            shrinks
          >
            Log
          </Button>
          <Button
            icon="plus"
            variant="primary"
            keyId="board.new"
            disabled={isReadOnly}
            onPress={() => onParams({ add: true })}
            shrinks
          >
            New ticket
          </Button>
        </Header>
      }
      list={
        <Loaded query={board} rows={8}>
          {(data) => <BoardLanes {...props} board={data} isReadOnly={isReadOnly} />}
        </Loaded>
      }
      detail={add || log || show !== "" ? <Side {...props} isReadOnly={isReadOnly} /> : null}
      onLeave={leaveOne(
        onParams,
        [add, { add: false }],
        [show !== "", { show: "" }],
        [log, { log: false }],
        [text !== "", { text: "" }],
      )}
    />
  )
}

function countText({ total, ready }: Board): string {
  return `${plural(total, "ticket")}, ${ready} ready`
}

type SideProps = PageProps<BoardParams> & { readonly isReadOnly: boolean }

function Side(props: SideProps) {
  const { params, onParams, isReadOnly } = props
  if (params.add)
    return (
      <AddTicket
        isReadOnly={isReadOnly}
        onAdded={({ id }) => onParams({ add: false, at: id, show: id })}
        onClose={() => onParams({ add: false }, "replace")}
      />
    )
  if (params.show !== "") return <Peek key={params.show} {...props} />
  return params.log ? <LogPane {...props} /> : null
}

type BoardLanesProps = SideProps & { readonly board: Board }

function BoardLanes({ params, onParams, board, isReadOnly }: BoardLanesProps) {
  const actions = useTicketActions()
  const tickets =
    params.text === "" ? board.tickets : board.tickets.filter((it) => matches(it, params.text))
  const selected = board.tickets.find((it) => it.id === params.at)
  const moveTo = (ticket: Ticket | undefined, lane: LaneName | undefined) => {
    if (ticket === undefined || lane === undefined || lane === ticket.lane || isReadOnly) return
    // Going back from testing needs feedback, which the peek asks for.
    if (ticket.lane === "testing" && lane === "working")
      onParams({ at: ticket.id, show: ticket.id })
    else actions.move({ ticket, lane })
  }
  const contexts = useContexts()
  useBoardKeys({ tickets, selected, onParams, moveTo })
  useKey(
    "board.undo",
    selected === undefined || isReadOnly ? undefined : () => actions.undo(selected.id),
  )
  if (board.total === 0 && board.problems.length === 0) return <NoTickets />
  if (tickets.length === 0)
    return (
      <NoMatch onShowAll={() => onParams({ text: "" })}>No ticket matches this filter.</NoMatch>
    )
  return (
    <>
      {board.problems.length === 0 ? null : (
        <Notice
          tone="warn"
          description={`${plural(board.problems.length, "file")} cannot be read: ${board.problems
            .slice(0, 3)
            .map((it) => `${visibleLine(it.file)} (${visibleLine(it.problem)})`)
            .join("; ")}`}
        />
      )}
      <Lanes
        label="Tickets by lane"
        at={params.at}
        links={linksOf(selected, tickets)}
        start={startLane(board, tickets)}
      >
        {board.lanes.map(({ lane, tickets: count, limit }) => (
          <LaneOfTickets
            key={lane}
            {...{ lane, count, limit, isReadOnly, contexts }}
            ready={board.ready}
            tickets={tickets.filter((it) => it.lane === lane)}
            at={params.at}
            onPick={(id) => onParams({ at: id, show: id, add: false })}
            onDrop={(id) =>
              moveTo(
                board.tickets.find((it) => it.id === id),
                lane,
              )
            }
          />
        ))}
      </Lanes>
    </>
  )
}

/** The first lane with tickets that wait for the person, else the first with tickets. */
function startLane({ lanes }: Board, tickets: readonly Ticket[]): number {
  const isFilled = (lane: LaneName) => tickets.some((it) => it.lane === lane)
  const waiting = lanes.findIndex(({ lane }) => LANE_MARKS[lane] === "waiting" && isFilled(lane))
  return waiting >= 0 ? waiting : lanes.findIndex(({ lane }) => isFilled(lane))
}

/** From the selected ticket to those it depends on, and from those that depend on it. */
function linksOf(selected: Ticket | undefined, tickets: readonly Ticket[]): readonly CardLink[] {
  if (selected === undefined) return []
  const { id, dependencies, openDependencies } = selected
  const before = dependencies.map((on) => ({
    from: id,
    to: on,
    isOpen: openDependencies.includes(on),
  }))
  const after = tickets
    .filter((it) => it.dependencies.includes(id))
    .map((it) => ({ from: it.id, to: id, isOpen: it.openDependencies.includes(id) }))
  return [...before, ...after]
}

function NoTickets() {
  return (
    <Empty
      description="The board shows the work of people and agents by lane, with the evidence that closes it. Tickets are files in this repository."
      command={'qm ticket new "Round quotes to cents"'}
    />
  )
}

const MOST_RUNS = 200

/** The window of the newest run of each ticket that an agent worked on. */
function useContexts(): ReadonlyMap<string, BarContent> {
  const { data } = useOperation("agents.list", { limit: MOST_RUNS })
  const contexts = new Map<string, BarContent>()
  for (const { labels, contextUsed, contextWindow } of (data?.runs ?? []).toReversed()) {
    if (contextUsed === null || contextWindow === null) continue
    for (const it of labels)
      contexts.set(it, { tokens: { system: contextUsed }, window: contextWindow })
  }
  return contexts
}

type LaneOfTicketsProps = {
  readonly contexts: ReadonlyMap<string, BarContent>
  readonly lane: LaneName
  readonly count: number
  readonly limit: number
  readonly ready: number
  readonly tickets: readonly Ticket[]
  readonly at: string
  readonly isReadOnly: boolean
  onPick(id: string): void
  onDrop(id: string): void
}

function LaneOfTickets(props: LaneOfTicketsProps) {
  const { lane, count, limit, ready, tickets, at, contexts, isReadOnly, onPick, onDrop } = props
  const [most, setMost] = useState(FIRST_CARDS)
  const limitText = limit > 0 ? `limit ${limit}` : ""
  const note = lane === "backlog" ? `${ready} ready` : limitText
  const rest = tickets.length - most
  return (
    <Lane
      name={LANE_NAMES[lane]}
      status={LANE_MARKS[lane]}
      count={count}
      note={note}
      onDrop={isReadOnly ? undefined : onDrop}
    >
      {tickets.slice(0, most).map((it) => {
        const { text, tone } = factOf(it)
        const context = contexts.get(it.id)
        return (
          <Card
            key={it.id}
            id={it.id}
            title={visibleLine(it.title)}
            level={levelOf(it)}
            levelName={`Priority ${it.priority}`}
            fact={text}
            tone={tone}
            bar={context === undefined ? null : <RowBudgetBar {...context} />}
            isCurrent={it.id === at}
            isDraggable={!isReadOnly}
            onPress={() => onPick(it.id)}
          />
        )
      })}
      {rest > 0 ? (
        <Button small onPress={() => setMost(most + 200)}>{`Show ${rest} more`}</Button>
      ) : null}
    </Lane>
  )
}

type BoardKeys = {
  readonly tickets: readonly Ticket[]
  readonly selected: Ticket | undefined
  onParams: PageProps<BoardParams>["onParams"]
  moveTo(ticket: Ticket | undefined, lane: LaneName | undefined): void
}

/** Everything that dragging does, by keys. */
function useBoardKeys({ tickets, selected, onParams, moveTo }: BoardKeys): void {
  const lane = tickets.filter((it) => it.lane === (selected?.lane ?? "backlog"))
  const index = lane.findIndex((it) => it.id === selected?.id)
  const go = (ticket: Ticket | undefined) => {
    if (ticket !== undefined) onParams({ at: ticket.id }, "replace")
  }
  const beside = (step: 1 | -1) => {
    for (
      let name = laneBeside(selected?.lane ?? "backlog", step);
      name !== undefined;
      name = laneBeside(name, step)
    ) {
      const others = tickets.filter((it) => it.lane === name)
      if (others.length > 0) return go(others[Math.min(Math.max(0, index), others.length - 1)])
    }
    return undefined
  }
  useKey("list.next", () => go(lane[index + 1]))
  useKey("list.previous", () => go(lane[Math.max(0, index - 1)]))
  useKey("list.first", () => go(lane[0]))
  useKey("list.last", () => go(lane.at(-1)))
  useKey("board.left", () => beside(-1))
  useKey("board.right", () => beside(1))
  const forward = selected === undefined ? undefined : laneBeside(selected.lane, 1)
  const backward = selected === undefined ? undefined : laneBeside(selected.lane, -1)
  useKey("board.forward", () => moveTo(selected, forward))
  useKey("board.backward", () => moveTo(selected, backward))
  useKey("board.peek", () => onParams({ show: selected?.id ?? "" }))
  useKey("board.open", () => {
    if (selected !== undefined) navigate(paths.ticket(selected.id))
  })
}

function Peek({ now, params, onParams, isReadOnly }: SideProps) {
  const detail = useTicket(params.show)
  const actions = useTicketActions()
  return (
    <Pane label="The ticket">
      <DetailHead
        back="Back to the board"
        actions={
          <LinkButton small href={paths.ticket(params.show)}>
            Open
          </LinkButton>
        }
        onClose={() => onParams({ show: "" })}
      >
        <Text mono tone="2">
          {visibleLine(params.show)}
        </Text>
      </DetailHead>
      <Loaded query={detail} rows={8} missing={NO_TICKET}>
        {(data) => {
          const props = { now, detail: data, isReadOnly, actions }
          return (
            <>
              <PaneScroll>
                <TicketText detail={data} />
                <TicketFacts now={now} detail={data} />
                <Acceptance {...props} />
                <Evidence now={now} detail={data} />
                <Events {...props} />
              </PaneScroll>
              <ReviewButtons {...props} />
            </>
          )
        }}
      </Loaded>
    </Pane>
  )
}

function LogPane(props: SideProps) {
  const { onParams } = props
  const log = useLog(true)
  return (
    <Pane label="Event log">
      <DetailHead back="Back to the board" onClose={() => onParams({ log: false })}>
        <Text strong>Event log</Text>
      </DetailHead>
      <Loaded query={log} rows={12}>
        {(data) => <LogEvents {...props} log={data} />}
      </Loaded>
    </Pane>
  )
}

function LogEvents({ now, isReadOnly, log }: SideProps & { readonly log: BoardEvents }) {
  const { events, total } = log
  const { undo } = useTicketActions()
  const undoable = lastMoves(events)
  return (
    <PaneScroll>
      <Block title="Moves and evidence" aside={`${total}`}>
        <Stack gap="8">
          {events.length === 0 ? <Text tone="2">No ticket was moved yet.</Text> : null}
          {events.map((it) => (
            <Flow key={it.id} align="apart">
              <Stack>
                <PlaceLink href={paths.ticket(it.ticket)}>{it.ticket}</PlaceLink>
                <EventLine now={now} event={it} />
              </Stack>
              {undoable.has(it.id) ? (
                <Button small variant="ghost" disabled={isReadOnly} onPress={() => undo(it.ticket)}>
                  Undo
                </Button>
              ) : null}
            </Flow>
          ))}
        </Stack>
      </Block>
    </PaneScroll>
  )
}
