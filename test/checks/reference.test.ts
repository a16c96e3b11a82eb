import { expect, test } from "vitest"
import { placeholder } from "../../scripts/reference/placeholder.ts"

test.each<{ title: string; text: (it: never) => string; rendered: string }>([
  { title: "a field", text: (it: { path: string }) => `At ${it.path}.`, rendered: "At ‹path›." },
  {
    title: "a field inside a field",
    text: (it: { file: { path: string } }) => it.file.path.toString(),
    rendered: "‹path›",
  },
  {
    title: "an answer of a method",
    text: (it: { names: string[] }) => `One of ${it.names.map((x) => x.trim()).join(", ")}.`,
    rendered: "One of ‹names›.",
  },
  {
    title: "the first of a list",
    text: ({ problems: [first] }: { problems: { place: string }[] }) => `${first?.place}`,
    rendered: "‹place›",
  },
  {
    title: "an element by its place",
    text: (it: { parts: string[] }) => `${it.parts[0]}`,
    rendered: "‹parts›",
  },
  {
    title: "a value as JSON",
    text: (it: { value: unknown }) => JSON.stringify(it.value),
    rendered: '"‹value›"',
  },
])("[REF-1] a message shows $title by its name", ({ text, rendered }) => {
  expect(text(placeholder("data") as never)).toBe(rendered)
})

test("[REF-1] a number computed from a placeholder is NaN", () => {
  const data = placeholder("data") as { size: number }
  expect(Math.round(data.size / 1_000)).toBeNaN()
})
