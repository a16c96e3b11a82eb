import {
  brotliDecompressSync,
  constants,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from "node:zlib"
import { isRecord, type JsonRecord, parseJson } from "#ground/base"
import type { GatewayRequest, HostName, TokenEncoding, WireItem, WireName } from "#ground/contract"
import { type Disk, type HostPlace, realDisk, type Survey } from "#see/hosts"
import { cacheSettingsOf } from "./cache-settings.ts"
import { confirmItems } from "./confirm.ts"
import { anthropicItems, anthropicTurns } from "./formats/anthropic.ts"
import { geminiItems } from "./formats/gemini.ts"
import { chatItems, responsesItems, responsesTurns } from "./formats/openai.ts"
import { LARGEST_BODY_BYTES, type RawItem } from "./formats/raw-item.ts"
import { createHostFiles, type HostFiles } from "./host-files.ts"
import { headerIn, identityOf, routeOf } from "./identity.ts"
import { withReasons } from "./item-reasons.ts"
import { createItemHistory } from "./new-items.ts"
import type { ReadAnswer, ReadQuestion, TrailStep } from "./reader.ts"
import { usageOf } from "./usage.ts"
import { createWeigher, kindsOf, sum, type WeighedItem, type Weigher } from "./weigh.ts"

/** Bounds decompression. */
const LARGEST_ANSWER_BYTES = 64 * 1024 ** 2

/** Nothing in a request makes it throw. */
export function createRequestReader(
  deps: {
    readonly disk?: Disk
    readonly platform?: HostPlace["platform"]
    readonly survey?: (host: HostName, place: HostPlace) => Promise<Survey>
  } = {},
) {
  const { disk = realDisk(), platform = "linux", survey } = deps
  const hostFiles = createHostFiles({ disk, platform, ...(survey === undefined ? {} : { survey }) })
  const weigher = createWeigher()
  const itemHistory = createItemHistory()
  return async (question: ReadQuestion): Promise<ReadAnswer> => {
    const { wire, path, headers, encoding, place } = question
    const route = routeOf(path)
    const body = bodyOf(question)
    const identity = identityOf({ wire, path, headers, body: body ?? {} })
    const raw = await rawItems(question, { route, body, hostFiles })
    const weighed = await weigher.weigh(raw, encoding)
    const items = weighed.map((it) => it.item)
    const isConversation = route !== "count" && route !== "other"
    const key = JSON.stringify([wire, place.workingDirectory, identity.session, identity.agent])
    const news = isConversation
      ? itemHistory.newItems(key, items, question.conversationBefore)
      : { added: [], gone: 0, kept: 0 }
    const { usage, stopReason } = usageOf(route, answerText(question))
    const folds = await foldsOf(question, weigher)
    return {
      route,
      ...identity,
      items,
      kinds: kindsOf(items),
      tokens: sum(items.map((it) => it.tokens)),
      ...news,
      usage,
      cacheSettings: cacheSettingsOf(wire, body),
      ...(stopReason === null ? {} : { stopReason: stopReason.slice(0, 100) }),
      ...folds,
      texts: question.wantsTexts ? textsOf(weighed, news.added) : [],
    }
  }
}

/** Undefined for anything but a JSON object, and for unknown encodings. */
function bodyOf({ body, headers }: ReadQuestion): JsonRecord | undefined {
  const encoding = headerIn(headers, "content-encoding")
  const bytes = unpack(body, encoding, LARGEST_BODY_BYTES)
  const parsed = bytes === undefined ? undefined : parseJson(bytes.toString())
  return isRecord(parsed) ? parsed : undefined
}

function answerText({ answer }: ReadQuestion): string {
  const encoding = headerIn(answer.headers, "content-encoding")
  return unpack(Buffer.concat(answer.body), encoding, LARGEST_ANSWER_BYTES)?.toString() ?? ""
}

async function rawItems(
  { wire, place, body: bytes }: ReadQuestion,
  it: {
    readonly route: GatewayRequest["route"]
    readonly body: JsonRecord | undefined
    readonly hostFiles: HostFiles
  },
): Promise<readonly RawItem[]> {
  if (it.body === undefined || it.route === "other") return wholeBody(bytes.length, it.body)
  const items = withReasons(shaped(wire, it.route, it.body), place.workingDirectory)
  return confirmItems(items, { wire, place, hostFiles: it.hostFiles })
}

function wholeBody(sizeBytes: number, body: JsonRecord | undefined): readonly RawItem[] {
  const name = body === undefined ? "unreadable body" : "body"
  const whole = { text: "", bytes: sizeBytes, tokens: 0, identity: name, isPrivate: true }
  return sizeBytes === 0 ? [] : [{ kind: "other", name, ...whole }]
}

function shaped(
  wire: WireName,
  route: GatewayRequest["route"],
  body: JsonRecord,
): readonly RawItem[] {
  switch (wire) {
    case "anthropic":
      return anthropicItems(body)
    case "openai":
      return route === "chat" ? chatItems(body) : responsesItems(body)
    case "gemini":
      return geminiItems(body)
    default:
      return wire satisfies never
  }
}

async function foldsOf({ wire, folded, encoding }: ReadQuestion, weigher: Weigher) {
  const folds: ReadAnswer["folded"][number][] = []
  const trails: ReadAnswer["trails"][number][] = []
  for (const { branchId, bytes, removed } of folded) {
    const items = removedItems(wire, removed)
    const weighed = await weigher.weigh(items, encoding)
    folds.push({ branchId, bytes, tokens: sum(weighed.map((it) => it.item.tokens)) })
    trails.push({ branchId, steps: await stepsOf(items, encoding, weigher) })
  }
  return { folded: folds, trails }
}

function textsOf(weighed: readonly WeighedItem[], added: readonly WireItem[]) {
  const isAdded = new Set(added)
  const texts = new Map<string, string>()
  for (const { item, raw } of weighed) {
    const isReturned = isAdded.has(item) && raw.isPrivate !== true && raw.text !== ""
    if (isReturned) texts.set(item.sha256, raw.text)
  }
  return [...texts].map(([sha256, text]) => ({ sha256, text }))
}

/** For reading and searching, not for restoring. */
const LONGEST_STEP_BYTES = 200_000

/** A long branch has hundreds. */
const MOST_STEPS = 5_000

function removedItems(wire: WireName, removed: readonly unknown[]): readonly RawItem[] {
  return wire === "openai" ? responsesTurns(removed) : anthropicTurns(removed)
}

/** Assistant text, and calls with their results; without thinking and reminders. */
async function stepsOf(
  items: readonly RawItem[],
  encoding: TokenEncoding,
  weigher: Weigher,
): Promise<readonly TrailStep[]> {
  const results = new Map<string, string[]>()
  for (const { kind, callId = "", text } of items) {
    if (kind === "result") results.set(callId, [...(results.get(callId) ?? []), text])
  }
  const steps: TrailStep[] = []
  for (const item of items) {
    const text = stepText(item, results)
    if (text === undefined) continue
    if (steps.length === MOST_STEPS) break
    const tool = item.kind === "assistant" ? null : item.name
    const truncated = cut(text)
    steps.push({ tool, text: truncated, tokens: await weigher.count(truncated, encoding) })
  }
  return steps
}

/** A result without its call is a step of its own. */
function stepText(item: RawItem, results: Map<string, string[]>): string | undefined {
  const { kind, text, callId = "" } = item
  if (kind === "assistant") return text.trim() === "" ? undefined : text
  if (kind !== "call" && kind !== "result") return undefined
  const result = results.get(callId)
  results.delete(callId)
  if (kind === "result") return result === undefined ? undefined : text
  return result === undefined ? text : `${text}\n\n${result.join("\n")}`
}

function cut(text: string): string {
  const size = Buffer.byteLength(text)
  if (size <= LONGEST_STEP_BYTES) return text
  const head = Buffer.from(text).subarray(0, LONGEST_STEP_BYTES)
  // Drops a split character.
  const whole = head.toString().replace(/\uFFFD$/, "")
  return `${whole}\n(truncated: ${size - Buffer.byteLength(whole)} more bytes are not stored)`
}

/** A truncated stream gives what was there; undefined for unknown encodings or above the limit. */
export function unpack(
  bytes: Uint8Array,
  encoding: string,
  maxOutputLength: number,
): Buffer | undefined {
  const packings = encoding
    .toLowerCase()
    .split(",")
    .map((it) => it.trim())
    .filter((it) => it !== "" && it !== "identity")
  if (packings.length > MOST_PACKINGS) return undefined
  let open: Buffer | undefined = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (const packing of packings.toReversed()) {
    if (open === undefined) break
    open = attempt(() => unpackOnce(open ?? Buffer.alloc(0), packing, maxOutputLength))
  }
  return open
}

/** The header is a list, though hosts use one encoding. */
const MOST_PACKINGS = 3

function unpackOnce(bytes: Buffer, packing: string, maxOutputLength: number): Buffer | undefined {
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush } = constants
  const patient = { finishFlush: Z_SYNC_FLUSH, maxOutputLength }
  switch (packing) {
    case "gzip":
    case "x-gzip":
      return gunzipSync(bytes, patient)
    case "deflate":
      return (
        attempt(() => inflateSync(bytes, patient)) ?? attempt(() => inflateRawSync(bytes, patient))
      )
    case "br":
      return brotliDecompressSync(bytes, { finishFlush: BROTLI_OPERATION_FLUSH, maxOutputLength })
    case "zstd":
      return zstdDecompressSync(bytes, { finishFlush: ZSTD_e_flush, maxOutputLength })
    default:
      return undefined
  }
}

function attempt(open: () => Buffer | undefined): Buffer | undefined {
  try {
    return open()
  } catch {
    return undefined
  }
}
