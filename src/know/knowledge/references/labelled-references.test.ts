import { expect, test } from "vitest"
import { knowledgeFixture } from "#test/knowledge-room"
import { createLibrary } from "../library.ts"
import { CORPUS, LABELLED, NO_REFERENCES, NOWHERE } from "./labelled-references.fixture.ts"
import { createGraph } from "./reference-graph.ts"

test("[KNOW-7] references as people write them lead to the part they mean, or nowhere", async () => {
  await using it = await knowledgeFixture()
  const lines = [...LABELLED.map(([text]) => text), ...NOWHERE, ...NO_REFERENCES]
  const notes = lines.map((text, at) => `Note ${at}x. ${text}`).join("\n\n")
  await it.write({ ...CORPUS, "guides/practice-guide.md": `# Practice Guide\n\n${notes}\n` })
  await it.kb.add({ path: it.folder })
  const library = await createLibrary(it.deps.db)()
  const graph = createGraph(library)
  const targetsOf = (at: number): readonly string[] => {
    const from = library.paragraphs.find((its) => its.body.text.startsWith(`Note ${at}x.`))
    if (from === undefined) throw new Error(`paragraph ${at} is missing`)
    const edges = graph.edges(from).filter((its) => its.kind === "refers to")
    return edges.map(({ to }) => to.body.citation)
  }
  const expected = LABELLED.flatMap(([text, ...parts]) => parts.map((part) => ({ text, part })))
  const resolved = lines.flatMap((text, at) => targetsOf(at).map((part) => ({ text, part })))
  const isIn = (all: typeof expected, one: (typeof expected)[number]): boolean =>
    all.some((its) => its.text === one.text && its.part === one.part)
  expect(resolved.filter((its) => !isIn(expected, its))).toEqual([])
  const missing = expected.filter((its) => !isIn(resolved, its))
  expect(missing).toEqual([])
})
