import { rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { systemRandom } from "#ground/base"
import { type MemoryKind, memoryOperations, OPERATIONS } from "#ground/contract"
import { createSecrets } from "#ground/secrets"
import { sql } from "#ground/store"
import { AGENT, fileText, type MemoryFixture, memoryFixture, note, WANTED } from "#test/memory-room"
import { operationCaller } from "#test/operations"
import { memoryHandlers } from "./handlers.ts"
import { LONGEST_BODY_UNITS, LONGEST_TITLE_UNITS } from "./limits.ts"
import { redactText } from "./record/redact.ts"

const all = { limit: 1_000 }
const Body = z.object({ body: z.string() })

describe("memory files", () => {
  test("[MEMORY-1] each kind has its folder, and the file name contains the title", async () => {
    await using it = await memoryFixture()
    const kinds: readonly MemoryKind[] = ["strategy", "pitfall", "fix", "decision", "rule", "term"]
    for (const kind of kinds) {
      await it.room.record(note({ kind, title: `On ${kind}: ÄÖ & "x"`, body: `About ${kind}.` }))
      await it.clock.advance(1)
    }
    const { memories } = await it.room.list(all)
    expect(memories.map((memory) => memory.file.replace(/-[0-9a-z]{6}\.md$/, ""))).toEqual([
      ".qm/memory/glossary/on-term-a-o-x",
      ".qm/memory/rules/on-rule-a-o-x",
      ".qm/memory/decisions/on-decision-a-o-x",
      ".qm/memory/lessons/on-fix-a-o-x",
      ".qm/memory/lessons/on-pitfall-a-o-x",
      ".qm/memory/lessons/on-strategy-a-o-x",
    ])
    expect(memories.every((memory) => memory.file.includes(memory.id.slice(-6)))).toBe(true)
  })

  test("[MEMORY-1] a memory reads back as it was recorded", async () => {
    await using it = await memoryFixture()
    it.code.set("src/cache.ts keyOf", "aa11")
    const { memory, outcome } = await it.room.record(
      note({ cites: ["src/cache.ts#keyOf"], description: "Pages of others" }),
      AGENT,
    )
    expect(outcome).toBe("recorded")
    expect(await it.room.show({ id: memory.id })).toEqual(memory)
    expect(memory).toEqual({
      id: memory.id,
      kind: "pitfall",
      title: "The cache key lacks the locale",
      description: "Pages of others",
      body: note().body,
      cites: [{ path: "src/cache.ts", symbol: "keyOf", sha: "aa11", state: "fresh" }],
      source: {
        session: "ses_1",
        actor: "agent",
        commit: "c0ffee",
        isUntrusted: false,
        isDistilled: false,
      },
      state: "proposed",
      supersededBy: null,
      signals: { helpful: 0, unhelpful: 0, succeeded: 0, failed: 0 },
      uses: 0,
      confidence: 0.7,
      file: memory.file,
      createdAt: it.clock.now(),
    })
    expect(OPERATIONS["memory.show"].output.parse(memory)).toEqual(memory)
  })

  test("[MEMORY-2] edited, moved and deleted files are used at the next call", async () => {
    await using it = await memoryFixture()
    const { memory } = await it.room.record(note())
    const [from, to] = [join(it.root, memory.file), join(it.root, ".qm/memory/rules/moved.md")]
    await it.file("rules/README.md", "no memory")
    await it.file("decisions/sub/plain.md", fileText({ title: "Ports are 42xx" }))
    await rename(from, to)
    const moved = await it.room.list(all)
    expect(moved.memories.map((found) => [found.file, found.kind, found.title])).toEqual([
      [".qm/memory/rules/moved.md", "pitfall", memory.title],
      [".qm/memory/decisions/sub/plain.md", "decision", "Ports are 42xx"],
    ])
    await it.file(
      "rules/moved.md",
      (await it.read(moved.memories[0]?.file ?? "")).replace("Two", "Ten"),
    )
    expect((await it.room.show({ id: memory.id })).body).toContain("Ten users")
    await rm(to)
    await expect(it.room.show({ id: memory.id })).rejects.toThrow("No memory has the id")
    expect(await it.room.list(all)).toMatchObject({ total: 1, problems: [] })
  })

  test("[MEMORY-2] a file without an id gets a permanent one at the first write", async () => {
    await using it = await memoryFixture()
    const file = await it.file("rules/tabs.md", fileText({ title: "Two spaces" }))
    const [memory] = (await it.room.list(all)).memories
    await it.room.feedback({ id: memory?.id ?? "", verdict: "helpful" })
    expect(await it.read(file)).toContain(`id: ${memory?.id}`)
    await rename(join(it.root, file), join(it.root, ".qm/memory/rules/spaces.md"))
    expect((await it.room.list(all)).memories[0]).toMatchObject({
      id: memory?.id,
      signals: { helpful: 1 },
    })
  })
})

describe("memory record", () => {
  test("[MEMORY-7] removes invisible characters and redacts secrets before it writes", async () => {
    await using it = await memoryFixture()
    const canary = Buffer.from(systemRandom.bytes(18)).toString("hex")
    const secrets = createSecrets({ random: systemRandom, known: [canary] })
    const room = it.other({ secrets: async () => secrets })
    const { memory, redactions } = await room.record(
      note({
        title: `Login\u202e with ${canary}`,
        body: `The key ${canary.slice(0, 9)}\u200b${canary.slice(9)} is old.\u{e0041}\r\nNext.`,
        description: canary,
      }),
      { ...AGENT, session: canary },
    )
    expect(redactions).toBe(3)
    expect(memory.body).toMatch(/^The key \[redacted: [a-z-]+ [0-9a-f]{4}\] is old\.\nNext\.$/)
    const written = await it.read(memory.file)
    expect(written).not.toContain(canary)
    expect(written).not.toMatch(/[\u200b\u202e\u{e0041}\r]/u)
    expect(memory.file).not.toContain(canary.slice(0, 12))
  })

  test("[MEMORY-7] redacts a secret that only an invisible character separates", () => {
    const redact = (text: string) => {
      const matches = [...text.matchAll(/\u200bcanary\b/g)]
      const finding = { kind: "known", line: 1, hash: "0000", start: 0, end: 0 }
      return {
        text: text.replace(/\u200bcanary\b/g, "[gone]"),
        findings: matches.map(() => finding),
      }
    }
    expect(redactText("the\u200bcanary sings", redact)).toEqual({
      text: "the[gone] sings",
      redactions: 1,
    })
    expect(redactText("the\u200b bird", redact)).toEqual({ text: "the bird", redactions: 0 })
  })

  test("[MEMORY-7] a failing redactor prevents every write and every result", async () => {
    await using it = await memoryFixture()
    await it.room.record(note())
    const before = await it.files()
    const failing = [
      { secrets: async () => Promise.reject(new Error("no scrubber")) },
      {
        secrets: async () => ({
          redact: () => {
            throw new Error("no scrubber")
          },
        }),
      },
    ]
    for (const change of failing) {
      const room = it.other(change)
      await expect(room.record(note({ body: "Another." }))).rejects.toThrow("no scrubber")
      await expect(room.search({ words: "cache", limit: 5 })).rejects.toThrow("no scrubber")
      await expect(room.list(all)).rejects.toThrow("no scrubber")
      expect(await room.inject(WANTED)).toEqual([])
    }
    expect(await it.files()).toEqual(before)
    expect(await it.events()).toEqual(["memory.recorded"])
  })

  test("[MEMORY-7] a secret in a file written by hand reaches neither index nor result", async () => {
    await using it = await memoryFixture()
    const canary = Buffer.from(systemRandom.bytes(18)).toString("hex")
    const head = {
      title: `Login page ${canary}`,
      description: canary,
      source: `{ session: ${canary}, commit: ${canary} }`,
      cites: `[{ path: a/${canary}, symbol: ${canary}, sha: ${canary} }, 'b#${canary}']`,
    }
    await it.file("rules/login.md", fileText(head, `Use ${canary}\n`))
    const know = createSecrets({ random: systemRandom, known: [canary] })
    const listed = await it.other({ secrets: async () => know }).list(all)
    expect(listed.memories).toHaveLength(1)
    expect(JSON.stringify(listed)).not.toContain(canary)
    const rows = await it.store.forRoom("memory").all(Body, sql`SELECT body FROM memory_files`)
    expect(JSON.stringify(rows)).toContain("redacted")
    expect(JSON.stringify(rows)).not.toContain(canary)
  })

  test("[MEMORY-7] redacts a secret that became known after the memory was indexed", async () => {
    await using it = await memoryFixture()
    const canary = Buffer.from(systemRandom.bytes(9)).toString("hex").replaceAll(/\d/g, "x")
    await it.file("rules/login.md", fileText({ title: "Login page" }, `Use ${canary}\n`))
    expect((await it.room.list(all)).memories[0]?.body).toContain(canary)
    const know = createSecrets({ random: systemRandom, known: [canary] })
    const room = it.other({ secrets: async () => know })
    expect((await room.list(all)).memories[0]?.body).toContain("[redacted")
    const [block] = await room.inject({ ...WANTED, text: "login page" })
    expect(block?.text).toContain("[redacted")
  })

  test("[MEMORY-8] a duplicate returns the existing memory", async () => {
    await using it = await memoryFixture()
    const first = await it.room.record(note({ body: LONG }))
    const again = await it.room.record(
      note({
        kind: "fix",
        title: "the CACHE key,  lacks the locale!",
        body: LONG.replace("w77 ", "w78 "),
      }),
      AGENT,
    )
    expect(again.outcome).toBe("duplicate")
    expect(again.memory).toEqual(first.memory)
    expect(await it.files()).toHaveLength(1)
    expect(await it.events()).toEqual(["memory.recorded"])
    const other = await it.room.record(note({ body: LONG.replaceAll(/w\d*7/g, "v$&") }))
    expect(other.outcome).toBe("recorded")
  })

  test("[MEMORY-8] a superseded text may be recorded again", async () => {
    await using it = await memoryFixture()
    const { id } = (await it.room.record(note())).memory
    await it.room.record(note({ title: "Otherwise", body: "Now so.", supersedes: id }))
    const again = await it.room.record(note())
    expect([again.outcome, again.memory.id === id]).toEqual(["recorded", false])
  })

  test("[MEMORY-9] rejects text that contains a handed-out block", async () => {
    await using it = await memoryFixture()
    await it.room.record(note())
    const [block] = await it.room.inject(WANTED)
    const echoes = [
      `I learnt:\n${block?.text}\nand more words that make it differ from the first.`,
      `> ${block?.text.split("\n")[0]}`,
      `Quote: q\u200bm:memory ${block?.id} says so`,
      "## src/a.ts (blob 0123abc, trust project, whole)\ncode",
      "some code\nqm-0a1b2c\n",
      '<context-package budget="1" fence="qm-1">',
      "--- 6f6f begins ---\nUser: hello\n--- 6f6f ends ---",
    ]
    for (const body of echoes) {
      await expect(it.room.record(note({ title: "New", body }), AGENT)).rejects.toMatchObject({
        code: "MEMORY_OWN_TEXT",
      })
    }
    await expect(
      it.room.record(note({ title: `qm:memory ${block?.id}`, body: "x" }), AGENT),
    ).rejects.toMatchObject({ code: "MEMORY_OWN_TEXT" })
    expect(await it.files()).toHaveLength(1)
    const innocent =
      "Run `qm memory search` first.\n---\nA line --- begins --- here, qm-fold is fine."
    expect((await it.room.record(note({ title: "New", body: innocent }))).outcome).toBe("recorded")
  })

  test("[MEMORY-10] a session distils at most three memories, and can still record others", async () => {
    await using it = await memoryFixture()
    const distil = (n: number, session: string) =>
      it.room.record(note({ title: `Lesson ${n}`, body: `Body ${n}`, branchId: "br_1" }), {
        ...AGENT,
        session,
      })
    for (const n of [1, 2, 3]) expect((await distil(n, "a")).memory.source.isDistilled).toBe(true)
    await expect(distil(4, "a")).rejects.toMatchObject({ code: "MEMORY_TOO_MANY" })
    expect((await distil(3, "a")).outcome).toBe("duplicate")
    expect((await distil(5, "b")).outcome).toBe("recorded")
    expect((await it.room.record(note(), { ...AGENT, session: "a" })).outcome).toBe("recorded")
  })

  test("[MEMORY-10] `onRecorded` is called with the branch once its memory is stored", async () => {
    await using it = await memoryFixture()
    const recorded: string[] = []
    const handlers = memoryHandlers({
      memory: async () => it.room,
      async onRecorded({ branchId, memory }, caller) {
        recorded.push(`${branchId} ${memory.title} ${caller?.session}`)
      },
    })
    const call = operationCaller({ memory: handlers })
    const context = { signal: new AbortController().signal, caller: AGENT }
    await call("memory.record", note({ branchId: "br_1" }), context)
    await call("memory.record", note({ branchId: "br_2", sessionId: "ses_2" }), context)
    await call("memory.record", note({ title: "Second", body: "Without one" }), context)
    expect(recorded).toEqual([`br_1 ${note().title} ses_1`, `br_2 ${note().title} ses_2`])
  })

  test("[MEMORY-21] rejects invalid input with the limit and the length", async () => {
    await using it = await memoryFixture()
    const refused: readonly [Parameters<typeof note>[0], string, string][] = [
      [{ title: " \u200b " }, "MEMORY_INVALID_INPUT", "is empty"],
      [{ title: "x".repeat(LONGEST_TITLE_UNITS + 1) }, "MEMORY_TEXT_TOO_LONG", "201 characters"],
      [{ body: "x".repeat(LONGEST_BODY_UNITS + 1) }, "MEMORY_TEXT_TOO_LONG", "the limit is 20,000"],
      [{ description: "x".repeat(501) }, "MEMORY_TEXT_TOO_LONG", "the limit is 500"],
      [{ body: "<<<<<<< a\n1\n=======\n2\n>>>>>>> b" }, "MEMORY_INVALID_INPUT", "merge"],
      [{ cites: Array.from({ length: 21 }, String) }, "MEMORY_INVALID_INPUT", "the limit is 20"],
      [{ supersedes: "mem_none" }, "MEMORY_NOT_FOUND", "mem_none"],
    ]
    for (const [fields, code, words] of refused) {
      const error = await it.room.record(note(fields)).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code, message: expect.stringContaining(words) })
    }
    await expect(it.room.feedback({ id: "mem_none" })).rejects.toMatchObject({
      code: "MEMORY_NOTHING_SAID",
    })
    await expect(it.room.feedback({ id: "mem_x\n", verdict: "helpful" })).rejects.toMatchObject({
      code: "MEMORY_NOT_FOUND",
      message: "No memory has the id mem_x\\n.",
    })
    expect(await it.files()).toEqual([])
  })

  test("[MEMORY-21] stores unusual texts as far as possible", async () => {
    await using it = await memoryFixture()
    const odd = "NUL \u0000, half \ud800, 世界, --- \n---\ntitle: other\n---\n\ttab"
    const { memory } = await it.room.record(note({ title: "# [x]: {y} 'z' \"", body: odd }))
    expect(await it.room.show({ id: memory.id })).toMatchObject({
      title: "# [x]: {y} 'z' \"",
      body: "NUL , half , 世界, --- \n---\ntitle: other\n---\n\ttab",
    })
  })
})

