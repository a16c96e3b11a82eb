import { expect, test } from "vitest"
import { OPERATIONS } from "#ground/contract"
import { NothingToCount, TooManyPaths } from "./errors.ts"
import { tokensHandlers } from "./handlers.ts"
import { MOST_COUNTED_PATHS } from "./limits.ts"
import { createTokens } from "./tokens.ts"

const TEXTS: Readonly<Record<string, string>> = { "a.md": "hello world", "b.ts": "2 + 2 = 4" }
const { count } = tokensHandlers({
  tokens: createTokens({ encoding: "o200k" }),
  scale: async (model) => (model === undefined ? null : { model, factor: 1.5, basis: "measured" }),
  window: () => 100,
  async read(path) {
    const text = TEXTS[path] ?? ""
    return { text, sizeBytes: Buffer.byteLength(text) }
  },
})

const { input, output } = OPERATIONS["tokens.count"]
const run = async (given: unknown, signal = new AbortController().signal) =>
  output.parse(await count(input.parse(given), { signal }))

test("[TOKENS-10] tokens.count returns each file, the total and the encoding", async () => {
  expect(await run({ paths: ["a.md", "b.ts"] })).toEqual({
    files: [
      { path: "a.md", tokens: 2, bytes: 11, share: 0.02 },
      { path: "b.ts", tokens: 7, bytes: 9, share: 0.07 },
    ],
    total: { tokens: 9, bytes: 20, share: 0.09 },
    budget: 100,
    encoding: "o200k",
    scale: null,
    exact: true,
    meaning: "Counted exactly, with the o200k encoding.",
  })
})

test("[TOKENS-10] a text is counted alone or with files, and the call's budget takes precedence", async () => {
  const { files, total } = await run({ paths: ["a.md"], text: "hello world é", budget: 4 })
  expect(files.map((it) => it.path)).toEqual(["a.md", undefined])
  expect(total.bytes).toBe(11 + 14)
  expect(total.share).toBe(total.tokens / 4)
  expect((await run({ text: "" })).total).toEqual({ tokens: 0, bytes: 0, share: 0 })
})

test("[TOKENS-10] a long text is counted in a thread, with the same result", async () => {
  const text = "a long text with words, 漢字 and numbers 12345\n".repeat(5_000)
  const { count: countHere } = await createTokens({ encoding: "o200k" }).counter()
  const { total } = await run({ text })
  expect(total.tokens).toBe(countHere(text))
  expect((await run({ text, model: "m" })).total.tokens).toBe(Math.round(total.tokens * 1.5))
})

test("[TOKENS-10] no input and too many files are errors that say what to do", async () => {
  await expect(run({})).rejects.toMatchObject({ code: NothingToCount.code, family: "invalid" })
  const paths = Array.from({ length: MOST_COUNTED_PATHS + 1 }, (_, index) => `${index}`)
  await expect(run({ paths })).rejects.toMatchObject({
    code: TooManyPaths.code,
    message: "10001 paths given; the limit per call is 10000.",
  })
})

test("[TOKENS-10] an aborted call reads no further file", async () => {
  await expect(run({ paths: ["a.md"] }, AbortSignal.abort())).rejects.toThrow("aborted")
})

test("[TOKENS-10] every input field has a description", () => {
  for (const field of Object.values(input.shape)) expect(field.description).toBeTruthy()
})

test("[TOKENS-12] counts for a model are scaled, are not exact, and name the model and the factor", async () => {
  const [plain, scaled] = await Promise.all([
    run({ paths: ["a.md", "b.ts"], budget: 100 }),
    run({ paths: ["a.md", "b.ts"], budget: 100, model: "claude-x-9" }),
  ])
  expect(plain.scale).toBeNull()
  expect(scaled).toMatchObject({
    scale: { model: "claude-x-9", factor: 1.5, basis: "measured" },
    exact: false,
    meaning: "o200k encoding, counted for claude-x-9 (factor 1.5, measured here)",
  })
  expect(scaled.files.map((it) => it.tokens)).toEqual(
    plain.files.map((it) => Math.ceil(it.tokens * 1.5)),
  )
  expect(scaled.total.tokens).toBe(scaled.files.reduce((sum, it) => sum + it.tokens, 0))
  expect(scaled.total.share).toBe(scaled.total.tokens / 100)
})
