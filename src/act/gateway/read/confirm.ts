import { hash } from "node:crypto"
import type { HostName, WireName } from "#ground/contract"
import type { RawItem } from "./formats/raw-item.ts"
import { listedItems, serverWord, turnItems } from "./formats/system-turn.ts"
import {
  DEVELOPER_FRAME,
  type HostFiles,
  type KnownHostFiles,
  NO_HOST_FILES,
} from "./host-files.ts"
import { splitAgentsMd, splitInstructions } from "./instructions.ts"
import { LAZY_OPENING, lazyPath } from "./item-reasons.ts"
import type { ReadPlace } from "./reader.ts"

/** Verifies claims against the disk, and splits lists into items. */
export async function confirmItems(
  items: readonly RawItem[],
  { wire, place, hostFiles }: { wire: WireName; place: ReadPlace; hostFiles: HostFiles },
): Promise<readonly RawItem[]> {
  if (items.every((it) => it.claims === undefined)) return items
  const host = hostOf(wire, place)
  const block = items.find((it) => it.claims === "instructions" || it.claims === "agents-md")
  const since = block === undefined ? "" : hash("sha256", block.text)
  const hostFilesNow = host === undefined ? NO_HOST_FILES : await hostFiles.look(host, place, since)
  const facts = { lines: hostFilesNow.lines, servers: serversIn(items, hostFilesNow) }
  const walks = { count: 0 }
  const confirmed: RawItem[] = []
  for (const item of items) {
    if (item.claims === "lazy" && host !== undefined) {
      const claim = lazyClaim(item.text)
      const isTrue = await hostFiles.verifyLazyFile({ ...claim, since, walks }, host, place)
      confirmed.push(isTrue ? lazyItem(item, claim) : reminder(item))
    } else {
      for (const it of settled(item, hostFilesNow, facts)) confirmed.push(it)
    }
  }
  return confirmed
}

/** The wire implies the host when none is named. */
function hostOf(wire: WireName, { host }: ReadPlace): HostName | undefined {
  if (host !== undefined) return host
  if (wire === "anthropic") return "claude-code"
  return wire === "openai" ? "codex" : undefined
}

function settled(
  item: RawItem,
  hostFiles: KnownHostFiles,
  facts: Parameters<typeof turnItems>[1],
): readonly RawItem[] {
  switch (item.claims) {
    case undefined:
      return [item]
    case "instructions":
      return splitInstructions(item.text, hostFiles.files)
    case "agents-md":
      return splitAgentsMd(item.text, joined(hostFiles))
    case "turn":
      return turnItems(item.text, facts)
    case "skill-list":
      return skillList(item.text, hostFiles)
    case "developer":
      return [developer(item, hostFiles)]
    case "lazy":
      return [reminder(item)]
    default:
      return item.claims satisfies never
  }
}

function joined(hostFiles: KnownHostFiles) {
  return hostFiles.files.filter((it) => it.frame !== DEVELOPER_FRAME)
}

function reminder({ text, why }: RawItem): RawItem {
  return { kind: "reminder", name: "reminder", text, ...(why === undefined ? {} : { why }) }
}

const CLOSING = "</system-reminder>"

/** The path in the first line, the text up to the closing tag. */
function lazyClaim(block: string): { readonly path: string; readonly text: string } {
  const lineEnd = block.indexOf("\n", LAZY_OPENING.length)
  // Text after the end does not belong to the file: then nothing is confirmed.
  const whole = block.trimEnd()
  const end = whole.endsWith(CLOSING) ? whole.length - CLOSING.length : whole.length
  const inside = lineEnd === -1 ? "" : whole.slice(lineEnd, end)
  return { path: lazyPath(block), text: inside.trim() }
}

function lazyItem(item: RawItem, claim: { readonly path: string; readonly text: string }): RawItem {
  const { path, text } = claim
  const bytes = Buffer.byteLength(item.text)
  const why = item.why === undefined ? {} : { why: item.why }
  return { kind: "instructions", name: path, text, bytes, path, isConfirmed: true, ...why }
}

function developer({ text }: RawItem, { files }: KnownHostFiles): RawItem {
  const file = files.find((it) => it.frame === DEVELOPER_FRAME && it.sent === text)
  if (file === undefined) return { kind: "system", name: "developer", text }
  return { kind: "instructions", name: file.path, text, path: file.path, isConfirmed: true }
}

const LIST_START = "### Available skills\n"

/** Text about skills, the list, and how to use them. */
function skillList(text: string, { lines }: KnownHostFiles): readonly RawItem[] {
  const at = text.indexOf(LIST_START)
  const from = at === -1 ? text.length : at + LIST_START.length
  const end = text.slice(from).search(/\n(?:###? |<\/skills_instructions>)/)
  const to = end === -1 ? text.length : from + end
  const { items, rest } = listedItems(text.slice(from, to), { kind: "skill", known: lines })
  const around = [text.slice(0, from), `${rest}${text.slice(to)}`].map((it) => it.trim())
  const [before = "", after = ""] = around
  const plain = (words: string): readonly RawItem[] =>
    words === "" ? [] : [{ kind: "system", name: "skills", text: words }]
  return [...plain(before), ...items, ...plain(after)]
}

function serversIn(items: readonly RawItem[], { servers }: KnownHostFiles): ReadonlySet<string> {
  const names = new Set(servers.map(serverWord))
  for (const { kind, name, claims, text } of items) {
    const listed = claims === "turn" ? text.match(/^mcp__.{1,300}$/gm) : undefined
    for (const tool of listed ?? (kind === "tool" ? [name] : [])) {
      const [, server] = /^mcp__(.+?)__/.exec(tool) ?? []
      if (server !== undefined) names.add(server)
    }
  }
  return names
}
