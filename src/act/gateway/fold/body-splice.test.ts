import fc from "fast-check"
import { expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { edited, elementSpans, splice } from "./body-splice.ts"

/** JSON with spaces wherever they are allowed, and with similar keys. */
const text = fc.string({ unit: fc.constantFrom('"', "\\", "a", "é"), maxLength: 200 })
const message = fc.oneof(fc.jsonValue({ maxDepth: 4 }), fc.record({ text, more: text }))
const body = fc
  .record({
    before: fc.oneof(fc.jsonValue(), text),
    messages: fc.array(message, { minLength: 1, maxLength: 8 }),
    after: fc.jsonValue(),
    space: fc.constantFrom(undefined, 1, "\t", "\n \r"),
  })
  .map(({ before, messages, after, space }) => {
    const object = { 'a "messages": [': before, nested: { messages: [1] }, messages, after }
    // A lone surrogate is not UTF-8; JSON writers escape it.
    return { messages, bytes: Buffer.from(JSON.stringify(object, null, space)) }
  })

test("the scanner finds each message at the position where the parser reads it", () => {
  fc.assert(
    fc.property(body, ({ messages, bytes }) => {
      const spans = elementSpans(bytes, "messages") ?? []
      const read = spans.map((it): unknown => JSON.parse(bytes.toString("utf8", it.from, it.to)))
      expect(read).toEqual(JSON.parse(JSON.stringify(messages)))
    }),
    fcParameters({ numRuns: 400 }),
  )
})

test("edited bytes parse to the edited messages, and all other bytes stay", () => {
  const places = fc.subarray([1, 2, 3, 4, 5, 6, 7])
  fc.assert(
    fc.property(body, places, places, (told, gone, patched) => {
      const elements: unknown[] = JSON.parse(JSON.stringify(told.messages))
      const edits = {
        gone: new Set(gone),
        patched: new Map(patched.filter((it) => !gone.includes(it)).map((it) => [it, { new: it }])),
        inserted: new Map([[0, "put in"]]),
      }
      const bytes = splice(told.bytes, elementSpans(told.bytes, "messages") ?? [], edits)
      const original: object = JSON.parse(told.bytes.toString())
      expect(JSON.parse(bytes.toString())).toEqual({
        ...original,
        messages: edited(elements, edits),
      })
    }),
    fcParameters({ numRuns: 400 }),
  )
})

test("[GATE-27] an object with a duplicate key is not scanned", () => {
  const scan = (text: string) => elementSpans(Buffer.from(text), "messages")
  expect(scan('{"messages":[1],"messages":[2]}')).toBeUndefined()
  expect(scan('{"messages":[1],"m\\u0065ssages":[2]}')).toBeUndefined()
  expect(scan('{"a":1,"messages":[1],"a":2}')).toBeUndefined()
  expect(scan('{"messages":"[1]"}')).toBeUndefined()
  expect(scan("[]")).toBeUndefined()
  expect(scan('{"messages":[]}')).toEqual([])
})
