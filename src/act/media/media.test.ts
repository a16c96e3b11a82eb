import { randomBytes } from "node:crypto"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import path from "node:path"
import { text } from "node:stream/consumers"
import { expect, test } from "vitest"
import { systemClock, systemRandom } from "#ground/base"
import { Config } from "#ground/contract"
import { createSecrets } from "#ground/secrets"
import { tempDirectory } from "#test/temp"
import { type MediaDeps, mediaHandlers } from "./media.ts"

const CALL = { signal: new AbortController().signal }
const PNG = Buffer.from("89504e470d0a1a0a0000", "hex")
const MP4 = Buffer.from("000000186674797069736f6d", "hex")

type Answer = (request: IncomingMessage, body: string, response: ServerResponse) => void

/** A strict server: each request must be the next one of the script, else it answers 599. */
async function scene(script: readonly { readonly line: string; readonly answer: Answer }[]) {
  const temp = await tempDirectory()
  const key = `test-${randomBytes(12).toString("hex")}`
  const seen: { line: string; body: string; key: string | undefined }[] = []
  const answerNext = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request)
    const line = `${request.method} ${request.url}`
    const sent = request.headers["x-goog-api-key"]
    seen.push({ line, body, key: typeof sent === "string" ? sent : undefined })
    const step = script[seen.length - 1]
    if (step?.line === line) return step.answer(request, body, response)
    response.writeHead(599).end()
  }
  const server = createServer((request, response) => void answerNext(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const settings = { ...Config.parse({}).media, baseUrl: `http://127.0.0.1:${port}/v1beta` }
  const secrets = createSecrets({ random: systemRandom })
  const spending = { usd: 0 }
  const handlers = (changes: Partial<MediaDeps> = {}) =>
    mediaHandlers({
      clock: systemClock,
      spending,
      pollMs: 1,
      settings: () => settings,
      key: async () => key,
      resolve: (it) => path.resolve(temp.path, it),
      redact: async (it) => secrets.redact(it).text,
      ...changes,
    })
  return {
    temp: temp.path,
    key,
    seen,
    settings,
    spending,
    handlers,
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await temp[Symbol.asyncDispose]()
    },
  }
}

const answer =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_, __, response) =>
    void response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(JSON.stringify(body))

const IMAGE = "POST /v1beta/models/gemini-3.1-flash-image-preview:generateContent"
const VIDEO = "POST /v1beta/models/veo-3.1-generate-preview:predictLongRunning"
const OPERATION = "GET /v1beta/models/veo-3.1-generate-preview/operations/op1"
const drawn = {
  candidates: [
    {
      content: {
        parts: [
          { text: "Here" },
          { inlineData: { mimeType: "image/png", data: PNG.toString("base64") } },
        ],
      },
      finishReason: "STOP",
    },
  ],
}
const boat = { prompt: "a paper boat", out: "boat.png", aspect: "1:1" } as const
const waves = { prompt: "waves", out: "waves.mp4", aspect: "16:9", seconds: 4 } as const

test("[MEDIA-1] an image is asked for with generateContent and written whole, with its price", async () => {
  await using it = await scene([{ line: IMAGE, answer: answer(200, drawn) }])
  const written = await it.handlers().image(boat, CALL)
  expect(written).toEqual({
    provider: "nano-banana",
    model: "gemini-3.1-flash-image-preview",
    file: path.join(it.temp, "boat.png"),
    mimeType: "image/png",
    bytes: PNG.length,
    usd: 0.067,
    spentUsd: 0.067,
  })
  expect(readFileSync(path.join(it.temp, "boat.png"))).toEqual(PNG)
  expect(readdirSync(it.temp)).toEqual(["boat.png"])
  const [request] = it.seen
  expect(request?.key).toBe(it.key)
  expect(JSON.parse(request?.body ?? "")).toEqual({
    contents: [{ role: "user", parts: [{ text: "a paper boat" }] }],
    generationConfig: { responseModalities: ["IMAGE"], imageConfig: { aspectRatio: "1:1" } },
  })
})

