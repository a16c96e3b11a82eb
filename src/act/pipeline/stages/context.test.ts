import fc from "fast-check"
import { expect, test } from "vitest"
import { createTokens } from "#ground/tokens"
import { fcParameters } from "#test/seed"
import { shapeContext } from "./context.ts"
import type { RetrievedParagraph } from "./outputs.ts"
import { countWords } from "./stage-input.fixture.ts"

const paragraph = (id: string, text: string): RetrievedParagraph => ({
  id,
  text,
  title: "Handbook",
  citation: `Handbook § ${id}`,
  tier: "primary",
  score: 1,
  by: [1],
  isPrior: false,
})

const page = { title: "A page", url: "https://harbour.example/1", text: "Elsewhere it is so." }

test("a context is escaped XML with labels in order, and linked paragraphs are separate", () => {
  const material = {
    paragraphs: [paragraph("1", 'Berths & <quays> "A"'), paragraph("2", "Dues.")],
    web: [page],
    prior: {
      run: "p-1",
      query: "q",
      sections: [{ title: "T", text: "Said [P7].", paragraphs: [] }],
    },
  }
  const shaped = shapeContext(material, { budgetTokens: 200, count: countWords })
  expect(shaped.text).toMatchInlineSnapshot(`
    "<knowledge>
    <paragraph label="P1" id="1" citation="Handbook § 1" tier="primary">Berths &amp; &lt;quays&gt; &quot;A&quot;</paragraph>
    <paragraph label="P2" id="2" citation="Handbook § 2" tier="primary">Dues.</paragraph>
    </knowledge>
    <beside>
    <prior run="p-1" title="T">Said.</prior>
    <result label="W1" title="A page" url="https://harbour.example/1">Elsewhere it is so.</result>
    </beside>"
  `)
  expect(shaped.references.map((it) => it.label)).toEqual(["P1", "P2", "W1"])
})

test("a text that does not fit is left out and named, and smaller ones after it still enter", () => {
  const long = paragraph("long", "word ".repeat(400))
  const material = { paragraphs: [long, paragraph("2", "Dues.")], web: [], prior: undefined }
  const shaped = shapeContext(material, { budgetTokens: 60, count: countWords })
  expect(shaped.left).toEqual(["long"])
  expect(shaped.references).toMatchObject([{ label: "P2", paragraph: "2" }])
})

test("no context exceeds its budget, whatever its texts", async () => {
  const { count } = await createTokens({ encoding: "claude" }).counter()
  const texts = fc.array(fc.string({ unit: "grapheme", maxLength: 200 }), { maxLength: 20 })
  fc.assert(
    fc.property(texts, texts, fc.integer({ min: 50, max: 600 }), (main, web, budgetTokens) => {
      const paragraphs = main.map((text, index) => paragraph(String(index), text))
      const results = web.map((text) => ({ ...page, text }))
      const material = { paragraphs, web: results, prior: undefined }
      const shaped = shapeContext(material, { budgetTokens, count })
      expect(shaped.tokens).toBeLessThanOrEqual(budgetTokens)
      const kept = shaped.references.filter((it) => it.paragraph !== null).length
      expect(kept + shaped.left.length).toBe(main.length)
    }),
    fcParameters({ numRuns: 200 }),
  )
})
