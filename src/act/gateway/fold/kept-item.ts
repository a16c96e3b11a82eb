import { isRecord, type JsonRecord, listOf, textOf } from "../read/json.ts"
import { argumentsOf, isOutput } from "./item-calls.ts"
import { type FoldGroup, isOfOutside, verbOf } from "./select.ts"
import { blocksOf, textIn } from "./turns.ts"
import { answerText, keptText, loadAgainText } from "./wording.ts"

/** By this a host asks its user: what comes back is the user's word. */
const QUESTION_TOOL = "request_user_input"

/**
 * Answers of a region that stay, as one message after the branch's result: those of calls made
 * beside the return, the user's own, and results of branches that were opened before this one.
 */
export function keptItem(items: readonly JsonRecord[], group: FoldGroup): JsonRecord | undefined {
  const { start, end, folds } = group
  const region = items.slice(start + 1, end + 1)
  const calls = new Map(region.filter((it) => !isOutput(it)).map((it) => [it.call_id, it]))
  const closing = new Set<unknown>(folds.map((it) => it.closeCallId))
  const firstBeside = region.findLastIndex((it) => !isOutput(it)) + 1
  const outputs = region.flatMap((output, place) => {
    const call = calls.get(output.call_id)
    return isOutput(output) && call !== undefined ? [{ output, call, place }] : []
  })
  const opened = outputs.filter((it) => verbOf(it.call.name) === "branch")
  const own = folds.map((it) => it.branchId)
  const inside = [...own, ...opened.map((it) => textIn(it.output.output))]
  const live = outputs.filter(({ output, call, place }) => {
    if (closing.has(output.call_id)) return false
    if (place >= firstBeside || call.name === QUESTION_TOOL) return true
    const returned = { asked: argumentsOf(call).branch_id, text: textIn(output.output) }
    return verbOf(call.name) === "return" && isOfOutside(returned, inside)
  })
  return messageOf(live, loadedNames(region))
}

function messageOf(
  live: readonly { readonly output: JsonRecord; readonly call: JsonRecord }[],
  loaded: readonly string[],
): JsonRecord | undefined {
  const answers = live.map(({ output, call }) => {
    const asked = textOf(call.arguments) || textOf(call.input)
    const text = textIn(output.output)
    return answerText({ name: call.name ?? call.type, asked, text, isError: false })
  })
  const texts = loaded.length === 0 ? answers : [...answers, loadAgainText(loaded)]
  if (texts.length === 0) return undefined
  const parts = live.flatMap((it) => blocksOf(it.output.output) ?? [])
  const media = parts.filter((it) => it.type === "input_image" || it.type === "input_file")
  const content = [{ type: "input_text", text: keptText(texts) }, ...media]
  return { type: "message", role: "user", content }
}

function loadedNames(region: readonly JsonRecord[]): readonly string[] {
  const loads = region.filter((it) => it.type === "tool_search_output")
  const tools = loads.flatMap((it) => listOf(it.tools).filter(isRecord))
  return [...new Set(tools.map((it) => textOf(it.name)).filter((it) => it !== ""))]
}