describe("citations", () => {
  const cited = { cites: ["src/cache.ts", "src/key.ts#keyOf"] }

  async function withCode(it: MemoryFixture): Promise<void> {
    it.code.set("src/cache.ts", "aa").set("src/key.ts keyOf", "bb")
  }

  test("[MEMORY-12] a stale citation is shown as stale, and the memory is not handed out", async () => {
    await using it = await memoryFixture()
    await withCode(it)
    const { memory } = await it.room.record(note(cited))
    const before = await it.read(memory.file)
    it.code.set("src/key.ts keyOf", "cc")
    const stale = await it.room.show({ id: memory.id })
    expect(stale.state).toBe("stale")
    expect(stale.cites.map((cite) => cite.state)).toEqual(["fresh", "changed"])
    expect((await it.room.list({ ...all, state: "stale" })).total).toBe(1)
    expect((await it.room.list({ ...all, state: "confirmed" })).total).toBe(0)
    expect((await it.room.search({ words: "locale", limit: 5 })).found[0]?.memory.state).toBe(
      "stale",
    )
    expect(await it.room.inject(WANTED)).toEqual([])
    it.code.delete("src/cache.ts")
    expect((await it.room.show({ id: memory.id })).cites[0]?.state).toBe("gone")
    expect(await it.read(memory.file)).toBe(before)
  })

  test("[MEMORY-12] confirming a memory updates its citations to the current code", async () => {
    await using it = await memoryFixture()
    await withCode(it)
    const { memory } = await it.room.record(note(cited), AGENT)
    it.code.set("src/cache.ts", "new")
    expect(await it.room.confirm({ id: memory.id })).toMatchObject({ state: "confirmed" })
    expect((await it.room.show({ id: memory.id })).cites).toEqual([
      { path: "src/cache.ts", sha: "new", state: "fresh" },
      { path: "src/key.ts", symbol: "keyOf", sha: "bb", state: "fresh" },
    ])
  })

  test("[MEMORY-12] rejects a citation that is not in the repository", async () => {
    await using it = await memoryFixture()
    await withCode(it)
    it.code.set("../out.ts", "x").set("/etc/passwd", "x").set("a//b", "x").set("odd#name.ts", "y")
    for (const cite of [
      "src/none.ts",
      "src/key.ts#none",
      "../out.ts",
      "/etc/passwd",
      "a//b",
      "#x",
    ]) {
      await expect(it.room.record(note({ cites: [cite] }))).rejects.toMatchObject({
        code: "MEMORY_CITE_UNKNOWN",
        message: expect.stringContaining(cite),
      })
    }
    expect(await it.files()).toEqual([])
    const { memory } = await it.room.record(note({ cites: ["odd#name.ts"] }))
    expect(memory.cites).toEqual([{ path: "odd#name.ts", sha: "y", state: "fresh" }])
  })

  test("[MEMORY-12] a citation that cannot be checked is unchecked, not stale", async () => {
    await using it = await memoryFixture()
    it.code.set("src/a.ts", "aa")
    const head = { title: "Cited by hand", cites: "[src/a.ts, 'src/b.ts#f', '../../x']" }
    await it.file("rules/hand.md", fileText(head))
    const states = async (room = it.room) =>
      (await room.list(all)).memories[0]?.cites.map((cite) => cite.state)
    expect(await states()).toEqual(["unchecked", "gone", "gone"])
    const failing = it.other({ hashOf: async () => Promise.reject(new Error("busy")) })
    expect(await states(failing)).toEqual(["unchecked", "unchecked", "gone"])
  })
})

