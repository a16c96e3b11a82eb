import { sliceText } from "#ground/base/truncate"
import {
  formatClock,
  formatMoment,
  formatRound,
  formatWhen,
  visible,
  visibleLine,
} from "../../base/format.ts"
import { hostTitle } from "../../base/hosts.ts"
import { formatSpend } from "../../base/spend.ts"
import {
  formatCount,
  formatDuration,
  formatExact,
  type IndexedSession,
  plural,
  type SessionsShow,
} from "../../contract.ts"
import { paths } from "../../data/paths.ts"
import { useOperation } from "../../data/queries.tsx"
import { cutAround, MatchText } from "../../ui/match-text/match-text.tsx"
import { Block, Flow, PaneNote, Stack, Value, Values } from "../../ui/pane/pane.tsx"
import { PlaceLink, Text } from "../../ui/text/text.tsx"
import { Trend } from "../../ui/trend/trend.tsx"

type TranscriptDetailProps = {
  readonly now: number
  readonly id: string
  readonly shown: SessionsShow
  readonly text: string
}

/** Facts, matching lines, context, files and tools of the transcript. */
export function TranscriptDetail({ now, id, shown, text }: TranscriptDetailProps) {
  return (
    <>
      {shown.problems.map((it) => (
        <PaneNote key={it.file}>{`Not fully read: ${visibleLine(it.problem)}`}</PaneNote>
      ))}
      <Facts now={now} session={shown.session} />
      <FirstMessage session={shown.session} />
      {text.trim() === "" ? null : <Matches id={id} text={text.trim()} />}
      <Context session={shown.session} />
      <Files shown={shown} />
      <Tools shown={shown} />
    </>
  )
}

function Facts({ now, session }: { readonly now: number; readonly session: IndexedSession }) {
  const { host, version, models, branch, repository, startedAt, endedAt, spend, id } = session
  const took = startedAt === null || endedAt === null ? null : endedAt - startedAt
  return (
    <Block>
      <Values>
        <Value name="Host">{[hostTitle(host), visibleLine(version ?? "")].join(" ")}</Value>
        <Value name="Models" wrap>
          {models.length === 0 ? "no model call" : models.map(visibleLine).join(", ")}
        </Value>
        {branch === null ? null : <Value name="Branch">{visibleLine(branch)}</Value>}
        {repository === null ? null : (
          <Value name="Repository" title={visibleLine(repository)}>
            {visibleLine(repository.split("/").at(-1) ?? repository)}
          </Value>
        )}
        {startedAt === null ? null : (
          <Value name="Started" title={formatMoment(startedAt)}>
            {formatWhen(startedAt, now)}
          </Value>
        )}
        {took === null ? null : <Value name="Lasted">{formatDuration(took)}</Value>}
        <Value name="Cost" wrap>
          {[formatSpend(spend), plural(spend.calls, "call")].filter((it) => it !== "").join(", ")}
        </Value>
        <Value name="Cached" wrap>
          {`${formatCount(spend.tokens.cacheRead)} read, ${formatCount(spend.tokens.cacheWrite + spend.tokens.cacheWriteHour)} written, ${formatCount(spend.tokens.input)} fresh`}
        </Value>
        <Value name="Id" wrap>
          <Text mono>{visibleLine(id)}</Text>
        </Value>
      </Values>
    </Block>
  )
}

/** The first lines may be of a command or a summary. */
const FIRST_LINES = 5
const MOST_CHARACTERS = 600

/** Left out where the title is the whole message. */
function FirstMessage({ session }: { readonly session: IndexedSession }) {
  const { data } = useOperation("sessions.lines", { session: session.id, limit: FIRST_LINES })
  const line = data?.lines.find((it) => it.role === "user")
  const words = line?.text.trim() ?? ""
  if (line === undefined || words === "" || words === session.title.trim()) return null
  return (
    <Block title="First message" aside={formatClock(line.at)}>
      <Text as="p" wrap>
        {visible(sliceText(words, MOST_CHARACTERS))}
      </Text>
    </Block>
  )
}

const MOST_MATCHES = 20

function Matches({ id, text }: { readonly id: string; readonly text: string }) {
  const input = { query: text, session: id, limit: MOST_MATCHES }
  const { data } = useOperation("sessions.search", input, {
    isEnabled: /[\p{L}\p{N}]/u.test(text),
  })
  if (data === undefined || data.hits.length === 0) return null
  return (
    <Block title="Matching lines" aside={formatExact(data.matches)}>
      <Stack gap="8">
        {data.hits.map(({ line, excerpt }) => (
          <Stack key={line.id}>
            <PlaceLink href={paths.session(id, { tab: "transcript", line: line.id })}>
              {[`turn ${line.turn}`, line.role, visibleLine(line.tool ?? "")]
                .filter((it) => it !== "")
                .join(", ")}
            </PlaceLink>
            <MatchText text={cutAround(visibleLine(excerpt), data.words)} words={data.words} />
          </Stack>
        ))}
      </Stack>
    </Block>
  )
}

function Context({ session }: { readonly session: IndexedSession }) {
  const { context, peakTokens, windowTokens, compactions, turns, subAgents } = session
  if (peakTokens === null) return null
  const window = windowTokens === null ? "" : ` of ${formatRound(windowTokens)}`
  const parts = [
    plural(turns, "turn"),
    compactions === 0 ? "" : plural(compactions, "compaction"),
    subAgents === 0 ? "" : plural(subAgents, "sub-agent"),
  ]
  return (
    <Block title="Context" aside={`peak ${formatCount(peakTokens)}${window}`}>
      <Stack gap="8">
        <Trend
          values={context}
          top={windowTokens ?? peakTokens}
          label={`Window over its calls: at most ${formatCount(peakTokens)} tokens`}
        />
        <Text size="sm" tone="2">
          {parts.filter((it) => it !== "").join(", ")}
        </Text>
      </Stack>
    </Block>
  )
}

const MOST_FILES = 12

function Files({ shown: { session, paths: touched } }: { readonly shown: SessionsShow }) {
  if (touched.length === 0) return null
  return (
    <Block title="Files" aside={formatExact(session.files)}>
      <Stack gap="8">
        {touched.slice(0, MOST_FILES).map(({ path, reads, edits }) => (
          <Flow key={path} align="apart">
            <Text mono cut title={visibleLine(path)}>
              {visibleLine(path)}
            </Text>
            <Text size="sm" tone="3">
              {[edits === 0 ? "" : plural(edits, "edit"), reads === 0 ? "" : plural(reads, "read")]
                .filter((it) => it !== "")
                .join(", ")}
            </Text>
          </Flow>
        ))}
        {touched.length > MOST_FILES ? (
          <PlaceLink href={paths.session(session.id, { tab: "files" })}>
            {`${formatExact(touched.length - MOST_FILES)} more`}
          </PlaceLink>
        ) : null}
      </Stack>
    </Block>
  )
}

const MOST_TOOLS = 6

function Tools({ shown: { tools } }: { readonly shown: SessionsShow }) {
  if (tools.length === 0) return null
  return (
    <Block title="Tool results" aside="tokens, estimated">
      <Stack gap="8">
        {tools.slice(0, MOST_TOOLS).map((it) => (
          <Flow key={it.tool} align="apart">
            <Text mono cut>
              {visibleLine(it.tool)}
            </Text>
            <Text size="sm" tone="3">
              {`${plural(it.results, "result")}, ${formatCount(it.tokens)}`}
            </Text>
          </Flow>
        ))}
      </Stack>
    </Block>
  )
}
