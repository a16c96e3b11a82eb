import { expect, test } from "vitest"
import { drawRecording } from "./draw.ts"
import { screenOf } from "./screen.ts"

const texts = (output: string, columns = 20) =>
  screenOf(output, columns).map((line) => line.map((it) => it.text).join(""))

test("a rewritten line shows its last text, and a long one wraps", () => {
  expect(texts("50 %\r\u001b[2K100 %\r\nabcdef\r\n\r\n", 4)).toEqual(["100 ", "%", "abcd", "ef"])
  expect(texts("\u001b]0;title\u0007ok")).toEqual(["ok"])
})

test("colours are pieces of their own and end with a reset", () => {
  const [line] = screenOf("a\u001b[1mb\u001b[0mc\u001b[38;5;75md\u001b[39me", 20)
  expect(line?.map((it) => [it.text, it.styles])).toEqual([
    ["a", []],
    ["b", ["1"]],
    ["c", []],
    ["d", ["38;5;75"]],
    ["e", []],
  ])
})

test("each frame is shown for its share of the time, and text is escaped", () => {
  const lines = screenOf("<script>&", 20)
  const svg = drawRecording([{ typed: "qm x", lines }], { columns: 20, rows: 10 })
  expect(svg).toContain("&#60;script&#62;&#38;")
  expect(svg).not.toContain("<script>")
  expect(svg.match(/<g id="f\d+"/g)).toHaveLength(2)
  expect(svg).toContain("prefers-reduced-motion")
})