describe("trust", () => {
  test("[MEMORY-16] [TB5] a memory based on foreign text can be found, and is handed out only after a user confirms it", async () => {
    await using it = await memoryFixture()
    it.untrusted.add("ses_web")
    const web = { ...AGENT, session: "ses_web" }
    const byRead = await it.room.record(note(), web)
    const byWord = await it.room.record(
      note({ title: "Page cache two", body: "b", untrusted: true }),
      AGENT,
    )
    const byPerson = await it.room.record(
      note({ title: "Page cache three", body: "c", untrusted: true }),
    )
    for (const { memory } of [byRead, byWord, byPerson]) {
      expect(memory).toMatchObject({ state: "proposed", source: { isUntrusted: true } })
      await it.room.feedback({ id: memory.id, verdict: "helpful", outcome: "succeeded" })
    }
    expect(await it.room.inject(WANTED)).toEqual([])
    expect((await it.room.search({ words: "page cache", limit: 10 })).found).toHaveLength(3)
    await it.room.confirm({ id: byRead.memory.id })
    expect((await it.room.inject(WANTED)).map((block) => block.id)).toEqual([byRead.memory.id])
  })

  test("[MEMORY-16] a session whose sources are unknown is not trusted", async () => {
    await using it = await memoryFixture()
    const room = it.other({ isUntrusted: async () => Promise.reject(new Error("no fold")) })
    expect((await room.record(note(), AGENT)).memory.source.isUntrusted).toBe(true)
    expect((await room.record(note({ title: "By a person", body: "b" }))).memory).toMatchObject({
      state: "confirmed",
      source: { actor: "human", isUntrusted: false },
    })
  })

  test("[MEMORY-17] agents cannot confirm, forget, or replace a confirmed memory", async () => {
    await using it = await memoryFixture()
    const mine = await it.room.record(note({ kind: "decision" }))
    const theirs = await it.room.record(note({ title: "By an agent", body: "b" }), AGENT)
    const denied = { code: "MEMORY_ONLY_A_PERSON" }
    const client = { principal: "client:bot", session: "s" }
    for (const caller of [AGENT, client]) {
      await expect(it.room.confirm({ id: theirs.memory.id }, caller)).rejects.toMatchObject(denied)
      await expect(it.room.forget({ id: theirs.memory.id }, caller)).rejects.toMatchObject(denied)
    }
    const replace = (id: string, title: string, untrusted = false) =>
      it.room.record(note({ title, body: title, supersedes: id, untrusted }), AGENT)
    await expect(replace(mine.memory.id, "Mine no more")).rejects.toMatchObject(denied)
    await expect(replace(theirs.memory.id, "From the web", true)).rejects.toMatchObject(denied)
    const newer = await replace(theirs.memory.id, "Newer")
    expect(await it.room.show({ id: theirs.memory.id })).toMatchObject({
      state: "superseded",
      supersededBy: newer.memory.id,
    })
    await expect(replace(theirs.memory.id, "Newest")).rejects.toMatchObject({
      code: "MEMORY_SUPERSEDED",
    })
    await expect(it.room.confirm({ id: theirs.memory.id })).rejects.toMatchObject({
      code: "MEMORY_SUPERSEDED",
    })
    expect(
      await it.room.forget({ id: mine.memory.id }, { principal: "owner", session: "console" }),
    ).toEqual({
      id: mine.memory.id,
      file: mine.memory.file,
    })
    expect(await it.events()).toEqual([
      "memory.recorded",
      "memory.recorded",
      "memory.recorded",
      "memory.changed",
      "memory.forgotten",
    ])
  })

  test("[MEMORY-17] a memory may be similar to the one it replaces", async () => {
    await using it = await memoryFixture()
    const old = await it.room.record(note())
    const next = await it.room.record(note({ supersedes: old.memory.id }))
    expect(next.outcome).toBe("recorded")
    expect((await it.room.inject(WANTED)).map((block) => block.id)).toEqual([next.memory.id])
    expect((await it.room.record(note())).memory.id).toBe(next.memory.id)
  })
})

