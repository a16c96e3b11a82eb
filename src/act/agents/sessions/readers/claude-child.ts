import { isRecord, textField } from "../../wire/text.ts"
import { isFromHost, textOf } from "./look.ts"
import type { Child } from "./reader.ts"

type Line = Readonly<Record<string, unknown>>

/** The sub-agent that has ended with this line: its result, or the word of its task. */
export function childOf(line: Line): Child | undefined {
  if (line["type"] !== "user") return undefined
  return isFromHost(line) ? notified(line) : returned(line)
}

/** One that was sent off works on; its task tells when it has ended. */
function returned(line: Line): Child | undefined {
  const result = line["toolUseResult"]
  const isSentOff = isRecord(result) && result["status"] === "async_launched"
  const message = isRecord(line["message"]) ? line["message"] : {}
  const blocks: readonly unknown[] = Array.isArray(message["content"]) ? message["content"] : []
  const parentId = blocks.map((it) => textField(it, "tool_use_id")).find((it) => it !== undefined)
  return isSentOff ? undefined : child(textField(result, "agentId"), parentId)
}

function notified(line: Line): Child | undefined {
  const text = textOf(line["message"]).slice(0, LONGEST_NOTICE_CHARACTERS)
  const ids = /<task-id>(?<task>[^<]+)<\/task-id>[^]*?<tool-use-id>(?<use>[^<]+)</.exec(text)
  return child(ids?.groups?.["task"], ids?.groups?.["use"])
}

const LONGEST_NOTICE_CHARACTERS = 4_000

/** Its id is a part of a file's name and must be no more than that. */
function child(agentId: string | undefined, parentId: string | undefined): Child | undefined {
  const isName = agentId !== undefined && /^[A-Za-z0-9_-]{1,100}$/.test(agentId)
  return isName && parentId !== undefined ? { agentId, parentId } : undefined
}
