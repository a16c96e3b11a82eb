import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { payloads } from "../../../../test/browser/payloads.ts"
import { everywhere, messages, pageOf, RUN } from "./export-html.fixture.ts"
import { exportHtml } from "./export-html.ts"

const started = (activityId: string, rest: object = {}) => ({
  type: "tool" as const,
  content: activityId,
  event: {
    event: "activity.started",
    activityId,
    kind: "read",
    tool: "Read",
    title: activityId,
    ...rest,
  },
})
const ended = (activityId: string, content = "", rest: object = {}) => ({
  type: "tool" as const,
  content,
  event: { event: "activity.ended", activityId, outcome: "done", ...rest },
})

function bodyOf(page: string): string {
  const main = page.slice(page.indexOf("<main>") + 6, page.indexOf("</main>"))
  return main
    .replace(/<time[^>]*>[^<]*<\/time>/g, "")
    .replace(/<details class="line"><summary>Raw.*?<\/details>/gs, "")
}

describe("a run as an HTML page", () => {
  test("the page describes the run, forbids all content by policy and requests nothing", async () => {
    const page = await pageOf([])
    expect(page).toContain("<title>Total of an empty list</title>")
    expect(page).toContain(
      `content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"`,
    )
    const facts = [...page.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g)]
    expect(facts.map(([, name, value]) => [name, value?.replace(/<[^>]*>/g, "")])).toEqual([
      ["Agent", "synthetic"],
      ["Model", "synthetic-1"],
      ["Status", "completed"],
      ["Mode", "ask"],
      ["Cost", "$0.0521 (computed: $0.0500)"],
      ["Tokens", "14,250 in, 620 out, 100 cached"],
      ["Turns", "1"],
      ["Directory", "/work/shop"],
      ["Started", "2023-11-14 22:13:20 UTC"],
      ["Ended", "2023-11-14 22:14:25 UTC"],
      ["Took", "65.0 s"],
    ])
    expect(page).not.toMatch(/<script|<link|<img|url\(|@import|src=/)
    expect(page).toContain("prefers-color-scheme:dark")
  })

  test("activities are nested in their parents, in the order in which they began", async () => {
    const all = messages(
      started("a", { kind: "agent", tool: "Agent" }),
      started("b", { kind: "command", tool: "Bash" }),
      started("a1", { parentId: "a" }),
      {
        type: "assistant",
        content: "inside",
        event: { event: "message", type: "assistant", text: "", parentId: "a" },
      },
      ended("b", "of b"),
      ended("a1", "of a1", { outcome: "failed" }),
      ended("a", "of a", { durationMs: 5_000 }),
      { content: "after" },
    )
    const how = (word: string, took: string) =>
      `<span class="${word}">${word}</span> <span class="quiet">${took}</span></summary>`
    expect(bodyOf(await pageOf(all)).replaceAll("\n", "")).toBe(
      [
        `<details><summary> <span class="who">Agent</span> a ${how("done", "5.0 s")}`,
        `<details open><summary> <span class="who">Read</span> a1 ${how("failed", "3.0 s")}`,
        "<pre><code>of a1</code></pre></details>",
        '<article class="assistant"><div class="meta"><span class="who">Agent</span></div><p>inside</p></article>',
        "<pre><code>of a</code></pre></details>",
        `<details><summary> <span class="who">Bash</span> b ${how("done", "3.0 s")}`,
        "<pre><code>of b</code></pre></details>",
        '<article class="line"> after</article>',
      ].join(""),
    )
  })

  test("every message has its time, its raw text and its diff in colour", async () => {
    const diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n"
    const all = messages(
      { type: "user", role: "user", content: "--do it" },
      started("e", { kind: "edit" }),
      { ...ended("e", "", { diff }), raw: '{"own":"words"}' },
      {
        type: "assistant",
        content: "**Done**",
        event: { event: "message", type: "assistant", text: "" },
      },
      {
        type: "response",
        content: "**Done**",
        event: { event: "turn.ended", outcome: "completed", durationMs: 900 },
      },
    )
    const page = await pageOf(all)
    expect(page.match(/<time/g)).toHaveLength(3 + 4)
    expect(page).toContain('<span class="removed">-old</span>\n<span class="added">+new</span>')
    expect(page).toContain(
      "Raw</summary><pre><code>{&quot;own&quot;:&quot;words&quot;}</code></pre>",
    )
    expect(page).toContain('<pre class="plain">--do it</pre>')
    // The end of a turn repeats the last message only when it differs.
    expect(page.match(/<strong>Done<\/strong>/g)).toHaveLength(1)
    expect(page).toContain("Turn completed after 900 ms")
  })

  test("an activity that never ended, ended twice or ended without starting is on the page once", async () => {
    const all = messages(
      started("open"),
      { type: "error", content: "dead" },
      { content: "again", event: { event: "session.started", sessionId: "s", cwd: "/w" } },
      ended("open", "late"),
      ended("never", "from nowhere"),
    )
    const page = await pageOf(all)
    expect(page).toContain("not finished")
    for (const text of ["dead", "late", "from nowhere"]) expect(page.split(text)).toHaveLength(2)
  })
})

