import { defineError, visibleLine } from "#ground/base"

const LONGEST_SHOWN_UNITS = 200

export const FolderUnreadable = defineError<{ path: string; reason: string }>()(
  "KNOWLEDGE_FOLDER_UNREADABLE",
  {
    family: "invalid",
    message: (it) => `${shown(it.path)} cannot be read: ${it.reason}.`,
    hint: () => "Name a folder or a file with documents: markdown, html or plain text.",
  },
)

export const FolderUnknown = defineError<{ path: string }>()("KNOWLEDGE_FOLDER_NOT_FOUND", {
  family: "not-found",
  message: (it) => `${shown(it.path)} was never added to the knowledge base.`,
  hint: () => "`qm kb status` lists the folders that were; name one of them.",
})

export const ParagraphUnknown = defineError<{ id: string }>()("KNOWLEDGE_PARAGRAPH_NOT_FOUND", {
  family: "not-found",
  message: (it) => `There is no paragraph ${shown(it.id)}.`,
  hint: () => "Search again (qm kb search, kb_hybrid_search): its document may have changed.",
})

function shown(text: string): string {
  return visibleLine(text.slice(0, LONGEST_SHOWN_UNITS))
}
