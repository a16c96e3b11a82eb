import { visibleLine, withoutHiddenSigns } from "#ground/base"
import type { ContextPack, PackFile } from "#ground/contract"
import { LONGEST_ADVICE_UNITS, LONGEST_SHOWN_TASK_UNITS } from "../limits.ts"
import { cleanLine } from "./clean.ts"

/** The package as XML. Texts stand in CDATA, which costs less than escaping every sign. */
export function renderXml(pack: ContextPack): string {
  const lines = [
    `<context-package budget="${pack.budget}" fence="${pack.manifest.fence}">`,
    `<task>${escaped(cleanLine(pack.task, LONGEST_SHOWN_TASK_UNITS))}</task>`,
    ...(pack.isEmpty ? [`<empty>${escaped(pack.emptyReason ?? "")}</empty>`] : []),
    ...pack.advice.map(
      (it) =>
        `<guideline id="${escaped(it.guideline)}">${escaped(cleanLine(it.text, LONGEST_ADVICE_UNITS))}</guideline>`,
    ),
    ...pack.files.map(fileElement),
    "</context-package>",
  ]
  return `${lines.join("\n")}\n`
}

function fileElement(file: PackFile): string {
  const { form, sentBefore } = file
  const attributes = [
    `path="${escaped(withoutHiddenSigns(visibleLine(file.path)))}"`,
    `blob="${file.blobId.slice(0, 7)}"`,
    `trust="project"`,
    `form="${sentBefore ? "sent-before" : form}"`,
  ].join(" ")
  if (file.pieces.length === 0) return `<file ${attributes}/>`
  const isCode = form !== "signatures"
  const pieces = isCode
    ? file.pieces.map(
        (it) => `<lines from="${it.fromLine}" to="${it.toLine}">${data(it.text)}</lines>`,
      )
    : [data(file.pieces.map((it) => it.text).join("\n"))]
  return `<file ${attributes}>\n${pieces.join("\n")}\n</file>`
}

/** The end of CDATA is the one thing that must not stand in it. */
function data(text: string): string {
  return `<![CDATA[${text.replaceAll("]]>", "]]]]><![CDATA[>")}]]>`
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replace(/[\n\t]/g, " ")
}