test("[MEDIA-2] a video is started, polled until it is done, and downloaded with the key for the provider only", async () => {
  let origin = ""
  const done = (): unknown => ({
    done: true,
    response: {
      generateVideoResponse: {
        generatedSamples: [{ video: { uri: `${origin}/v1beta/files/f1:download?alt=media` } }],
      },
    },
  })
  await using it = await scene([
    {
      line: VIDEO,
      answer: answer(200, { name: "models/veo-3.1-generate-preview/operations/op1" }),
    },
    { line: OPERATION, answer: answer(200, { name: "op", done: false }) },
    { line: OPERATION, answer: (...args) => answer(200, done())(...args) },
    {
      line: "GET /v1beta/files/f1:download?alt=media",
      answer: (_, __, response) =>
        void response.writeHead(200, { "content-type": "video/mp4" }).end(MP4),
    },
  ])
  ;({ origin } = it)
  const written = await it.handlers().video(waves, CALL)
  expect(written).toMatchObject({
    provider: "veo",
    mimeType: "video/mp4",
    bytes: MP4.length,
    usd: 1.6,
  })
  expect(readFileSync(path.join(it.temp, "waves.mp4"))).toEqual(MP4)
  expect(JSON.parse(it.seen[0]?.body ?? "")).toEqual({
    instances: [{ prompt: "waves" }],
    parameters: { aspectRatio: "16:9", durationSeconds: 4 },
  })
  expect(it.seen.map((request) => request.key)).toEqual(Array(4).fill(it.key))
})

test("[MEDIA-3] without a key, above the cap, with a bad target or an unknown price nothing is sent", async () => {
  await using it = await scene([])
  const { image, video } = it.handlers()
  const refused = async (made: Promise<unknown>, code: string) =>
    expect(made).rejects.toMatchObject({ code })
  for (const key of [undefined, "", "  ", "two words", "kéy"])
    await refused(it.handlers({ key: async () => key }).image(boat, CALL), "MEDIA_NO_CREDENTIALS")
  await refused(image({ ...boat, out: "boat.exe" }, CALL), "MEDIA_BAD_INPUT")
  await refused(video({ ...waves, seconds: 5 }, CALL), "MEDIA_BAD_INPUT")
  await refused(image({ ...boat, out: "missing/boat.png" }, CALL), "MEDIA_IO")
  mkdirSync(path.join(it.temp, "there.png"))
  await refused(image({ ...boat, out: "there.png" }, CALL), "MEDIA_IO")
  await refused(
    it
      .handlers({ settings: () => ({ ...it.settings, imageModel: "new-model" }) })
      .image(boat, CALL),
    "MEDIA_BAD_INPUT",
  )
  await refused(
    it.handlers({ settings: () => ({ ...it.settings, imageModel: "../x" }) }).image(boat, CALL),
    "MEDIA_BAD_INPUT",
  )
  await refused(
    it
      .handlers({ settings: () => ({ ...it.settings, baseUrl: "http://example.test/v1" }) })
      .image(boat, CALL),
    "MEDIA_BAD_INPUT",
  )
  await refused(
    it.handlers({ settings: () => ({ ...it.settings, maxUsd: 1.5 }) }).video(waves, CALL),
    "MEDIA_COST_CAP_REACHED",
  )
  expect(it.seen).toEqual([])
  expect(readdirSync(it.temp)).toEqual(["there.png"])
})

test("[MEDIA-4] the cap counts all calls of the process, also failed ones", async () => {
  await using it = await scene([
    { line: IMAGE, answer: answer(200, drawn) },
    { line: IMAGE, answer: answer(500, { error: { message: "internal" } }) },
  ])
  const { image } = it.handlers({ settings: () => ({ ...it.settings, maxUsd: 0.15 }) })
  await image(boat, CALL)
  await expect(image({ ...boat, out: "b.png" }, CALL)).rejects.toMatchObject({
    code: "MEDIA_PROVIDER_ERROR",
  })
  await expect(image({ ...boat, out: "c.png" }, CALL)).rejects.toMatchObject({
    code: "MEDIA_COST_CAP_REACHED",
    message: "This call costs about $0.067; $0.134 of the limit of $0.15 is spent.",
  })
  expect(it.seen).toHaveLength(2)
})

