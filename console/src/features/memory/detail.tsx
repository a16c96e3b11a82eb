import { formatAge, formatMoment, visibleLine } from "../../base/format.ts"
import { formatExact, type Memory } from "../../contract.ts"
import { toWireError } from "../../data/errors.ts"
import { paths } from "../../data/paths.ts"
import { CopyIcon } from "../../ui/copy/copy.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { RowSkeleton } from "../../ui/list/list.tsx"
import { Markdown } from "../../ui/markdown/markdown.tsx"
import { Notice } from "../../ui/notice/notice.tsx"
import { DetailHead } from "../../ui/pane/detail-head.tsx"
import { Block, Flow, Pane, PaneScroll, Stack, Value, Values } from "../../ui/pane/pane.tsx"
import { Path } from "../../ui/path/path.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { PlaceLink, Text } from "../../ui/text/text.tsx"
import { Judge } from "./judge.tsx"
import { useActions, useMemory } from "./use-memory.ts"
import {
  CITE_STATES,
  isQuarantined,
  markOf,
  placeOf,
  saySignals,
  saySourceWhole,
  sayState,
  sayTrust,
  sayUses,
} from "./words.ts"

type DetailProps = {
  readonly now: number
  readonly id: string
  readonly isReadOnly: boolean
  onClose(): void
}

/** One memory: its text, what it rests on, who said it, and what others made of it. */
export function Detail({ now, id, isReadOnly, onClose }: DetailProps) {
  const { data, error, isPending, refetch } = useMemory(id)
  const actions = useActions()
  useKey("panel.right", onClose)
  return (
    <Pane label="The memory">
      <Head memory={data} id={id} onClose={onClose} />
      {error === null ? null : (
        <Failure size="pane" error={toWireError(error)} onRetry={() => void refetch()} />
      )}
      {isPending ? <RowSkeleton rows={8} /> : null}
      {data === undefined ? null : (
        <>
          <PaneScroll>
            <Warnings memory={data} />
            <Body memory={data} />
            <Cites memory={data} />
            <About now={now} memory={data} />
          </PaneScroll>
          <Judge memory={data} actions={actions} isReadOnly={isReadOnly} onForgotten={onClose} />
        </>
      )}
    </Pane>
  )
}

type HeadProps = { readonly memory: Memory | undefined; readonly id: string; onClose(): void }

function Head({ memory, id, onClose }: HeadProps) {
  const title = visibleLine(memory?.title ?? id)
  return (
    <DetailHead
      back="Back to the list"
      actions={<CopyIcon text={memory?.body ?? id} label="Copy its text" keyId="memory.copy" />}
      onClose={onClose}
    >
      <Text as="h2" strong cut title={title}>
        {title}
      </Text>
    </DetailHead>
  )
}

function Warnings({ memory }: { readonly memory: Memory }) {
  if (isQuarantined(memory)) {
    return (
      <Notice
        tone="warn"
        says="Quarantined: it rests on a text that nobody here wrote. It is found by search and handed to no agent until a person confirms it."
      />
    )
  }
  if (memory.state !== "stale") return null
  return (
    <Notice
      tone="warn"
      says="Stale: code it cites has changed since it was written. If it still holds, confirm it for the code of now."
    />
  )
}

function Body({ memory }: { readonly memory: Memory }) {
  const { description, title, body } = memory
  return (
    <Block>
      <Stack gap="8">
        {description === "" || description === title ? null : (
          <Text as="p" strong wrap>
            {visibleLine(description)}
          </Text>
        )}
        <Markdown text={body} />
      </Stack>
    </Block>
  )
}

function Cites({ memory: { cites } }: { readonly memory: Memory }) {
  if (cites.length === 0) return null
  return (
    <Block title="Rests on" aside={formatExact(cites.length)}>
      <Stack gap="8">
        {cites.map((it) => {
          const { says, tone } = CITE_STATES[it.state]
          return (
            <Flow key={placeOf(it)} align="apart">
              <CiteLink cite={it} />
              <Text size="sm" tone={tone}>
                {says}
              </Text>
            </Flow>
          )
        })}
      </Stack>
    </Block>
  )
}

/** What is gone leads nowhere. */
function CiteLink({ cite }: { readonly cite: Memory["cites"][number] }) {
  const place = placeOf(cite)
  if (cite.state === "gone") return <Path path={place} />
  return <PlaceLink href={paths.map({ show: place })}>{visibleLine(place)}</PlaceLink>
}

function About({ now, memory }: { readonly now: number; readonly memory: Memory }) {
  const { kind, confidence, createdAt, supersededBy, file, id } = memory
  return (
    <Block title="About it">
      <Values>
        <Value name="State">
          <Flow>
            <StatusMark status={markOf(memory)} />
            {sayState(memory)}
          </Flow>
        </Value>
        <Value name="Trust">
          {confidence.toFixed(2)}, {sayTrust(confidence)}, computed from signals and uses
        </Value>
        <Value name="Signals" wrap>
          {saySignals(memory)}
        </Value>
        <Value name="Handed in">{sayUses(memory)}</Value>
        <Value name="Kind">{kind}</Value>
        <Value name="Source" wrap>
          {saySourceWhole(memory)}
        </Value>
        {memory.source.isUntrusted ? (
          <Value name="Rests on" wrap>
            a text that nobody here wrote
          </Value>
        ) : null}
        <Value name="Age">
          {formatAge(createdAt, now)}, {formatMoment(createdAt)}
        </Value>
        {supersededBy === null ? null : (
          <Value name="Replaced by">
            <PlaceLink href={paths.memory({ at: supersededBy, show: supersededBy })}>
              {visibleLine(supersededBy)}
            </PlaceLink>
          </Value>
        )}
        <Value name="File" wrap>
          <Text mono>{visibleLine(file)}</Text>
        </Value>
        <Value name="Id">
          <Text mono>{visibleLine(id)}</Text>
        </Value>
      </Values>
    </Block>
  )
}
