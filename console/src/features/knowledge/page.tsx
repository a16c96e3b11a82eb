import { plural } from "../../contract.ts"
import { leaveOne, type PageProps } from "../../data/params.ts"
import type { KnowledgeParams } from "../../data/paths.ts"
import { useReadOnly } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import { CollectionPage } from "../../ui/collection/collection.tsx"
import { Header } from "../../ui/frame/frame.tsx"

import { Text } from "../../ui/text/text.tsx"
import { AddForm } from "./add-form.tsx"
import { Document } from "./document.tsx"
import { ListPane } from "./list-pane.tsx"
import { Paragraph } from "./paragraph.tsx"
import { useStatus } from "./use-knowledge.ts"

export function KnowledgePage({ now, params, onParams }: PageProps<KnowledgeParams>) {
  const isReadOnly = useReadOnly()
  const { data: status } = useStatus()
  const { add, show, document, text } = params
  return (
    <CollectionPage
      name="knowledge"
      detailPx={480}
      header={
        <Header
          title="Knowledge"
          facts={
            status === undefined ? null : (
              <Text tone="3">{plural(status.documents, "document")}</Text>
            )
          }
        >
          <Button
            icon="plus"
            keyId="knowledge.add"
            disabled={isReadOnly}
            shrinks
            onPress={() => onParams({ add: !add })}
          >
            Add a folder
          </Button>
        </Header>
      }
      list={<ListPane isReadOnly={isReadOnly} params={params} onParams={onParams} />}
      detail={besideOf({ now, params, onParams }, isReadOnly)}
      onLeave={leaveOne(
        onParams,
        [add, { add: false }],
        [show !== "", { show: "" }],
        [document !== "", { document: "" }],
        [text !== "", { text: "", at: "" }],
      )}
    />
  )
}

function besideOf({ now, params, onParams }: PageProps<KnowledgeParams>, isReadOnly: boolean) {
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
