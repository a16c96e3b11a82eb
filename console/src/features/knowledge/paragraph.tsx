import { truncate } from "#ground/base/truncate"
import { visibleLine } from "../../base/format.ts"
import { formatExact, type KbParagraph, type KbParagraphShown } from "../../contract.ts"
import { paths } from "../../data/paths.ts"
import { LinkButton } from "../../ui/button/button.tsx"
import { CopyIcon } from "../../ui/copy/copy.tsx"
import { LoadFailure } from "../../ui/failure/failure.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { RowSkeleton } from "../../ui/list/list.tsx"
import { Markdown } from "../../ui/markdown/markdown.tsx"
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
import { FileLink, PlaceLink, Text } from "../../ui/text/text.tsx"
import { useParagraph } from "./use-knowledge.ts"
import { formatHeadings, TIERS } from "./words.ts"

const MISSING = {
  code: "KNOWLEDGE_PARAGRAPH_NOT_FOUND",
  text: "No paragraph has this id. Its document may have changed.",
  all: "All documents",
  href: paths.knowledge(),
} as const

type ParagraphProps = { readonly id: string; onClose(): void }

export function Paragraph({ id, onClose }: ParagraphProps) {
  const { data, error, isPending, refetch } = useParagraph(id)
  useKey("panel.right", onClose)
  const citation = visibleLine(data?.paragraph.citation ?? id)
  return (
    <Pane label="The paragraph">
      <DetailHead
        back="Back to the list"
        actions={
          <CopyIcon
            text={data?.paragraph.citation ?? id}
            label="Copy citation"
            keyId="knowledge.copy"
          />
        }
        onClose={onClose}
      >
        <Text as="h2" strong cut title={citation}>
          {citation}
        </Text>
      </DetailHead>
      <LoadFailure error={error} missing={MISSING} onRetry={() => void refetch()} />
      {isPending ? <RowSkeleton rows={6} /> : null}
      {data === undefined ? null : <Shown shown={data} />}
    </Pane>
  )
}

function Shown({ shown }: { readonly shown: KbParagraphShown }) {
  const { paragraph, before, after, refersTo, referredFrom } = shown
  return (
    <PaneScroll>
      <Block>
        <Stack gap="8">
          <Text as="div" size="sm" tone="3" wrap>
            {formatHeadings(paragraph.headings)}
          </Text>
          <Markdown text={paragraph.text} />
          <Flow wrap>
            {before === null ? null : <Step to={before} label="Previous" />}
            {after === null ? null : <Step to={after} label="Next" />}
          </Flow>
        </Stack>
      </Block>
      <References title="Refers to" all={refersTo} />
      <References title="Referenced by" all={referredFrom} />
      <About paragraph={paragraph} />
    </PaneScroll>
  )
}

const placeOf = ({ id }: KbParagraph): string => paths.knowledge({ at: id, show: id })

function Step({ to, label }: { readonly to: KbParagraph; readonly label: string }) {
  return (
    <LinkButton variant="ghost" small href={placeOf(to)}>
      {label}: {visibleLine(to.number ?? to.citation)}
    </LinkButton>
  )
}

type ReferencesProps = { readonly title: string; readonly all: KbParagraphShown["refersTo"] }

function References({ title, all }: ReferencesProps) {
  if (all.length === 0) return null
  return (
    <Block title={title} aside={formatExact(all.length)}>
      <Stack gap="8">
        {all.map(({ paragraph, text }, i) => (
          // One paragraph may be referenced twice with different texts.
          <div key={`${i} ${paragraph.id}`}>
            <Flow align="apart">
              <PlaceLink href={placeOf(paragraph)}>{visibleLine(paragraph.citation)}</PlaceLink>
              <Text size="sm" tone="3" cut>
                {visibleLine(text)}
              </Text>
            </Flow>
            <Text as="div" size="sm" tone="2" wrap>
              {truncate(visibleLine(paragraph.text), MOST_CHARACTERS)}
            </Text>
          </div>
        ))}
      </Stack>
    </Block>
  )
}

const MOST_CHARACTERS = 200

function About({ paragraph }: { readonly paragraph: KbParagraph }) {
  const { title, path, line, page, tier, document, id } = paragraph
  return (
    <Block title="Location">
      <Values>
        <Value name="Document" wrap>
          <PlaceLink href={paths.knowledge({ at: document, document })}>
            {visibleLine(title)}
          </PlaceLink>
        </Value>
        <Value name="File" wrap>
          <Text mono>{page === null ? `${visibleLine(path)}:${line}` : visibleLine(path)}</Text>
        </Value>
        <Value name="Original" wrap>
          <FileLink href={paths.original(document, page)}>
            {page === null ? "Open the file" : `Open page ${formatExact(page)}`}
          </FileLink>
        </Value>
        <Value name="Tier" wrap>
          {TIERS[tier].label}, {TIERS[tier].description}
        </Value>
        <Value name="Id" wrap>
          <Text mono>{visibleLine(id)}</Text>
        </Value>
      </Values>
    </Block>
  )
}