describe("memory feedback", () => {
  test("[MEMORY-20] a session has one vote, a user any number", async () => {
    await using it = await memoryFixture()
    const { id } = (await it.room.record(note(), AGENT)).memory
    const signals = async () => Object.values((await it.room.show({ id })).signals)
    for (let n = 0; n < 3; n++) {
      await it.room.feedback({ id, verdict: "helpful", outcome: "succeeded" }, AGENT)
    }
    expect(await signals()).toEqual([1, 0, 1, 0])
    await it.room.feedback({ id, outcome: "failed" }, AGENT)
    expect(await signals()).toEqual([1, 0, 0, 1])
    await it.room.feedback({ id, verdict: "unhelpful" }, AGENT)
    expect(await signals()).toEqual([0, 1, 0, 1])
    await it.room.feedback({ id, verdict: "unhelpful", sessionId: "ses_2" }, AGENT)
    await it.room.feedback({ id, verdict: "unhelpful" }, { ...AGENT, principal: "client:b" })
    expect(await signals()).toEqual([0, 3, 0, 1])
    for (let n = 0; n < 2; n++) await it.room.feedback({ id, verdict: "helpful" })
    expect(await signals()).toEqual([2, 3, 0, 1])
  })

  test("[MEMORY-20] counts that a user reset do not become negative", async () => {
    await using it = await memoryFixture()
    const { id, file } = (await it.room.record(note(), AGENT)).memory
    await it.room.feedback({ id, verdict: "helpful" }, AGENT)
    const text = (await it.read(file)).replace("  helpful: 1", "  helpful: 0")
    await it.file(file.replace(".qm/memory/", ""), text)
    const { signals } = await it.room.feedback({ id, verdict: "unhelpful" }, AGENT)
    expect(signals).toEqual({ helpful: 0, unhelpful: 1, succeeded: 0, failed: 0 })
  })
})

