import type { AgentEvent, Message } from "#ground/contract"
import { diffLines } from "./diff-lines.ts"
import { escapeText } from "./escape.ts"
import { MOST_COLOURED_LINES } from "./limits.ts"
import { plainText, renderMarkdown } from "./markdown.ts"

/** The latest moment a calendar knows; later ones are no time of any message. */
const LAST_MS = 8_640_000_000_000_000

/** A moment with its date, in UTC, because a page travels. */
export function dateTag(at: number): string {
  const iso = isoOf(at)
  return `<time datetime="${iso}">${inWords(iso)}</time>`
}

/** The time of day alone, for the many; the date is under the pointer. */
export function timeTag(at: number): string {
  const iso = isoOf(at)
  return `<time datetime="${iso}" title="${inWords(iso)}">${iso.slice(-13, -5)}</time>`
}

function isoOf(at: number): string {
  return new Date(Math.min(LAST_MS, Math.max(0, at))).toISOString()
}

function inWords(iso: string): string {
  return iso.replace("T", " ").replace(/\.\d+Z$/, " UTC")
}

/** A message that is no activity, with its time and the host's own words. */
export function messagePiece(message: Message, event: AgentEvent | undefined): string {
  const { type, content, timestamp } = message
  const raw = rawPiece(message)
  switch (type) {
    case "user":
      return article(
        "user",
        header("Person", timestamp),
        plainText(content) + partsPiece(message) + raw,
      )
    case "assistant":
      return article("assistant", header("Agent", timestamp), renderMarkdown(content) + raw)
    case "response":
      return article("response", header(endOf(event), timestamp), renderMarkdown(content) + raw)
    case "error":
      return article("error", header("Error", timestamp), plainText(content) + raw)
    case "context":
      return `<details><summary>Context at the start ${timeTag(timestamp)}</summary>${codeBlock(content)}${raw}</details>\n`
    default:
      return linePiece(message)
  }
}

/** One line in passing, with the host's own words behind it. */
export function linePiece(
  message: Pick<Message, "content" | "timestamp" | "raw" | "metadata">,
): string {
  const line = `${timeTag(message.timestamp)} ${escapeText(message.content)}`
  const raw = codeBlock(rawText(message))
  return raw === ""
    ? `<article class="line">${line}</article>\n`
    : `<details class="line"><summary>${line}</summary>${raw}</details>\n`
}

function article(kind: string, head: string, body: string): string {
  return `<article class="${kind}">${head}${body}</article>\n`
}

function header(who: string, at: number): string {
  return `<div class="meta"><span class="who">${who}</span>${timeTag(at)}</div>`
}

function endOf(event: AgentEvent | undefined): string {
  const isStopped = event?.event === "turn.ended" && event.outcome === "stopped"
  return isStopped ? "Turn stopped" : "Result"
}

/** What was put in front of a person's words. */
function partsPiece({ metadata }: Message): string {
  const parts = metadata["parts"]
  const labels = Array.isArray(parts) ? parts.map(labelOf).filter((it) => it !== "") : []
  return labels.length === 0 ? "" : `<p class="quiet">With ${escapeText(labels.join(", "))}</p>`
}

function labelOf(part: unknown): string {
  const isLabelled = typeof part === "object" && part !== null && "label" in part
  return isLabelled && typeof part.label === "string" ? part.label : ""
}

/** What the host said, in its own words, for whoever wants to see it. */
export function rawPiece(message: Pick<Message, "raw" | "metadata">): string {
  const raw = codeBlock(rawText(message))
  return raw === "" ? "" : `<details class="line"><summary>Raw</summary>${raw}</details>`
}

/**
 * The host's words, or the event where they were not kept. As they are: indenting would make a deep
 * text quadratically long.
 */
function rawText({ raw, metadata }: Pick<Message, "raw" | "metadata">): string {
  const event = metadata["event"]
  return raw ?? (event === undefined ? "" : JSON.stringify(event))
}

export function codeBlock(text: string): string {
  return text === "" ? "" : `<pre><code>${escapeText(text)}</code></pre>`
}

export function diffPiece(diff: string): string {
  const lines: string[] = []
  let length = 0
  for (const { kind, text } of diffLines(diff)) {
    if (lines.length >= MOST_COLOURED_LINES) break
    lines.push(`<span class="${kind}">${escapeText(text)}</span>\n`)
    length += text.length + 1
  }
  return `<pre><code>${lines.join("")}${escapeText(diff.slice(length))}</code></pre>`
}
