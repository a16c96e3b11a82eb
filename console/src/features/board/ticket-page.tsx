import { visibleLine } from "../../base/format.ts"
import { navigate } from "../../data/location.ts"
import type { PageProps } from "../../data/params.ts"
import { paths, type TicketParams } from "../../data/paths.ts"
import { useReadOnly } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import { Loaded } from "../../ui/collection/collection.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { Columns, Pane, PaneScroll } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import {
  Acceptance,
  Events,
  Evidence,
  ReviewButtons,
  TicketDiff,
  TicketFacts,
  TicketText,
  TicketWork,
} from "./detail.tsx"
import { useTicket, useTicketActions } from "./use-board.ts"
import { NO_TICKET } from "./words.ts"

export function TicketPage({ now, id }: PageProps<TicketParams> & { readonly id: string }) {
  const detail = useTicket(id)
  const actions = useTicketActions()
  const isReadOnly = useReadOnly()
  useKey("leave", () => navigate(paths.board({ at: id })))
  return (
    <>
      <Header
        title={visibleLine(detail.data?.ticket.title ?? id)}
        parent={{ label: "Board", href: paths.board({ at: id }) }}
        isDetail
        facts={
          <Text mono tone="3">
            {visibleLine(id)}
          </Text>
        }
      >
        <Button
          icon="play"
          shrinks
          keyId="ticket.run"
          disabled={isReadOnly || detail.data === undefined || actions.isStarting}
          onPress={() => {
            if (detail.data !== undefined) actions.start(detail.data)
          }}
        >
          {actions.isStarting ? "Starting" : "Start run"}
        </Button>
      </Header>
      <Columns
        facts={
          detail.data === undefined ? undefined : (
            <Pane label="Facts of the ticket" ground="canvas">
              <PaneScroll>
                <TicketFacts now={now} detail={detail.data} />
                <TicketWork detail={detail.data} />
                <Events {...{ now, detail: detail.data, isReadOnly, actions }} />
              </PaneScroll>
            </Pane>
          )
        }
        factsWidth="detail"
      >
        <Pane label="The ticket">
          <Loaded query={detail} rows={12} missing={NO_TICKET}>
            {(data) => {
              const props = { now, detail: data, isReadOnly, actions }
              return (
                <>
                  <PaneScroll>
                    <TicketText detail={data} />
                    <Acceptance {...props} />
                    <Evidence now={now} detail={data} />
                    <TicketDiff detail={data} />
                  </PaneScroll>
                  <ReviewButtons {...props} />
                </>
              )
            }}
          </Loaded>
        </Pane>
      </Columns>
    </>
  )
}
