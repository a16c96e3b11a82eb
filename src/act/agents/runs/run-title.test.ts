import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { systemClock, visibleLine } from "#ground/base"
import { configured, isOver, newRoom, until } from "#test/agents-room"
import { fcParameters } from "#test/seed"
import type { CompleteOptions } from "../agent.ts"
import { synthetic } from "../synthetic/synthetic.ts"
import { cleanTitle, proposeTitle, titlePrompt } from "./run-title.ts"

const options = {
  cwd: "/tmp/empty",
  environment: {},
  program: "synthetic",
  signal: new AbortController().signal,
  firstTurn: "Fix the total of\nan empty list of prices",
  answer: "The total is 0 now.",
}

/** Letters of the first planes, lone surrogates and hidden characters. */
const letters = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0x2fff }), fc.integer({ min: 0xd7ff, max: 0xffff })), {
    maxLength: 60,
  })
  .map((codes) => String.fromCharCode(...codes))

describe("generated titles", () => {
  test("a title is requested with the first turn and its response, and cleaned", async () => {
    const asked: CompleteOptions[] = []
    const agent = {
      async complete(it: CompleteOptions) {
        asked.push(it)
        return '\n**"Total of an empty list."**\n'
      },
    }
    const title = await proposeTitle({ ...options, agent, run: { isTitleOwn: false } })
    expect(title).toBe("Total of an empty list")
    expect(asked).toEqual([
      {
        cwd: "/tmp/empty",
        environment: {},
        program: "synthetic",
        signal: options.signal,
        prompt: titlePrompt(options.firstTurn, options.answer),
      },
    ])
    expect(asked[0]?.prompt.endsWith("\nFix the total of an empty list of prices")).toBe(true)
  })

  test("no title is requested when the user set one, and an empty response gives no title", async () => {
    const agent = { complete: async () => Promise.reject(new Error("asked")) }
    expect(await proposeTitle({ ...options, agent, run: { isTitleOwn: true } })).toBeUndefined()
    const silent = { complete: async () => undefined }
    const run = { isTitleOwn: false }
    expect(await proposeTitle({ ...options, agent: silent, run })).toBeUndefined()
  })

  test("the synthetic agent derives the title from the first words, always the same", async () => {
    const run = { isTitleOwn: false }
    const title = await proposeTitle({ ...options, agent: synthetic, run })
    expect(title).toBe("Fix the total of an empty")
    expect(await proposeTitle({ ...options, agent: synthetic, run })).toBe(title)
  })

  test.each([
    ["Fix the total", "Fix the total"],
    ["Title: Fix the total.", "Fix the total"],
    ["Here is a title:\n\n# `Fix the total`", "Fix the total"],
    ["```\nFix the total\n```", "Fix the total"],
    ["„Summe leerer Listen“", "Summe leerer Listen"],
    ["Fix\u202e the\u200b total\u0007", "Fix the total"],
    ["修复空列表的总和", "修复空列表的总和"],
    [`Fix ${"x".repeat(200)}`, `Fix ${"x".repeat(75)}…`],
    ["", undefined],
    ["\n \u200b \n", undefined],
    ["...", undefined],
    ["I cannot name this.", undefined],
    ["API Error: 529 overloaded", undefined],
    ['{"title":"x"}', undefined],
    ["This run is about the total of an empty list and how it was made zero", undefined],
  ])("%j becomes %j", (said, title) => {
    expect(cleanTitle(said)).toBe(title)
  })

  test("any response gives one short line of printable text", () => {
    fc.assert(
      fc.property(letters, (said) => {
        const title = cleanTitle(said)
        if (title === undefined) return
        expect(title).toMatch(/[\p{L}\p{N}]/u)
        expect(title.length).toBeLessThanOrEqual(80)
        expect(visibleLine(title)).toBe(title)
        expect(title).toBe(title.trim())
      }),
      fcParameters({ numRuns: 500 }),
    )
  })

  test("a long turn is truncated before it is sent", () => {
    const prompt = titlePrompt("word ".repeat(100_000), "answer ".repeat(100_000))
    expect(prompt.length).toBeLessThan(5_000)
  })
})

describe("titles of runs", () => {
  const writing = (complete: (it: CompleteOptions) => Promise<string | undefined>) => ({
    wantsTitles: () => true,
    agent: async () => ({ ...synthetic, complete }),
  })
  const start = { type: "claude-code", prompt: "x", configuration: configured() } as const

  test("[AGENTS-75] a run in the foreground gets its title before its process ends", async () => {
    const asked = Promise.withResolvers<void>()
    await using room = await newRoom(
      writing(async () => {
        asked.resolve()
        await systemClock.sleep(50)
        return "Total of an empty list"
      }),
    )
    const run = await room.start(start)
    await until(room, run.id, isOver)
    await asked.promise
    await room.close()
    expect((await room.get(run.id)).title).toBe("Total of an empty list")
  })

  test("[AGENTS-75] a run that is named during its first turn costs no request for a title", async () => {
    let requests = 0
    const first = Promise.withResolvers<void>()
    await using room = await newRoom({
      ...writing(async () => {
        requests++
        return "Another title"
      }),
      // The first turn starts only after the run has its name.
      projectFolders: async () => {
        await first.promise
        return []
      },
    })
    const run = await room.start(start)
    await room.edit(run.id, { title: "Test: round prices", isTitleOwn: true })
    first.resolve()
    await until(room, run.id, isOver)
    await room.close()
    expect((await room.get(run.id)).title).toBe("Test: round prices")
    expect(requests).toBe(0)
  })

  test("[AGENTS-75] a title is written on request, also over the user's own, and a failure changes nothing", async () => {
    let title: string | undefined = "A better name"
    await using room = await newRoom({ ...writing(async () => title), wantsTitles: () => false })
    const run = await room.start(start)
    await until(room, run.id, isOver)
    await room.edit(run.id, { title: "Mine", isTitleOwn: true })
    const { signal } = new AbortController()
    expect(await room.title(run.id, signal)).toMatchObject({
      title: "A better name",
      isTitleOwn: false,
    })
    title = undefined
    await expect(room.title(run.id, signal)).rejects.toMatchObject({
      code: "AGENTS_TITLE_NOT_WRITTEN",
    })
    expect((await room.get(run.id)).title).toBe("A better name")
  })
})
