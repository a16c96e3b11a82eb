import { z } from "zod"
import { KbDocuments } from "#ground/contract"
import { type Metered, meterBody, sayBody } from "./body.ts"
import { ask, type ToolCall } from "./tool.ts"

export const query = z.string().min(1).max(4_000)
export const paragraphs = z.array(z.string().min(1).max(200)).min(1).max(100).describe("Ids")

type Given = Readonly<Record<string, unknown>> & { readonly session_id?: string | undefined }
type Body = { readonly tool: string; readonly text: string; readonly isUntrusted?: boolean }

/** Texts of documents enter the window like any other: charged, kept, and from the web suspect. */
export async function metered<Fields extends object>(
  { given, ...body }: Body & { readonly given: Given },
  fields: Fields,
  call: ToolCall,
): Promise<{ readonly text: string; readonly fields: Fields & Metered }> {
  const entered = await meterBody({ ...body, given, label: body.tool }, call)
  return { text: sayBody(entered), fields: { ...fields, ...entered } }
}

/** Whether any of these paragraphs is one of a page of the web; an id begins with its document's. */
export async function areOfWeb(ids: readonly string[], call: ToolCall): Promise<boolean> {
  const { documents } = KbDocuments.parse(await ask(call, "kb.documents", { tier: "web" }))
  const web = new Set(documents.map((it) => it.id))
  return ids.some((id) => web.has(id.slice(0, Math.max(0, id.lastIndexOf(".")))))
}