describe("operations", () => {
  test("[MEMORY-17] agents have three operations, users all", async () => {
    await using it = await memoryFixture()
    const surfaces = Object.values(memoryOperations).map(
      ({ name, surfaces }) => `${name} ${surfaces.join(" ")}`,
    )
    expect(surfaces).toEqual([
      "memory.search cli http mcp",
      "memory.record cli http mcp",
      "memory.feedback cli http mcp",
      "memory.list cli http",
      "memory.show cli http",
      "memory.confirm cli http",
      "memory.forget cli http",
    ])
    const call = operationCaller({ memory: memoryHandlers({ memory: async () => it.room }) })
    const { id } = (await it.room.record(note(), AGENT)).memory
    const ask = async (name: string, input: unknown, caller = AGENT) => {
      const context = { signal: new AbortController().signal, caller }
      return call(name, input, context)
    }
    const person = { principal: "owner", session: "console" }
    expect(await ask("memory.search", { words: "locale" })).toMatchObject({ total: 1 })
    expect(await ask("memory.list", {})).toMatchObject({ total: 1 })
    expect(await ask("memory.feedback", { id, verdict: "helpful" })).toMatchObject({ id })
    await expect(ask("memory.confirm", { id })).rejects.toThrow("Only a user")
    await expect(ask("memory.forget", { id })).rejects.toThrow("Only a user")
    expect(await ask("memory.confirm", { id }, person)).toMatchObject({ state: "confirmed" })
    expect(await ask("memory.show", { id }, person)).toMatchObject({ signals: { helpful: 1 } })
    expect(await ask("memory.forget", { id }, person)).toMatchObject({ id })
  })
})

