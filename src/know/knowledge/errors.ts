import { defineError, visibleLine } from "#ground/base"

const LONGEST_SHOWN_UNITS = 200

export const FolderUnreadable = defineError<{ path: string; reason: string }>()(
  "KNOWLEDGE_FOLDER_UNREADABLE",
  {
    family: "invalid",
    message: (it) => `${shown(it.path)} cannot be read: ${it.reason}.`,
    hint: () => "Give a folder or a file with Markdown, HTML or plain text documents.",
  },
)

export const FolderUnknown = defineError<{ path: string }>()("KNOWLEDGE_FOLDER_NOT_FOUND", {
  family: "not-found",
  message: (it) => `${shown(it.path)} is not in the knowledge base.`,
  hint: () => "List the indexed folders with `qm kb status`.",
})

export const ParagraphUnknown = defineError<{ id: string }>()("KNOWLEDGE_PARAGRAPH_NOT_FOUND", {
  family: "not-found",
  message: (it) => `Paragraph ${shown(it.id)} does not exist.`,
  hint: () =>
    "Search again, with kb_hybrid_search or on the command line; its document may have changed.",
})

function shown(text: string): string {
  return visibleLine(text.slice(0, LONGEST_SHOWN_UNITS))
}
