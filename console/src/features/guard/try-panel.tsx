import { useState } from "react"
import { truncate } from "#ground/base/truncate"
import { toWireError } from "../../base/errors.ts"
import { formatWhen, visibleLine } from "../../base/format.ts"
import { type ConfigSetting, formatExact, type GuardTry, plural } from "../../contract.ts"
import type { PageProps } from "../../data/params.ts"
import { GUARD_HOURS, type GuardParams, paths } from "../../data/paths.ts"
import { useSessionNames } from "../../data/session-names.ts"
import { Button } from "../../ui/button/button.tsx"
import { CopyButton } from "../../ui/copy/copy.tsx"
import { AreaEntry, EntryForm } from "../../ui/entry/entry.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { ChoiceField } from "../../ui/field/field.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { RowSkeleton } from "../../ui/list/list.tsx"
import { Notice } from "../../ui/notice/notice.tsx"
import { Block, DetailHead, Flow, Pane, PaneScroll, Stack } from "../../ui/pane/pane.tsx"
import { Path } from "../../ui/path/path.tsx"
import { PlaceLink, Prose, Text } from "../../ui/text/text.tsx"
import { useActivateRule, useRiskSettings, useTried } from "./use-guard.ts"
import { formatHours, RULES_IN_WORDS, VERDICT_LOOKS } from "./words.ts"

type TryPanelProps = PageProps<GuardParams> & {
  readonly isReadOnly: boolean
}

export function TryPanel({ now, params, isReadOnly, onParams }: TryPanelProps) {
  const { paths: set, level } = useRiskSettings()
  const [draft, setDraft] = useState<string | null>(null)
  const configured = params.patterns === "" ? valueOf(set) : params.patterns
  const text = draft ?? configured
  const close = () => onParams({ trying: false }, "replace")
  useKey("panel.right", close)
  return (
    <Pane ground="canvas" label="Test a rule">
      <DetailHead back="Back to the log" onClose={close}>
        <Text as="h2" strong>
          Test a rule on past events
        </Text>
      </DetailHead>
      <PaneScroll>
        <LevelNotice level={level} />
        <EntryForm>
          <AreaEntry
            label="High-risk paths"
            mono
            rows={3}
            value={text}
            placeholder="src/tariff/**, migrations/**, !**/*.test.ts"
            description="Glob patterns, separated by commas. The last match decides; a leading ! excludes."
            onChange={(value) => {
              setDraft(value)
              onParams({ patterns: value }, "replace")
            }}
          />
          <ChoiceField
            label="Time range"
            choices={HOURS}
            value={String(params.hours)}
            onPick={(value) => {
              const hours = GUARD_HOURS.find((it) => String(it) === value)
              if (hours !== undefined) onParams({ hours }, "replace")
            }}
          />
        </EntryForm>
        <Tried now={now} text={text} hours={params.hours} />
        <ActivateRule text={text} isReadOnly={isReadOnly} />
      </PaneScroll>
    </Pane>
  )
}

function valueOf(set: ConfigSetting | undefined): string {
  return typeof set?.value === "string" ? set.value : ""
}

const HOURS = GUARD_HOURS.map((it) => ({ value: String(it), label: formatHours(it) }))

const NEEDED_LEVEL = RULES_IN_WORDS.risk.level

function LevelNotice({ level }: { readonly level: number | undefined }) {
  if (level === undefined || level >= NEEDED_LEVEL) return null
  const command = `qm level ${NEEDED_LEVEL}`
  const description = `The rule risk is active from level ${NEEDED_LEVEL}; this repository is at level ${level}. You can test at every level; \`${command}\` activates the rule.`
  return (
    <Notice description={<Prose>{description}</Prose>}>
      <CopyButton text={command} />
    </Notice>
  )
}

type TriedProps = {
  readonly now: number
  readonly text: string
  readonly hours: GuardParams["hours"]
}

function Tried({ now, text, hours }: TriedProps) {
  const { data, error, refetch } = useTried(text, hours)
  if (text.trim() === "") return null
  if (error !== null) {
    return <Failure size="pane" error={toWireError(error)} onRetry={() => void refetch()} />
  }
  if (data === undefined) return <RowSkeleton rows={5} />
  return (
    <>
      <Patterns tried={data} />
      <Hits now={now} tried={data} hours={hours} />
    </>
  )
}

