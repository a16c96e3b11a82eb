import { useMemo } from "react"
import { paths } from "../../../data/paths.ts"
import { useOperation } from "../../../data/queries.tsx"
import { labelsOf } from "../../../ui/markdown/document-labels.ts"
import { LabelsContext } from "../../../ui/markdown/labels.ts"
import { Markdown } from "../../../ui/markdown/markdown.tsx"

type DocumentViewProps = { readonly pipeline: string; readonly text: string }

/** The document of a pipeline; a label in it opens its paragraph. */
export function DocumentView({ pipeline, text }: DocumentViewProps) {
  const { data } = useOperation("pipeline.document", { id: pipeline })
  const labels = useMemo(
    () => labelsOf(data?.references ?? [], (it) => paths.knowledge({ at: it, show: it })),
    [data],
  )
  return (
    <LabelsContext value={labels}>
      <Markdown text={text} />
    </LabelsContext>
  )
}