describe("memory search", () => {
  test("[MEMORY-13] finds other forms of a word, below the same form", async () => {
    await using it = await memoryFixture()
    await it.room.record(note({ title: "Runner", body: "Tests run with borp, not tap." }))
    await it.room.record(note({ title: "Logs", body: "Scrub keys before a log is stored." }))
    await it.room.record(note({ title: "Scrubbing", body: "It takes a second." }))
    const search = async (words: string) =>
      (await it.room.search({ words, limit: 10 })).found.map((found) => found.memory.title)
    expect(await search("test")).toEqual(["Runner"])
    expect(await search("scrubbing")).toEqual(["Scrubbing", "Logs"])
    expect(await search("borps")).toEqual(["Runner"])
  })

  test("[MEMORY-13] finds by title, line, text and cited path, in any script, with reasons", async () => {
    await using it = await memoryFixture()
    it.code.set("src/queue/drain.ts", "aa")
    await it.room.record(note({ title: "Drain slowly", body: "b", cites: ["src/queue/drain.ts"] }))
    await it.room.record(note({ title: "Kachelöfen heizen", body: "Nur mit Buche." }))
    await it.room.record(note({ title: "缓存", body: "缓存键缺少语言" }))
    await it.room.record(note({ title: "Other", body: "Nothing of it.", kind: "rule" }))
    const search = async (words: string) =>
      (await it.room.search({ words, limit: 10 })).found.map(({ memory, score, why }) => ({
        title: memory.title,
        score,
        why,
      }))
    expect(await search("queue drain")).toEqual([
      {
        title: "Drain slowly",
        score: 1,
        why: ["matches 'queue', 'drain'", "cites src/queue/drain.ts", "is a pitfall"],
      },
    ])
    expect((await search("KACHELÖFEN"))[0]).toMatchObject({ title: "Kachelöfen heizen" })
    expect((await search("语言"))[0]).toEqual({
      title: "缓存",
      score: 1,
      why: ["matches '语', '言'", "is a pitfall"],
    })
    expect(await search("xylophone")).toEqual([])
    expect((await search("other"))[0]?.title).toBe("Other")
    expect((await it.room.search({ words: "drain", kind: "rule", limit: 5 })).found).toEqual([])
    expect((await it.room.search({ words: "\u0000\ud800 𝕏", limit: 5 })).total).toBe(4)
  })

  test("[MEMORY-13] finds memories with low confidence; age lowers the rank, except of decisions", async () => {
    await using it = await memoryFixture()
    const old = await it.room.record(note({ body: "Old page cache." }))
    const rule = await it.room.record(
      note({ kind: "rule", title: "The cache key lacks a locale", body: "r" }),
    )
    for (let n = 0; n < 9; n++) await it.room.feedback({ id: old.memory.id, verdict: "unhelpful" })
    await it.clock.advance(400 * 86_400_000)
    const fresh = await it.room.record(note({ body: "New page cache." }))
    const { found } = await it.room.search({ words: "cache key lacks", limit: 10 })
    const order = found.map((one) => one.memory.id)
    expect(order).toHaveLength(3)
    expect(order.indexOf(old.memory.id)).toBe(2)
    expect(order).toContain(rule.memory.id)
    expect(found.find((one) => one.memory.id === old.memory.id)?.memory.confidence).toBeLessThan(
      0.5,
    )
    const scores = new Map(found.map((one) => [one.memory.id, one.score]))
    expect(scores.get(old.memory.id)).toBeCloseTo(
      (scores.get(fresh.memory.id) ?? 0) * Math.max(0.25, 2 ** (-400 / 180)),
    )
  })
})

const LONG = Array.from({ length: 300 }, (_, at) => `w${at}`).join(" ")