function Patterns({ tried: { patterns } }: { readonly tried: GuardTry }) {
  return (
    <Block title="Patterns">
      <Stack gap="8">
        {patterns.map(({ pattern, edits, files, problem }, i) => (
          <Flow key={`${i} ${pattern}`} align="apart">
            <Text mono wrap>
              {visibleLine(pattern)}
            </Text>
            <Text size="sm" tone={problem !== null || files === 0 ? "warn" : "2"}>
              {problem === null
                ? `${plural(edits, "edit")}, ${plural(files, "file")}`
                : visibleLine(problem)}
            </Text>
          </Flow>
        ))}
      </Stack>
    </Block>
  )
}

type HitsProps = Pick<TriedProps, "now" | "hours"> & { readonly tried: GuardTry }

function Hits({ now, tried: { hits, looked, isCut }, hours }: HitsProps) {
  const most = isCut ? "at least " : ""
  const nameOf = useSessionNames()
  return (
    <Block
      title="Edits that it would have denied"
      aside={`${most}${formatExact(hits.length)} of ${formatExact(looked)} in ${formatHours(hours)}`}
    >
      {hits.length === 0 ? (
        <Text as="p" tone="2" read>
          {looked === 0
            ? "No edits in this time, so there is nothing to test on."
            : "None. Edits covered by a simulation or an override are allowed."}
        </Text>
      ) : (
        <Stack gap="8">
          {hits.map((it, i) => (
            <Flow key={`${i} ${it.at} ${it.path}`} align="apart">
              <Path path={it.path} />
              <Flow>
                <Text size="sm" tone={VERDICT_LOOKS[it.was].tone}>
                  {VERDICT_LOOKS[it.was].label}
                </Text>
                <Text size="sm" tone="3" title={visibleLine(it.session)} cut>
                  {truncate(nameOf(it.session), MOST_OF_A_NAME)}, {formatWhen(it.at, now)}
                </Text>
              </Flow>
            </Flow>
          ))}
        </Stack>
      )}
    </Block>
  )
}

const MOST_OF_A_NAME = 24

type MakeLiveProps = { readonly text: string; readonly isReadOnly: boolean }

function ActivateRule({ text, isReadOnly }: MakeLiveProps) {
  const { paths: set, level = NEEDED_LEVEL } = useRiskSettings()
  const isOff = level < NEEDED_LEVEL
  const { makeLive, isBusy } = useActivateRule()
  const value = text.trim()
  const isSet = set !== undefined && valueOf(set) === value
  const settings = paths.settings({ layer: "project", at: "guard.highRiskPaths" })
  return (
    <Block>
      <Stack gap="8">
        <Flow wrap>
          <Button
            variant="primary"
            disabled={isReadOnly || isBusy || isSet || set === undefined}
            onPress={() => makeLive({ value, ...(set === undefined ? {} : { before: set }) })}
          >
            {isOff ? "Save" : "Activate"}
          </Button>
          <Text size="sm" tone="2">
            {describeLive({ isSet, isOff, isEmpty: value === "", isReadOnly })}
          </Text>
        </Flow>
        <Text as="p" size="sm" tone="3">
          Saved as guard.highRiskPaths in the project file, for all users of the repository:{" "}
          <PlaceLink href={settings}>Settings</PlaceLink>.
        </Text>
      </Stack>
    </Block>
  )
}

type LiveState = {
  readonly isSet: boolean
  /** The level of the repository is too low for the rule. */
  readonly isOff: boolean
  readonly isEmpty: boolean
  readonly isReadOnly: boolean
}

function describeLive({ isSet, isOff, isEmpty, isReadOnly }: LiveState): string {
  if (isReadOnly) return "This page is read only."
  if (isOff && !isEmpty) {
    return isSet
      ? `Saved; applies from level ${NEEDED_LEVEL}.`
      : `Applies from level ${NEEDED_LEVEL}.`
  }
  if (isSet) return isEmpty ? "No path is high-risk." : "These patterns are active."
  return isEmpty ? "No path will be high-risk." : "Applies from the next edit."
}
