import path from "node:path"
import { type Clock, findWriteBarrier, isAppError, statFile, writeFileAtomic } from "#ground/base"
import type { Config, Handlers, MediaWritten, mediaOperations, ParsedInput } from "#ground/contract"
import { BadInput, CostCapReached, MediaIo, NoCredentials } from "./errors.ts"
import {
  GEMINI_URL,
  type GeminiDeps,
  generateImage,
  generateVideo,
  type MediaFile,
} from "./gemini.ts"

const POLL_MS = 10_000

/**
 * Prices in dollars for the sizes used here, not checked against the provider's page: they are
 * estimates for the cap, not a bill.
 */
const USD_PER_IMAGE: ReadonlyMap<string, number> = new Map([
  ["gemini-2.5-flash-image", 0.039],
  ["gemini-3.1-flash-image-preview", 0.067],
  ["gemini-3.1-flash-image", 0.067],
  ["gemini-3-pro-image-preview", 0.134],
  ["gemini-3-pro-image", 0.134],
])
const USD_PER_SECOND: ReadonlyMap<string, number> = new Map([
  ["veo-3.1-generate-preview", 0.4],
  ["veo-3.1-fast-generate-preview", 0.15],
  ["veo-3.0-generate-001", 0.4],
  ["veo-3.0-fast-generate-001", 0.15],
])

const VIDEO_LENGTHS = [4, 6, 8]

/** Paid calls of this process, so that the cap holds for all of them together. */
export type Spending = { usd: number }

export type MediaDeps = {
  readonly clock: Clock
  readonly spending: Spending
  readonly pollMs?: number
  settings(): Config["media"]
  /** The key, from the environment or the credential store. */
  key(): Promise<string | undefined>
  /** A path given by the user, made absolute. */
  resolve(path: string): string
  redact(text: string): Promise<string>
}

type Call = { readonly signal: AbortSignal }

type Order = {
  readonly provider: GeminiDeps["provider"]
  readonly model: string
  readonly usd: number
  readonly out: string
  readonly endings: readonly string[]
  make(deps: GeminiDeps): Promise<MediaFile>
}

export const mediaHandlers = (deps: MediaDeps): Handlers<typeof mediaOperations> => ({
  image: async (input, call) => write(imageOrder(input, deps), deps, call),
  video: async (input, call) => write(videoOrder(input, deps), deps, call),
})

function imageOrder(input: ParsedInput<"media.image">, { settings }: MediaDeps): Order {
  const { imageModel: model, usdPerImage } = settings()
  const usd = priceOf(model, { own: usdPerImage, table: USD_PER_IMAGE, key: "usdPerImage" })
  const { prompt, aspect, out } = input
  const make = (deps: GeminiDeps) => generateImage({ model, prompt, aspect }, deps)
  return {
    provider: "nano-banana",
    model,
    usd,
    out,
    endings: [".png", ".jpg", ".jpeg", ".webp"],
    make,
  }
}

function videoOrder(input: ParsedInput<"media.video">, { settings }: MediaDeps): Order {
  const { videoModel: model, usdPerSecond } = settings()
  const { prompt, aspect, seconds, out } = input
  if (!VIDEO_LENGTHS.includes(seconds))
    throw BadInput({
      reason: `a video is ${VIDEO_LENGTHS.join(", ").replace(/, (?=\d+$)/, " or ")} seconds long, not ${seconds}`,
    })
  const price = priceOf(model, { own: usdPerSecond, table: USD_PER_SECOND, key: "usdPerSecond" })
  const make = (deps: GeminiDeps) => generateVideo({ model, prompt, aspect, seconds }, deps)
  return { provider: "veo", model, usd: price * seconds, out, endings: [".mp4"], make }
}

/** An unknown price is never 0. */
function priceOf(
  model: string,
  it: { readonly own: number; readonly table: ReadonlyMap<string, number>; readonly key: string },
): number {
  if (!/^[\w.-]{1,200}$/.test(model)) throw BadInput({ reason: `${model} is not a model name` })
  const price = it.own > 0 ? it.own : it.table.get(model)
  if (price !== undefined) return price
  throw BadInput({ reason: `the price of ${model} is not known; set media.${it.key}` })
}

/** Everything that can be refused is refused before the first byte is sent. */
async function write(order: Order, deps: MediaDeps, { signal }: Call): Promise<MediaWritten> {
  const { provider, model, usd } = order
  const file = await checkTarget(deps.resolve(order.out), order.endings)
  const key = (await deps.key())?.trim() ?? ""
  // Node's error for an invalid header value would repeat the key.
  if (!/^[\x21-\x7e]+$/.test(key)) throw NoCredentials({ provider })
  const { maxUsd, baseUrl } = deps.settings()
  const { spending } = deps
  if (spending.usd + usd > maxUsd)
    throw CostCapReached({ spent: spending.usd, price: usd, cap: maxUsd })
  // Counted before the call: a request that fails halfway may have been charged.
  spending.usd += usd
  const made = await order.make({
    provider,
    baseUrl: checkAddress(baseUrl),
    key,
    clock: deps.clock,
    signal,
    pollMs: deps.pollMs ?? POLL_MS,
    redact: deps.redact,
  })
  await store(file, made.bytes)
  const { mimeType, bytes } = made
  return { provider, model, file, mimeType, bytes: bytes.length, usd, spentUsd: spending.usd }
}

function checkAddress(setting: string): string {
  if (setting.trim() === "") return GEMINI_URL
  const url = URL.canParse(setting) ? new URL(setting) : undefined
  const isLocal = ["127.0.0.1", "localhost", "[::1]"].includes(url?.hostname ?? "")
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLocal)) return setting
  throw BadInput({ reason: "media.baseUrl is not an https address" })
}

async function checkTarget(file: string, endings: readonly string[]): Promise<string> {
  if (!endings.includes(path.extname(file).toLowerCase()))
    throw BadInput({ reason: `${path.basename(file)} must end with ${endings.join(", ")}` })
  const there = await statFile(file)
  if (there.kind === "found") throw MediaIo({ file, reason: "it exists already" })
  const folder = await statFile(path.dirname(file))
  if (folder.kind !== "found" || folder.what !== "directory")
    throw MediaIo({ file, reason: "its folder does not exist" })
  const barrier = await findWriteBarrier(path.dirname(file))
  if (barrier !== undefined)
    throw MediaIo({ file, reason: `${barrier.path} is not writable (${barrier.reason})` })
  return file
}

async function store(file: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeFileAtomic(file, bytes)
  } catch (error) {
    if (!isAppError(error)) throw error
    throw MediaIo({ file, reason: error.message }, error)
  }
}
