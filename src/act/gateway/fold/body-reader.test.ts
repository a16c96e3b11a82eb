import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { fcParameters } from "#test/seed"
import { commonPrefixBytes } from "./body-prefix.ts"
import { createBodyReader, readElements } from "./body-reader.ts"

const jsonOf = (value: unknown) => Buffer.from(JSON.stringify(value))
const text = (words: string) => ({ role: "user", content: [{ type: "text", text: words }] })

describe("commonPrefixBytes", () => {
  it("is the number of equal bytes at the start, for any two buffers", () => {
    fc.assert(
      fc.property(fc.nat(70_000), fc.nat(40), fc.nat(40), (equal, a, b) => {
        const start = Buffer.alloc(equal, "abc")
        const [one, two] = [a, b].map((it, at) => Buffer.concat([start, Buffer.alloc(it, at)]))
        if (one === undefined || two === undefined) throw new Error("there are two buffers")
        expect(commonPrefixBytes(one, two)).toBe(equal)
        expect(commonPrefixBytes(two, one)).toBe(equal)
      }),
      fcParameters({ numRuns: 100 }),
    )
  })
})

describe("createBodyReader", () => {
  const element = fc.oneof(
    fc.record({
      role: fc.constantFrom("user", "assistant"),
      content: fc.string({ unit: "grapheme" }),
    }),
    fc.integer(),
    fc.string(),
    fc.constant(null),
    fc.array(fc.nat(9), { maxLength: 3 }),
  )
  const body = fc.record({
    head: fc.constantFrom({}, { model: "m" }, { model: "m", tools: [{ name: "Read" }] }),
    messages: fc.array(element, { maxLength: 6 }),
    tail: fc.constantFrom({}, { stream: true }, { system: [{ type: "text", text: "é" }] }),
    indent: fc.constantFrom(0, 1),
  })

  it("[GATE-131] a body after any others is read as a body on its own", () => {
    fc.assert(
      fc.property(
        fc.array(body, { minLength: 1, maxLength: 8 }),
        fc.infiniteStream(fc.nat()),
        (bodies, cuts) => {
          const reader = createBodyReader("messages")
          let before: readonly unknown[] = []
          for (const { head, messages, tail, indent } of bodies) {
            const kept = (cuts.next().value ?? 0) % (before.length + 1)
            const all = [...before.slice(0, kept), ...messages]
            const bytes = Buffer.from(
              JSON.stringify({ ...head, messages: all, ...tail }, null, indent),
            )
            expect(reader.read(bytes)).toEqual(readElements(bytes, "messages"))
            before = all
          }
        },
      ),
      fcParameters({ numRuns: 300 }),
    )
  })

  it("[GATE-131] a damaged body after a good one is refused as it would be alone", () => {
    const good = `{"model":"m","messages":[${JSON.stringify(text("one"))},{"n":12},3]}`
    const damaged = [
      good.replace(",3]", ",]"),
      good.replace(",3]", ",12"),
      good.replace("3]}", '3],"model":"other"}'),
      good.replace("3]}", '3],"messages":[]}'),
      good.replace("3]}", "3]}}"),
      good.replace("3]}", '3],"a":"\u{0}"}'),
    ]
    for (const it of damaged) {
      const reader = createBodyReader("messages")
      expect(reader.read(Buffer.from(good))).toEqual(readElements(Buffer.from(good), "messages"))
      const bytes = Buffer.from(it)
      expect(typeof reader.read(bytes)).toBe("string")
      expect(reader.read(bytes)).toEqual(readElements(bytes, "messages"))
    }
    const reader = createBodyReader("messages")
    reader.read(Buffer.from(good))
    const longer = Buffer.from(good.replace(",3]", ",34]"))
    expect(reader.read(longer)).toEqual(readElements(longer, "messages"))
    const broken = Buffer.concat([jsonOf({ messages: [text("a")] }), Buffer.from([0xff])])
    expect(reader.read(broken)).toBe("the body is not a JSON object")
  })

  it("[GATE-131] elements of an equal prefix are not parsed again", () => {
    const reader = createBodyReader("messages")
    const [one, two] = [text("one"), text("two")]
    const first = reader.read(jsonOf({ messages: [one, two], stream: true }))
    reader.read(jsonOf({ messages: [text("a sub-agent")], stream: true }))
    const second = reader.read(jsonOf({ messages: [one, two, text("three")], stream: true }))
    if (typeof first === "string" || typeof second === "string") throw new Error("both are JSON")
    expect(second.elements[0]).toBe(first.elements[0])
    expect(second.elements).toHaveLength(3)
  })
})
