import { plural } from "../../contract.ts"
import type { KnowledgeAddress } from "../../data/knowledge-search.ts"
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
  readonly search: KnowledgeAddress
  onSearch(change: Partial<KnowledgeAddress>, how?: "push" | "replace"): void
}

/** Documents that people wrote: found by paragraph, with why, and where each leads. */
export function KnowledgePage({ now, search, onSearch }: KnowledgePageProps) {
  const { data: session } = useSession()
  const isReadOnly = session?.readOnly === true
  const { data: status } = useStatus()
  useKey("leave", leaves(search, onSearch))
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
          onPress={() => onSearch({ add: !search.add })}
        >
          Add a folder
        </Button>
      </Header>
      <Split
        name="knowledge"
        startPx={DETAIL_PX}
        list={<ListPane isReadOnly={isReadOnly} search={search} onSearch={onSearch} />}
        detail={besideOf({ now, search, onSearch }, isReadOnly)}
      />
    </>
  )
}

function besideOf({ now, search, onSearch }: KnowledgePageProps, isReadOnly: boolean) {
  const { add, show, document } = search
  if (add) {
    return <AddForm isReadOnly={isReadOnly} onClose={() => onSearch({ add: false }, "replace")} />
  }
  if (show !== "") {
    return <Paragraph key={show} id={show} onClose={() => onSearch({ show: "" })} />
  }
  if (document === "") return null
  return (
    <Document
      key={document}
      id={document}
      now={now}
      isReadOnly={isReadOnly}
      onSearch={(text) => onSearch({ text, at: "" })}
      onClose={() => onSearch({ document: "" })}
    />
  )
}

/** A text is read here: wider than the 392 of other details. */
const DETAIL_PX = 480

/** First what stands beside, one after the other, then what is looked for. */
function leaves(search: KnowledgeAddress, onSearch: KnowledgePageProps["onSearch"]) {
  if (search.add) return () => onSearch({ add: false }, "replace")
  if (search.show !== "") return () => onSearch({ show: "" }, "replace")
  if (search.document !== "") return () => onSearch({ document: "" }, "replace")
  return search.text === "" ? undefined : () => onSearch({ text: "", at: "" }, "replace")
}
