import { z } from "zod"
import { type Clock, parseJson, visibleLine } from "#ground/base"
import { BadInput, ContentPolicy, NoCredentials, ProviderError, RateLimit } from "./errors.ts"

/** An image of 4K has some 20 MB, as base64 a third more. */
const LARGEST_ANSWER_BYTES = 64 * 1024 ** 2
const LARGEST_VIDEO_BYTES = 512 * 1024 ** 2
const REQUEST_TIMEOUT_MS = 5 * 60_000
/** A video takes between 11 seconds and 6 minutes. */
const VIDEO_TIMEOUT_MS = 15 * 60_000
const MOST_REDIRECTS = 3
const LONGEST_REASON_UNITS = 300

export const GEMINI_URL = "https://generativelanguage.googleapis.com/v1beta"

export type MediaFile = { readonly bytes: Uint8Array; readonly mimeType: string }

export type GeminiDeps = {
  readonly provider: "nano-banana" | "veo"
  readonly baseUrl: string
  readonly key: string
  readonly clock: Pick<Clock, "monotonicMs" | "sleep">
  readonly signal: AbortSignal
  /** Between two questions about a video. */
  readonly pollMs: number
  redact(text: string): Promise<string>
}

const InlineData = z.object({ mimeType: z.string(), data: z.string() })

const ImageAnswer = z.object({
  candidates: z
    .array(
      z.object({
        content: z
          .object({ parts: z.array(z.object({ inlineData: InlineData.optional() })).optional() })
          .optional(),
        finishReason: z.string().optional(),
      }),
    )
    .optional(),
  promptFeedback: z.object({ blockReason: z.string().optional() }).optional(),
})

/** `POST models/<model>:generateContent` answers with the image as base64. */
export async function generateImage(
  {
    model,
    prompt,
    aspect,
  }: { readonly model: string; readonly prompt: string; readonly aspect: string },
  deps: GeminiDeps,
): Promise<MediaFile> {
  const body = {
    contents: [{ role: "user", parts: [{ text: prompt }] }],
    generationConfig: { responseModalities: ["IMAGE"], imageConfig: { aspectRatio: aspect } },
  }
  const answer = await askJson(
    `models/${model}:generateContent`,
    { body, shape: ImageAnswer },
    deps,
  )
  const blocked = answer.promptFeedback?.blockReason
  if (blocked !== undefined) throw ContentPolicy({ provider: deps.provider, reason: blocked })
  const [candidate] = answer.candidates ?? []
  const image = candidate?.content?.parts?.find((it) => it.inlineData !== undefined)?.inlineData
  if (image !== undefined)
    return { bytes: Buffer.from(image.data, "base64"), mimeType: image.mimeType }
  const reason = candidate?.finishReason ?? "no candidate"
  if (POLICY_REASONS.has(reason)) throw ContentPolicy({ provider: deps.provider, reason })
  throw ProviderError({ provider: deps.provider, reason: `the answer has no image (${reason})` })
}

const POLICY_REASONS = new Set([
  "SAFETY",
  "IMAGE_SAFETY",
  "PROHIBITED_CONTENT",
  "IMAGE_PROHIBITED_CONTENT",
  "RECITATION",
  "IMAGE_RECITATION",
  "BLOCKLIST",
  "SPII",
])

const Started = z.object({ name: z.string() })

const VideoAnswer = z.object({
  done: z.boolean().optional(),
  error: z.object({ code: z.int().optional(), message: z.string().optional() }).optional(),
  response: z
    .object({
      generateVideoResponse: z
        .object({
          generatedSamples: z.array(z.object({ video: z.object({ uri: z.string() }) })).optional(),
          raiMediaFilteredCount: z.int().optional(),
          raiMediaFilteredReasons: z.array(z.string()).optional(),
        })
        .optional(),
    })
    .optional(),
})

/** `POST models/<model>:predictLongRunning`, then the operation is read until it is done. */
export async function generateVideo(
  it: {
    readonly model: string
    readonly prompt: string
    readonly aspect: string
    readonly seconds: number
  },
  deps: GeminiDeps,
): Promise<MediaFile> {
  const body = {
    instances: [{ prompt: it.prompt }],
    parameters: { aspectRatio: it.aspect, durationSeconds: it.seconds },
  }
  const path = `models/${it.model}:predictLongRunning`
  const { name } = await askJson(path, { body, shape: Started }, deps)
  const { provider } = deps
  if (!/^(?:models\/[\w.-]+\/)?operations\/[\w.-]+$/.test(name))
    throw ProviderError({ provider, reason: "the name of the operation is not valid" })
  const until = deps.clock.monotonicMs() + VIDEO_TIMEOUT_MS
  while (deps.clock.monotonicMs() < until) {
    const state = await askJson(name, { shape: VideoAnswer }, deps)
    if (state.done === true) return downloadVideo(state, deps)
    await deps.clock.sleep(deps.pollMs, deps.signal)
  }
  throw ProviderError({ provider, reason: `the video was not ready after 15 minutes (${name})` })
}

