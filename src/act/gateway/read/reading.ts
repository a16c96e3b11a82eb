import type { GatewayRequest, HostName, WireItem, WireName } from "#ground/contract"
import { type Disk, type Place, realDisk, type Survey } from "#see/hosts"
import { anthropicItems } from "./anthropic.ts"
import { confirmItems } from "./confirm.ts"
import { geminiItems } from "./gemini.ts"
import { headerIn, identityOf, routeOf } from "./identity.ts"
import { isRecord, type JsonRecord, parseJson } from "./json.ts"
import { createWitness, type Witness } from "./known.ts"
import { LARGEST_ANSWER_BYTES, LARGEST_BODY_BYTES } from "./limits.ts"
import { createConversations } from "./news.ts"
import { chatItems, responsesItems } from "./openai.ts"
import type { ReadAnswer, ReadQuestion } from "./question.ts"
import type { RawItem } from "./raw-item.ts"
import { removedItems, stepsOf } from "./trail.ts"
import { unpack } from "./unpack.ts"
import { usageOf } from "./usage.ts"
import { createWeigher, kindsOf, sum, type Weighed, type Weigher } from "./weigh.ts"
import { withReasons } from "./why.ts"

/** Reads requests and answers, one after the other. Nothing in them makes it throw. */
export function createReading(
  deps: {
    readonly disk?: Disk
    readonly platform?: Place["platform"]
    readonly survey?: (host: HostName, place: Place) => Promise<Survey>
  } = {},
) {
  const { disk = realDisk(), platform = "linux", survey } = deps
  const witness = createWitness({ disk, platform, ...(survey === undefined ? {} : { survey }) })
  const weigher = createWeigher()
  const conversations = createConversations()
  return async (question: ReadQuestion): Promise<ReadAnswer> => {
    const { wire, path, headers, encoding, place } = question
    const route = routeOf(path)
    const body = bodyOf(question)
    const identity = identityOf({ wire, path, headers, body: body ?? {} })
    const raw = await rawItems(question, { route, body, witness })
    const weighed = await weigher.weigh(raw, encoding)
    const items = weighed.map((it) => it.item)
    const isConversation = route !== "count" && route !== "other"
    const key = JSON.stringify([wire, place.workingDirectory, identity.session, identity.agent])
    const news = isConversation
      ? conversations.news(key, items, question.conversationBefore)
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
      ...(stopReason === null ? {} : { stopReason: stopReason.slice(0, 100) }),
      ...folds,
      texts: question.wantsTexts ? textsOf(weighed, news.added) : [],
    }
  }
}

/** Undefined for what is no JSON object, or packed in a way that nobody here can open. */
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
    readonly witness: Witness
  },
): Promise<readonly RawItem[]> {
  if (it.body === undefined || it.route === "other") return wholeBody(bytes.length, it.body)
  const items = withReasons(shaped(wire, it.route, it.body), place.workingDirectory)
  return confirmItems(items, { wire, place, witness: it.witness })
}

/** What cannot be taken apart still has its size. */
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

/** Each text once, of pieces that are new and have one. */
function textsOf(weighed: readonly Weighed[], added: readonly WireItem[]) {
  const isAdded = new Set(added)
  const texts = new Map<string, string>()
  for (const { item, raw } of weighed) {
    const isWanted = isAdded.has(item) && raw.isPrivate !== true && raw.text !== ""
    if (isWanted) texts.set(item.sha256, raw.text)
  }
  return [...texts].map(([sha256, text]) => ({ sha256, text }))
}