describe("hostile text on the page", () => {
  test("[AGENTS-66] 300 payloads in every text position add no tag of their own", async () => {
    for (const payload of payloads(300)) {
      const { all, run } = everywhere(payload)
      expectOnlyOurs(await pageOf(all, run), payload)
    }
  })

  test("[AGENTS-66] no other text adds a tag, and no element of the page is hidden", async () => {
    const words = fc.array(
      fc.oneof(
        fc.integer({ min: 0, max: 0xffff }).map((it) => String.fromCharCode(it)),
        fc.string({ maxLength: 12 }),
        fc.constantFrom(
          "<",
          ">",
          '"',
          "'",
          "&",
          "`",
          "](",
          "![",
          "](http://a.b",
          "<a href=",
          "\n",
          "\u202e",
          "|",
          "- ",
        ),
      ),
      { maxLength: 12 },
    )
    await fc.assert(
      fc.asyncProperty(words, async (parts) => {
        const { all, run } = everywhere(parts.join(""))
        expectOnlyOurs(await pageOf(all, run), parts.join(""))
      }),
      fcParameters({ numRuns: 200 }),
    )
  })

  test("[AGENTS-66] a page of many messages comes in chunks, and an unfinished activity buffers little", async () => {
    const text = "x".repeat(10_000)
    let taken = 0
    async function* pages() {
      yield messages(started("forever"))
      for (let page = 0; page < 300; page++) {
        taken = page
        yield messages(...Array.from({ length: 10 }, () => ({ content: text })))
      }
    }
    let longest = 0
    let firstAt: number | undefined
    let count = 0
    for await (const chunk of exportHtml({ run: RUN, pages: pages(), exportedAt: 0 })) {
      longest = Math.max(longest, chunk.length)
      firstAt ??= taken
      count += 1
    }
    // 8 MB are buffered for the activity, then flushed; after that nothing is buffered.
    expect(firstAt).toBeLessThan(90)
    expect(longest).toBeLessThan(10 * 1024 * 1024)
    expect(count).toBeGreaterThan(100)
  })

  test("[AGENTS-66] endlessly nested activities are shown at most twenty levels deep", async () => {
    const deep = Array.from({ length: 500 }, (_, i) =>
      started(`n${i}`, i === 0 ? {} : { parentId: `n${i - 1}` }),
    )
    const page = await pageOf(messages(...deep))
    let depth = 0
    let deepest = 0
    for (const [tag] of page.matchAll(/<\/?details/g)) {
      depth += tag === "<details" ? 1 : -1
      deepest = Math.max(deepest, depth)
    }
    expect([depth, deepest]).toEqual([0, 21])
  })
})

const TAGS = new Set(
  "html head meta title style body header main footer h1 h3 h4 h5 h6 dl div dt dd time article span p pre code details summary strong em del a ul ol li blockquote hr br table thead tbody tr th td".split(
    " ",
  ),
)
const ATTRIBUTES = new Set(
  "lang charset http-equiv content name class datetime title href rel open start".split(" "),
)

/**
 * However a browser parses the page, a tag begins with `<`: each one must be followed by a complete
 * tag of ours in its strictest form, and no attribute contains a quote or an angle bracket.
 */
function expectOnlyOurs(page: string, about: string): void {
  const body = page.slice("<!doctype html>".length)
  for (const [, rest = ""] of body.matchAll(/<([^<]*)/g)) {
    const tag = /^\/?([a-z][a-z0-9]*)((?: [a-z-]+(?:="[^"<>]*")?)*)>/.exec(rest)
    const isOurs = TAGS.has(tag?.[1] ?? "")
    if (!isOurs)
      throw new Error(`${JSON.stringify(rest.slice(0, 80))} from ${JSON.stringify(about)}`)
    const attributes = (tag?.[2] ?? "")
      .replace(/="[^"]*"/g, "")
      .trim()
      .split(" ")
    for (const name of attributes) {
      if (name !== "" && !ATTRIBUTES.has(name)) throw new Error(`${name} from ${about}`)
    }
  }
  for (const [, address = ""] of body.matchAll(/href="([^"]*)"/g)) {
    expect(address).toMatch(/^(?:https?|mailto):/)
  }
  // No hidden, control or bidirectional character is left.
  expect(body).not.toMatch(/(?![\n\t])[\p{C}\p{Zl}\p{Zp}]/u)
}
