import { describe, expect, test } from "vitest"
import { createSecrets } from "#ground/secrets"
import { assembleFile } from "./assemble.ts"
import { candidateFile } from "./fit.fixture.ts"
import { memoryTree } from "./memory-tree.fixture.ts"
import { counter, packFixture } from "./pack.fixture.ts"
import { scoreFiles } from "./rank.ts"
import { safeLines } from "./redact.ts"

describe("a secret split by an invisible character", () => {
  const key = `AKIA${"Q7ZX 2LMN 5RTY 3WVB".replaceAll(" ", "")}`
  const secrets = createSecrets({
    random: { bytes: (count) => new Uint8Array(count) },
    known: [key],
  })

  test.for([
    ["zero-width", "\u200b"],
    ["bidirectional", "\u202e"],
    ["control", "\u0007"],
  ])(
    "[PACK-22] %s: is redacted in text, signatures, task, choices, advice and notes",
    async ([, character = ""]) => {
      const torn = `${key.slice(0, 9)}${character}${key.slice(9)}`
      const tree = memoryTree(
        {
          "src/rounding.ts": `export function roundLine(x) {\n  return "${torn}"\n}\n`,
          "src/listed.ts": `export function listed(x = "${torn}") {\n}\n`,
        },
        { count: counter.count },
      )
      const guideline = {
        id: "g",
        title: "G",
        category: "c",
        priority: 1,
        actions: [{ type: "instruction", text: `Use ${torn}` }],
      }
      const text = JSON.stringify({ guidelines: [guideline] })
      await using lab = packFixture(tree, {
        deps: {
          secrets: async () => secrets,
          guidelineFile: async () => ({ path: "g.json", text }),
        },
      })
      for (const format of ["markdown", "xml", "json", "summary"]) {
        const built = await lab.build({
          task: `roundLine loses ${torn}`,
          drop: [`src/${torn}.ts`],
          signatures: ["src/listed.ts"],
          format,
        })
        const all = JSON.stringify(built)
        expect(all).not.toContain(key)
        expect(all).not.toContain(key.slice(9))
        expect(built.pack.files.map((it) => it.redactions)).toEqual([1, 1])
      }
    },
  )

  test("[PACK-22] a secret that an invisible character separates from a word is redacted", () => {
    const { redact } = createSecrets({ random: { bytes: (count) => new Uint8Array(count) } })
    const text = `one\nabc\u200b${key}\ntwo ${key.slice(0, 9)}\u200b${key.slice(9)}\nthree`
    const { lines, secretLines } = safeLines(text, redact)
    expect(lines.join("")).toMatch(/^one\nabc\[redacted: .*\]\ntwo \[redacted: .*\]\nthree$/)
    expect(secretLines).toEqual([2, 3])
  })

  test("[PACK-22] only redacted texts are counted again", async () => {
    const text = [
      "function one() {\n  return 1\n}\n",
      `function two() {\n  return "${key}"\n}\n`,
      "function three() {\n  return '\u200b'\n}\n",
    ].join("")
    const tree = memoryTree({ "a.ts": text }, { count: counter.count })
    const content = (await tree.contents([0])).get(0)
    const scoring = { scoring: "learned", astWeight: 1, semanticWeight: 1 } as const
    const [scored] = scoreFiles([candidateFile("a.ts")], scoring)
    if (content === undefined || scored === undefined) throw new Error("the tree has one file")
    // No text has this count: where it appears, it is the scan's.
    const segments = content.segments.map((it) => ({ ...it, tokens: 10_000 }))
    const isOfScan = (segment: number) => {
      const head = { path: "a.ts", form: "symbols", sentBefore: false } as const
      const chosen = { ...head, segments: [segment], signatures: [] }
      const selected = { ...chosen, scored, content: { ...content, segments }, text }
      const { redact } = secrets
      return assembleFile(selected, { redact, count: counter.count }).tokens > 10_000
    }
    expect([isOfScan(0), isOfScan(1), isOfScan(2)]).toEqual([true, false, false])
  })
})
