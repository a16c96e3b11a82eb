import { useState } from "react"
import { formatAge, formatMoment, formatScore, formatWhen, visibleLine } from "../../base/format.ts"
import { formatExact, type Memory } from "../../contract.ts"
import { paths } from "../../data/paths.ts"
import { Button } from "../../ui/button/button.tsx"
import { Loaded } from "../../ui/collection/collection.tsx"
import { CopyIcon } from "../../ui/copy/copy.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { Markdown } from "../../ui/markdown/markdown.tsx"
import { Notice } from "../../ui/notice/notice.tsx"
import {
  Block,
  DetailHead,
  Flow,
  Pane,
  PaneScroll,
  Stack,
  Value,
  Values,
} from "../../ui/pane/pane.tsx"
import { Path } from "../../ui/path/path.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { PlaceLink, Text } from "../../ui/text/text.tsx"
import { useLater } from "../../ui/use-later.ts"
import { type Actions, useActions, useMemory } from "./use-memory.ts"
import {
  CITE_STATES,
  describeConfidence,
  describeForget,
  describeFullSource,
  describeSignals,
  describeState,
  describeUses,
  isQuarantined,
  markOf,
  placeOf,
} from "./words.ts"

const MISSING = {
  code: "MEMORY_NOT_FOUND",
  text: "No memory has this id.",
  all: "All memories",
  href: paths.memory(),
} as const

type DetailProps = {
  readonly now: number
  readonly id: string
  readonly isReadOnly: boolean
  onClose(): void
}

export function Detail({ now, id, isReadOnly, onClose }: DetailProps) {
  const memory = useMemory(id)
  const actions = useActions()
  const title = visibleLine(memory.data?.title ?? id)
  useKey("panel.right", onClose)
  return (
    <Pane label="The memory">
      <DetailHead
        back="Back to the list"
        actions={<CopyIcon text={memory.data?.body ?? id} label="Copy text" keyId="memory.copy" />}
        onClose={onClose}
      >
        <Text as="h2" strong cut title={title}>
          {title}
        </Text>
      </DetailHead>
      <Loaded query={memory} rows={8} missing={MISSING}>
        {(data) => (
          <>
            <PaneScroll>
              <Warnings memory={data} />
              <Body memory={data} />
              <Cites memory={data} />
              <AboutMemory now={now} memory={data} />
            </PaneScroll>
            <RatingButtons
              memory={data}
              actions={actions}
              isReadOnly={isReadOnly}
              onForgotten={onClose}
            />
          </>
        )}
      </Loaded>
    </Pane>
  )
}

const WARNINGS = {
  quarantined:
    "Quarantined: based on text from outside. Search finds it, but no agent receives it until you confirm it.",
  stale:
    "Stale: the cited code has changed since it was written. If it is still true, confirm it for the current code.",
} as const

function Warnings({ memory }: { readonly memory: Memory }) {
  const isHeld = isQuarantined(memory)
  if (!isHeld && memory.state !== "stale") return null
  return <Notice tone="warn" description={WARNINGS[isHeld ? "quarantined" : "stale"]} />
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
    <Block title="Cited code" aside={formatExact(cites.length)}>
      <Stack gap="8">
        {cites.map((cite) => {
          const { description, tone } = CITE_STATES[cite.state]
          return (
            <Flow key={placeOf(cite)} align="apart">
              <CiteLink cite={cite} />
              <Text size="sm" tone={tone}>
                {description}
              </Text>
            </Flow>
          )
        })}
      </Stack>
    </Block>
  )
}

function CiteLink({ cite }: { readonly cite: Memory["cites"][number] }) {
  const location = placeOf(cite)
  if (cite.state === "gone") return <Path path={location} />
  return <PlaceLink href={paths.map({ show: location })}>{visibleLine(location)}</PlaceLink>
}

type AboutProps = { readonly now: number; readonly memory: Memory }

function AboutMemory({ now, memory }: AboutProps) {
  const { kind, confidence, id } = memory
  return (
    <Block title="Details">
      <Values>
        <StateValue memory={memory} />
        <Value name="Confidence">
          {formatScore(confidence)}, {describeConfidence(confidence)}, computed from signals and
          uses
        </Value>
        <Value name="Signals" wrap>
          {describeSignals(memory)}
        </Value>
        <Value name="Uses">{describeUses(memory)}</Value>
        <Value name="Kind">{kind}</Value>
        <Value name="Source" wrap>
          {describeFullSource(memory)}
        </Value>
        {memory.source.isUntrusted ? (
          <Value name="Based on" wrap>
            text from outside
          </Value>
        ) : null}
        <OriginValues now={now} memory={memory} />
        <Value name="Id">
          <Text mono>{visibleLine(id)}</Text>
        </Value>
      </Values>
    </Block>
  )
}

function StateValue({ memory }: { readonly memory: Memory }) {
  return (
    <Value name="State">
      <Flow>
        <StatusMark status={markOf(memory)} />
        {describeState(memory)}
      </Flow>
    </Value>
  )
}

function OriginValues({ now, memory }: AboutProps) {
  const { createdAt, supersededBy, file } = memory
  return (
    <>
      <Value name="Age" title={formatMoment(createdAt)}>
        {formatAge(createdAt, now)}, {formatWhen(createdAt, now)}
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
    </>
  )
}

const loadForget = async () => (await import("../../ui/dialog/confirm-dialog.tsx")).ConfirmDialog

type JudgeProps = {
  readonly memory: Memory
  readonly actions: Actions
  readonly isReadOnly: boolean
  onForgotten(): void
}

function RatingButtons({ memory, actions, isReadOnly, onForgotten }: JudgeProps) {
  const [isAsking, setIsAsking] = useState(false)
  const { part: ConfirmDialog, want } = useLater(loadForget)
  const isOff = isReadOnly || actions.isBusy
  return (
    <Block>
      <Flow wrap>
        <ConfirmButton memory={memory} isOff={isOff} onPress={() => actions.confirm(memory)} />
        {VERDICTS.map(({ verdict, label }) => (
          <Button
            key={verdict}
            small
            keyId={`memory.${verdict}`}
            disabled={isOff}
            onPress={() => actions.judge({ memory, verdict })}
          >
            {label}
          </Button>
        ))}
        <Button
          small
          variant="danger"
          keyId="memory.forget"
          disabled={isOff}
          onPress={() => want(() => setIsAsking(true))}
        >
          Forget
        </Button>
        {isReadOnly ? <Text tone="2">This page is read only.</Text> : null}
      </Flow>
      {isAsking && ConfirmDialog !== undefined ? (
        <ConfirmDialog
          title="Forget this memory?"
          description={describeForget(memory)}
          verb="Forget"
          onClose={() => setIsAsking(false)}
          onDo={() => {
            actions.forget({ id: memory.id })
            onForgotten()
          }}
        />
      ) : null}
    </Block>
  )
}

const VERDICTS = [
  { verdict: "helpful", label: "Helpful" },
  { verdict: "unhelpful", label: "Unhelpful" },
] as const

type ConfirmButtonProps = { readonly memory: Memory; readonly isOff: boolean; onPress(): void }

function ConfirmButton({ memory: { state }, isOff, onPress }: ConfirmButtonProps) {
  const isOpen = state === "proposed" || state === "stale"
  return (
    <Button
      small
      {...(isOpen ? { variant: "primary" } : {})}
      keyId="memory.confirm"
      disabled={isOff || !isOpen}
      onPress={onPress}
    >
      {state === "confirmed" ? "Confirmed" : "Confirm"}
    </Button>
  )
}
