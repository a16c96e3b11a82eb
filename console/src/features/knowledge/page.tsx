import { plural } from "../../contract.ts"
import type { KnowledgeParams } from "../../data/paths.ts"
import { useSession } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { Split } from "../../ui/split/split.tsx"
import { Text } from "../../ui/text/text.tsx"
import { AddForm } from "./add-form.tsx"
import { Document } from "./document.tsx"
import { ListPane } from "./list-pane.tsx"
import { Paragraph } from "./paragraph.tsx"
import { useStatus } from "./use-knowledge.ts"

type KnowledgePageProps = {
  readonly now: number
  readonly params: KnowledgeParams
  onParams(change: Partial<KnowledgeParams>, how?: "push" | "replace"): void
}

/** Documents that people wrote: found by paragraph, with why, and where each leads. */
export function KnowledgePage({ now, params, onParams }: KnowledgePageProps) {
  const { data: session } = useSession()
  const isReadOnly = session?.readOnly === true
  const { data: status } = useStatus()
  useKey("leave", leaves(params, onParams))
  return (
    <>
      <Header
        title="Knowledge"
        facts={
          status === undefined ? null : <Text tone="3">{plural(status.documents, "document")}</Text>
        }
      >
        <Button
          icon="plus"
          keyId="knowledge.add"
          disabled={isReadOnly}
          shrinks
          onPress={() => onParams({ add: !params.add })}
        >
          Add a folder
        </Button>
      </Header>
      <Split
        name="knowledge"
        startPx={DETAIL_PX}
        list={<ListPane isReadOnly={isReadOnly} params={params} onParams={onParams} />}
        detail={besideOf({ now, params, onParams }, isReadOnly)}
      />
    </>
  )
}

function besideOf({ now, params, onParams }: KnowledgePageProps, isReadOnly: boolean) {
  const { add, show, document } = params
  if (add) {
    return <AddForm isReadOnly={isReadOnly} onClose={() => onParams({ add: false }, "replace")} />
  }
  if (show !== "") {
    return <Paragraph key={show} id={show} onClose={() => onParams({ show: "" })} />
  }
  if (document === "") return null
  return (
    <Document
      key={document}
      id={document}
      now={now}
      isReadOnly={isReadOnly}
      onParams={(text) => onParams({ text, at: "" })}
      onClose={() => onParams({ document: "" })}
    />
  )
}

/** A text is read here: wider than the 392 of other details. */
const DETAIL_PX = 480

/** First what stands beside, one after the other, then what is looked for. */
function leaves(params: KnowledgeParams, onParams: KnowledgePageProps["onParams"]) {
  if (params.add) return () => onParams({ add: false }, "replace")
  if (params.show !== "") return () => onParams({ show: "" }, "replace")
  if (params.document !== "") return () => onParams({ document: "" }, "replace")
  return params.text === "" ? undefined : () => onParams({ text: "", at: "" }, "replace")
}
