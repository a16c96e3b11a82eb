import { defineError, visibleLine } from "#ground/base"

const LONGEST_SHOWN_UNITS = 200

export const FolderUnreadable = defineError<{ path: string; reason: string }>()(
  "KNOWLEDGE_FOLDER_UNREADABLE",
  {
    family: "invalid",
    message: (it) => `${shown(it.path)} cannot be read: ${it.reason}.`,
    hint: () => "Give a folder or a file with Markdown, HTML, plain text, PDF or DOCX documents.",
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

export const DocumentUnknown = defineError<{ id: string }>()("KNOWLEDGE_DOCUMENT_NOT_FOUND", {
  family: "not-found",
  message: (it) => `Document ${shown(it.id)} does not exist.`,
  hint: () => "List the documents with `qm kb documents`.",
})

export const OriginalChanged = defineError<{ path: string; folder: string }>()(
  "KNOWLEDGE_ORIGINAL_CHANGED",
  {
    family: "conflict",
    message: (it) => `${shown(it.path)} has changed or is gone since it was indexed.`,
    hint: (it) => `Index it again: \`qm kb add ${shown(it.folder)}\``,
  },
)

export const OriginalHasSecrets = defineError<{ path: string }>()(
  "KNOWLEDGE_ORIGINAL_HAS_SECRETS",
  {
    family: "denied",
    message: (it) => `${shown(it.path)} contains secrets, so its original is not sent.`,
    hint: () =>
      "Open the file on the machine that has it; its paragraphs are shown without secrets.",
  },
)

function shown(text: string): string {
  return visibleLine(text.slice(0, LONGEST_SHOWN_UNITS))
}