async function downloadVideo(
  { error, response }: z.output<typeof VideoAnswer>,
  deps: GeminiDeps,
): Promise<MediaFile> {
  const { provider } = deps
  if (error !== undefined) {
    const reason = await shortReason(error.message ?? `code ${error.code}`, deps)
    if (/safety|policy|prohibited|violat/i.test(reason)) throw ContentPolicy({ provider, reason })
    throw ProviderError({ provider, reason })
  }
  const videos = response?.generateVideoResponse
  if ((videos?.raiMediaFilteredCount ?? 0) > 0)
    throw ContentPolicy({
      provider,
      reason: await shortReason(videos?.raiMediaFilteredReasons?.[0] ?? "it was filtered", deps),
    })
  const uri = videos?.generatedSamples?.[0]?.video.uri ?? ""
  const own = new URL(deps.baseUrl)
  const url = URL.canParse(uri) ? new URL(uri) : undefined
  const isSafe = url?.protocol === "https:" || url?.origin === own.origin
  if (url === undefined || !isSafe)
    throw ProviderError({ provider, reason: "the answer has no address of a video" })
  const answer = await request(url, { method: "GET" }, deps)
  const bytes = await readBody(answer, LARGEST_VIDEO_BYTES, deps)
  const mimeType = answer.headers.get("content-type")?.split(";", 1)[0] ?? "video/mp4"
  return { bytes, mimeType: mimeType.startsWith("video/") ? mimeType : "video/mp4" }
}

async function askJson<Shape extends z.ZodType>(
  path: string,
  { body, shape }: { readonly body?: object; readonly shape: Shape },
  deps: GeminiDeps,
): Promise<z.output<Shape>> {
  const url = new URL(`${deps.baseUrl.replace(/\/$/, "")}/${path}`)
  const answer = await request(
    url,
    body === undefined
      ? { method: "GET" }
      : {
          method: "POST",
          body: JSON.stringify(body),
          headers: { "content-type": "application/json" },
        },
    deps,
  )
  const text = Buffer.from(await readBody(answer, LARGEST_ANSWER_BYTES, deps)).toString("utf8")
  const parsed = shape.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  throw ProviderError({ provider: deps.provider, reason: "the answer has an unknown shape" })
}

type RequestOptions = {
  readonly method: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The key is sent to the provider's own origin only, also after a redirect. */
async function request(url: URL, options: RequestOptions, deps: GeminiDeps): Promise<Response> {
  const own = new URL(deps.baseUrl).origin
  let at = url
  for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
    const key = at.origin === own ? { "x-goog-api-key": deps.key } : {}
    const signal = AbortSignal.any([deps.signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)])
    const answer = await send(
      at,
      { ...options, headers: { ...options.headers, ...key }, signal },
      deps,
    )
    const target = answer.headers.get("location")
    const isRedirect = answer.status >= 300 && answer.status < 400
    if (!isRedirect) return accept(answer, deps)
    await answer.body?.cancel()
    const next = target !== null && URL.canParse(target, at) ? new URL(target, at) : undefined
    const isFollowed = next !== undefined && (next.protocol === "https:" || next.origin === own)
    if (!isFollowed || options.method !== "GET")
      throw ProviderError({ provider: deps.provider, reason: "an unexpected redirect" })
    at = next
  }
  throw ProviderError({ provider: deps.provider, reason: "too many redirects" })
}

async function send(url: URL, init: RequestInit, { signal, provider }: GeminiDeps) {
  try {
    return await fetch(url, { ...init, redirect: "manual" })
  } catch (error) {
    signal.throwIfAborted()
    // The error itself may repeat headers; its name and code do not.
    const code = error instanceof Error && error.cause instanceof Error ? error.cause.message : ""
    throw ProviderError({ provider, reason: `no connection to ${url.host} ${code}`.trim() })
  }
}

const Failure = z.object({
  error: z.object({ message: z.string().optional(), status: z.string().optional() }),
})

async function accept(answer: Response, deps: GeminiDeps): Promise<Response> {
  const { status } = answer
  const { provider } = deps
  if (status < 300) return answer
  const text = Buffer.from(await readBody(answer, LARGEST_ANSWER_BYTES, deps)).toString("utf8")
  const parsed = Failure.safeParse(parseJson(text))
  const problem = parsed.success ? parsed.data.error : {}
  const reason = await shortReason(problem.message ?? `HTTP status ${status}`, deps)
  if (status === 401 || status === 403) throw NoCredentials({ provider: `${provider} (${reason})` })
  if (status === 429) {
    const seconds = Number(answer.headers.get("retry-after") ?? Number.NaN)
    throw RateLimit({ provider, seconds: Number.isFinite(seconds) ? seconds : undefined })
  }
  if (status === 400) {
    if (/api key/i.test(reason)) throw NoCredentials({ provider: `${provider} (${reason})` })
    if (/safety|policy|prohibited|violat/i.test(reason)) throw ContentPolicy({ provider, reason })
    throw BadInput({ reason })
  }
  throw ProviderError({ provider, reason })
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

async function readBody(
  answer: Response,
  maxBytes: number,
  { provider, signal }: GeminiDeps,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    const body: AsyncIterable<Uint8Array> | null = answer.body
    for await (const chunk of body ?? nothing()) {
      size += chunk.byteLength
      if (size > maxBytes) break
      chunks.push(chunk)
    }
  } catch {
    signal.throwIfAborted()
    throw ProviderError({ provider, reason: "the connection broke during the answer" })
  }
  if (size > maxBytes)
    throw ProviderError({ provider, reason: `the answer exceeds ${maxBytes} bytes` })
  return Buffer.concat(chunks)
}

async function shortReason(text: string, { redact, key }: GeminiDeps): Promise<string> {
  const clean = await redact(text.replaceAll(key, "[key]"))
  return visibleLine(clean).slice(0, LONGEST_REASON_UNITS)
}
