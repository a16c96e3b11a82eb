import { formatAge, formatMoment, formatWhenFine, visibleLine } from "../../base/format.ts"
import { hostTitle } from "../../base/hosts.ts"
import { formatDuration, formatExact, type VerdictLine } from "../../contract.ts"
import { type GuardParams, paths } from "../../data/paths.ts"
import { useSessionNames } from "../../data/session-names.ts"
import { Button } from "../../ui/button/button.tsx"
import { CopyIcon } from "../../ui/copy/copy.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { RowNote } from "../../ui/list/list.tsx"
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
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { PlaceLink, Text } from "../../ui/text/text.tsx"
import { Ways } from "./ways.tsx"
import { describeEvent, describeVerdict, RULES_IN_WORDS, VERDICT_LOOKS } from "./words.ts"

type DetailProps = {
  readonly now: number
  readonly line: VerdictLine | undefined
  readonly isReadOnly: boolean
  onParams(change: Partial<GuardParams>, how?: "push" | "replace"): void
}

export function Detail({ now, line, isReadOnly, onParams }: DetailProps) {
  const close = () => onParams({ show: "" })
  useKey("panel.right", close)
  return (
    <Pane label="The verdict">
      <DetailHead
        back="Back to the log"
        actions={
          line === undefined ? null : (
            <CopyIcon text={line.text} label="Copy the message" keyId="guard.copy" />
          )
        }
        onClose={close}
      >
        {line === undefined ? <Text strong>Verdict</Text> : <Title line={line} />}
      </DetailHead>
      {line === undefined ? (
        <RowNote>
          This verdict is no longer listed: it is outside the time range or the filter.
        </RowNote>
      ) : (
        <PaneScroll>
          <VerdictText line={line} />
          {line.verdict === "deny" ? <Ways line={line} isReadOnly={isReadOnly} /> : null}
          <Paths line={line} />
          <RuleBlock line={line} onParams={onParams} />
          <About now={now} line={line} onParams={onParams} />
        </PaneScroll>
      )}
    </Pane>
  )
}

function Title({ line }: { readonly line: VerdictLine }) {
  const { mark, tone } = VERDICT_LOOKS[line.verdict]
  return (
    <Flow>
      <StatusMark status={mark} />
      <Text as="h2" strong cut tone={tone}>
        {describeVerdict(line)}
      </Text>
    </Flow>
  )
}

function VerdictText({ line: { text, verdict } }: { readonly line: VerdictLine }) {
  const { means } = VERDICT_LOOKS[verdict]
  if (text === "") {
    return (
      <Block>
        <Text as="p" tone="2" read>
          {sentence(means)}
        </Text>
      </Block>
    )
  }
  const lines = text
    .split("\n")
    .map((it, i) => ({ key: `${i} ${it}`, description: visibleLine(it) }))
  return (
    <Block title="Message" aside={means}>
      <Stack>
        {lines.map(({ key, description }) => (
          <Text key={key} as="p" wrap>
            {description}
          </Text>
        ))}
      </Stack>
    </Block>
  )
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
}

function Paths({ line }: { readonly line: VerdictLine }) {
  if (line.paths.length === 0) return null
  return (
    <Block title="Details" aside={formatExact(line.paths.length)}>
      <Stack gap="8">
        {line.paths.map((it) => (
          <PlaceLink key={it} href={paths.map({ show: it })}>
            {visibleLine(it)}
          </PlaceLink>
        ))}
      </Stack>
    </Block>
  )
}

type RuleBlockProps = {
  readonly line: VerdictLine
  onParams(change: Partial<GuardParams>): void
}

function RuleBlock({ line: { rule }, onParams }: RuleBlockProps) {
  if (rule === null) return null
  const { level, handlers } = RULES_IN_WORDS[rule]
  return (
    <Block title={`Rule ${rule}`} aside={`from level ${level}`}>
      <Stack gap="8">
        <Text as="p" tone="2" read>
          {handlers}
        </Text>
        <div>
          <Button small onPress={() => onParams({ rule, at: "" })}>
            Only this rule
          </Button>
        </div>
      </Stack>
    </Block>
  )
}

type AboutProps = RuleBlockProps & { readonly now: number }

function About({ now, line, onParams }: AboutProps) {
  const { at, host, event, session, tool, ms } = line
  const nameOf = useSessionNames()
  return (
    <Block title="When and where">
      <Stack gap="8">
        <Values>
          <Value name="At" title={formatMoment(at)}>
            {formatWhenFine(at, now)}
          </Value>
          <Value name="Age">{formatAge(at, now)}</Value>
          <Value name="Event">{describeEvent(event)}</Value>
          <Value name="Host">{hostTitle(host)}</Value>
          <Value name="Session" title={visibleLine(session)}>
            <PlaceLink href={paths.sessions({ at: session, show: session })}>
              {nameOf(session)}
            </PlaceLink>
          </Value>
          {tool === null ? null : <Value name="Tool">{visibleLine(tool)}</Value>}
          <Value name="Took">{formatDuration(ms)}</Value>
        </Values>
        <div>
          <Button small onPress={() => onParams({ session, at: "" })}>
            Only this session
          </Button>
        </div>
      </Stack>
    </Block>
  )
}
