import { randomBytes } from "node:crypto"
import { expect, test } from "vitest"
import { z } from "zod"
import { defineOperations } from "#ground/contract"
import { tempDirectory } from "#test/temp"
import { createApp } from "./app.ts"

const countOperations = defineOperations("count", {
  words: {
    summary: "Count the words of a text",
    effect: "write",
    surfaces: ["http"],
    input: z.strictObject({ text: z.string().describe("Text"), by: z.int().default(1) }),
    output: z.object({ words: z.int() }),
  },
})

test("[APP-67] a name that contains a secret is refused without showing it", async () => {
  await using folder = await tempDirectory()
  await using app = await createApp({
    directory: folder.path,
    environment: { QM_HOME: folder.path },
    settings: [],
    writeLog: () => {},
  })
  const { signal } = new AbortController()
  const secret = `ghp_${randomBytes(18).toString("hex")}`
  const invite = (name: string) => app.call("people.invite", { name }, { signal })
  const refused = await invite(secret).catch((error: unknown) => error)
  expect(refused).toMatchObject({
    code: "APP_INPUT_INVALID",
    data: { problem: "name contains a secret (github-token)" },
  })
  expect(JSON.stringify(refused)).not.toContain(secret)
  expect(await invite("somebody-with-a-long-name")).toMatchObject({ person: { role: "viewer" } })
})

test("[APP-6] input and output are parsed, and each call logs one line", async () => {
  await using folder = await tempDirectory()
  const lines: string[] = []
  const inputs: unknown[] = []
  await using app = await createApp({
    directory: folder.path,
    environment: { QM_HOME: folder.path },
    settings: ["log.level=info"],
    writeLog: (line) => void lines.push(line),
    extra: {
      operations: countOperations,
      load: async () => ({
        count: {
          words: async (input: unknown) => {
            inputs.push(input)
            return { words: inputs.length === 1 ? 2 : "many" }
          },
        },
      }),
    },
  })
  const { signal } = new AbortController()
  const call = (input: unknown) => app.call("count.words", input, { signal })
  const events = () =>
    lines.splice(0).flatMap((it) => /operation \w+|APP_INPUT_INVALID|BUG/g.exec(it)?.[0] ?? [])

  expect(await call({ text: "a b" })).toEqual({ words: 2 })
  expect(inputs).toEqual([{ text: "a b", by: 1 }])
  expect(events()).toEqual(["operation done"])

  await expect(call({ text: 7 })).rejects.toMatchObject({ code: "APP_INPUT_INVALID" })
  expect(inputs).toHaveLength(1)
  expect(events()).toEqual(["operation failed"])

  await expect(call({ text: "" })).rejects.toThrow(z.ZodError)
  expect(events()).toEqual(["operation failed"])
})
