import { type ReactNode, useMemo } from "react"
import { toWireError } from "../../base/errors.ts"
import type { PipelineDocument } from "../../contract.ts"
import { paths } from "../../data/paths.ts"
import { useOperation } from "../../data/queries.tsx"
import { CopyIcon } from "../../ui/copy/copy.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { RowSkeleton } from "../../ui/list/list.tsx"
import { LabelsContext, type TextLabel } from "../../ui/markdown/labels.ts"
import { safeLink } from "../../ui/markdown/links.ts"
import { Markdown } from "../../ui/markdown/markdown.tsx"
import { Flow, Stack } from "../../ui/pane/pane.tsx"
import { StepText } from "../../ui/steps/steps.tsx"
import { Text } from "../../ui/text/text.tsx"

type DocumentProps = {
  readonly id: string
  /** Below it; it comes with the document, so that nothing moves when that is there. */
  readonly children: ReactNode
}

/** What the run wrote, once; its labels lead to the paragraphs they stand for. */
export function Document({ id, children }: DocumentProps) {
  const { data, error, refetch } = useOperation("pipeline.document", { id })
  const labels = useMemo(() => labelsOf(data?.references ?? []), [data])
  if (error !== null) {
    return (
      <>
        <Failure size="pane" error={toWireError(error)} onRetry={() => void refetch()} />
        {children}
      </>
    )
  }
  if (data === undefined) return <RowSkeleton rows={8} />
  return (
    <>
      <StepText label="Document">
        <Stack gap="8">
          <Flow align="apart">
            <Text size="sm" tone={data.isPartial ? "warn" : "3"}>
              {data.isPartial ? "Document, partial" : "Document"}
            </Text>
            <CopyIcon text={data.markdown} label="Copy the document" keyId="pipeline.copy" />
          </Flow>
          <LabelsContext value={labels}>
            <Markdown text={data.markdown} />
          </LabelsContext>
        </Stack>
      </StepText>
      {children}
    </>
  )
}

export function labelsOf(
  references: PipelineDocument["references"],
): ReadonlyMap<string, TextLabel> {
  return new Map(references.flatMap((it) => labelOf(it)))
}

function labelOf(
  reference: PipelineDocument["references"][number],
): readonly (readonly [string, TextLabel])[] {
  const { label, title, citation, paragraph, url, isPrior } = reference
  const name = citation === title ? title : `${citation}, ${title}`
  const tip = isPrior ? `${name}, from an earlier run` : name
  if (paragraph !== null) {
    const href = paths.knowledge({ at: paragraph, show: paragraph })
    return [[label, { href, title: tip, outside: null }]]
  }
  const link = url === null ? undefined : safeLink(url)
  if (link === undefined) return []
  return [[label, { href: link.href, title: `${tip} (${link.place})`, outside: link.place }]]
}
