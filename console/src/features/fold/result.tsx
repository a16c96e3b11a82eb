import { Fragment } from "react"
import { formatMoment, formatWhen, visible, visibleLine } from "../../base/format.ts"
import { hostTitle } from "../../base/hosts.ts"
import { type Branch, formatExact, plural } from "../../contract.ts"
import { paths } from "../../data/paths.ts"
import { Bullets } from "../../ui/bullets/bullets.tsx"
import { Markdown } from "../../ui/markdown/markdown.tsx"
import { Notice } from "../../ui/notice/notice.tsx"
import { Block, Flow, PaneScroll, Stack, Value, Values } from "../../ui/pane/pane.tsx"
import { Path } from "../../ui/path/path.tsx"
import { Tag } from "../../ui/tag/tag.tsx"
import { PlaceLink, Text } from "../../ui/text/text.tsx"
import { useTitles } from "./use-fold.ts"
import {
  describeCharges,
  describeDepth,
  describeForcedEnd,
  describeScope,
  describeSecrets,
  filesOf,
  isLive,
  MODES_IN_WORDS,
} from "./words.ts"

type ResultProps = { readonly now: number; readonly branch: Branch }

export function Result({ now, branch }: ResultProps) {
  return (
    <PaneScroll>
      {branch.error === null ? null : (
        <Notice tone="warn" description={describeForcedEnd(branch.error)} />
      )}
      <Returned branch={branch} />
      <Sentences title="Evidence" lines={branch.evidence} />
      <Files branch={branch} />
      <Sentences title="Open questions" lines={branch.openQuestions} />
      <About now={now} branch={branch} />
    </PaneScroll>
  )
}

function Returned({ branch }: { readonly branch: Branch }) {
  const { result, progress, isPartial, resultTokens } = branch
  if (result !== null) {
    return (
      <Block
        title={isPartial ? "Result when it was ended" : "Returned to the parent"}
        aside={
          <Flow>
            {isPartial ? <Tag tone="warn">partial</Tag> : null}
            {plural(resultTokens, "token")}
          </Flow>
        }
      >
        <Markdown text={result} />
      </Block>
    )
  }
  return (
    <Block title={isLive(branch) ? "So far" : "Returned to the parent"}>
      <Text as="p" tone="2" wrap>
        {progress === null ? describeNoResult(branch) : visible(progress)}
      </Text>
    </Block>
  )
}

function describeNoResult(branch: Branch): string {
  return isLive(branch) ? "No progress note yet." : "No result was returned."
}

function Sentences({
  title,
  lines,
}: {
  readonly title: string
  readonly lines: readonly string[]
}) {
  if (lines.length === 0) return null
  return (
    <Block title={title} aside={formatExact(lines.length)}>
      <Bullets lines={lines.map(visible)} />
    </Block>
  )
}

const MOST_FILES = 100

function Files({ branch }: { readonly branch: Branch }) {
  const files = filesOf(branch)
  if (files.length === 0) return null
  return (
    <Block title="Files" aside={describeScope(branch)}>
      <Stack gap="8">
        {files.slice(0, MOST_FILES).map(({ path, description, isOutside }) => (
          <Flow key={path} align="apart">
            <Path path={path} />
            {isOutside ? (
              <Text size="sm" tone="warn">
                out of scope, {description}
              </Text>
            ) : (
              <Text size="sm" tone="3">
                {description}
              </Text>
            )}
          </Flow>
        ))}
      </Stack>
      {files.length > MOST_FILES ? (
        <Text as="p" size="sm" tone="3">
          {formatExact(files.length - MOST_FILES)} more are not listed.
        </Text>
      ) : null}
    </Block>
  )
}

function About({ now, branch }: ResultProps) {
  const { injectedMemoryIds, client, sessionId, createdAt, distillation } = branch
  return (
    <Block title="Details">
      <Values>
        <Value name="Method" wrap>
          {MODES_IN_WORDS[branch.mode]}
        </Value>
        <Value name="Memories" wrap>
          <Memories ids={injectedMemoryIds} />
        </Value>
        <Value name="Depth">{describeDepth(branch)}</Value>
        <Value name="Secrets">{describeSecrets(branch)}</Value>
        {distillation === null ? null : (
          <Value name="To remember">
            {distillation === "asked" ? "requested, no response yet" : "answered"}
          </Value>
        )}
        {client === null ? null : <Value name="Client">{hostTitle(client)}</Value>}
        <Value name="Session" title={visibleLine(sessionId)}>
          <Text mono>{visibleLine(sessionId)}</Text>
        </Value>
        <Value name="Handle" title={visibleLine(branch.id)}>
          <Text mono>{visibleLine(branch.id)}</Text>
        </Value>
        <Value name="Opened" title={formatMoment(createdAt)}>
          {formatWhen(createdAt, now)}
        </Value>
        <Value name="Counted" wrap>
          {describeCharges(branch)}
        </Value>
      </Values>
    </Block>
  )
}

function Memories({ ids }: { readonly ids: readonly string[] }) {
  const titles = useTitles(ids)
  if (ids.length === 0) return "none received"
  return ids.map((id, i) => (
    <Fragment key={id}>
      {i === 0 ? "" : ", "}
      <PlaceLink href={paths.memory({ at: id, show: id })}>
        {visibleLine(titles[i] ?? id)}
      </PlaceLink>
    </Fragment>
  ))
}