const failures: readonly (readonly [string, Answer, string])[] = [
  [
    "a blocked prompt",
    answer(200, { promptFeedback: { blockReason: "PROHIBITED_CONTENT" } }),
    "MEDIA_CONTENT_POLICY",
  ],
  [
    "a filtered image",
    answer(200, { candidates: [{ finishReason: "IMAGE_SAFETY" }] }),
    "MEDIA_CONTENT_POLICY",
  ],
  [
    "an answer without an image",
    answer(200, { candidates: [{ content: { parts: [{}] }, finishReason: "STOP" }] }),
    "MEDIA_PROVIDER_ERROR",
  ],
  ["another shape", answer(200, { candidates: 3 }), "MEDIA_PROVIDER_ERROR"],
  [
    "too many requests",
    answer(429, { error: { message: "quota" } }, { "retry-after": "7" }),
    "MEDIA_RATE_LIMIT",
  ],
  [
    "a rejected key",
    answer(400, { error: { message: "API key not valid" } }),
    "MEDIA_NO_CREDENTIALS",
  ],
  ["a forbidden key", answer(403, { error: { message: "denied" } }), "MEDIA_NO_CREDENTIALS"],
  [
    "a bad argument",
    answer(400, { error: { message: "Invalid aspect ratio" } }),
    "MEDIA_BAD_INPUT",
  ],
  [
    "a redirect",
    (_, __, response) => void response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
    "MEDIA_PROVIDER_ERROR",
  ],
  ["a broken connection", (request) => void request.socket.destroy(), "MEDIA_PROVIDER_ERROR"],
]

test.for(failures)(
  "[MEDIA-5] %s gives its code, no file and no key in the error",
  async ([, give, code]) => {
    await using it = await scene([
      { line: IMAGE, answer: (request, body, response) => give(request, body, response) },
    ])
    const made = it.handlers().image(boat, CALL)
    await expect(made).rejects.toMatchObject({ code })
    const error = await made.catch((thrown: unknown) => thrown)
    expect(`${String(error)}${JSON.stringify(error)}`).not.toContain(it.key)
    expect(readdirSync(it.temp)).toEqual([])
  },
)

test("[MEDIA-5] a filtered or failed video and a foreign address give their codes and no file", async () => {
  const cases = [
    [
      {
        done: true,
        response: {
          generateVideoResponse: {
            raiMediaFilteredCount: 1,
            raiMediaFilteredReasons: ["a person"],
          },
        },
      },
      "MEDIA_CONTENT_POLICY",
    ],
    [
      { done: true, error: { code: 3, message: "The prompt violates the policy" } },
      "MEDIA_CONTENT_POLICY",
    ],
    [{ done: true, error: { code: 13, message: "internal" } }, "MEDIA_PROVIDER_ERROR"],
    [
      {
        done: true,
        response: {
          generateVideoResponse: {
            generatedSamples: [{ video: { uri: "http://example.test/x" } }],
          },
        },
      },
      "MEDIA_PROVIDER_ERROR",
    ],
    [{ done: true, response: {} }, "MEDIA_PROVIDER_ERROR"],
  ] as const
  for (const [state, code] of cases) {
    await using it = await scene([
      {
        line: VIDEO,
        answer: answer(200, { name: "models/veo-3.1-generate-preview/operations/op1" }),
      },
      { line: OPERATION, answer: answer(200, state) },
    ])
    await expect(it.handlers().video(waves, CALL)).rejects.toMatchObject({ code })
    expect(readdirSync(it.temp)).toEqual([])
  }
  await using it = await scene([{ line: VIDEO, answer: answer(200, { name: "../../secret" }) }])
  await expect(it.handlers().video(waves, CALL)).rejects.toMatchObject({
    code: "MEDIA_PROVIDER_ERROR",
  })
  expect(it.seen).toHaveLength(1)
})

test.skipIf(process.getuid?.() === 0)(
  "[MEDIA-3] a folder that refuses writes is found before the call",
  async () => {
    await using it = await scene([])
    mkdirSync(path.join(it.temp, "locked"))
    chmodSync(path.join(it.temp, "locked"), 0o500)
    const made = it.handlers().image({ ...boat, out: "locked/boat.png" }, CALL)
    await expect(made).rejects.toMatchObject({ code: "MEDIA_IO" })
    expect(existsSync(path.join(it.temp, "locked/boat.png"))).toBe(false)
    expect(it.seen).toEqual([])
  },
)
