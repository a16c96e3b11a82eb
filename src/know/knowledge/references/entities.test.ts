import { expect, test } from "vitest"
import { knowledgeFixture } from "#test/knowledge-room"

test("[KNOW-54] hops lead from a defined term to its definition, and between mentions of an identifier", async () => {
  await using it = await knowledgeFixture()
  await it.write({
    "a.md": `# Rules

## 1 Words

1.1 "Berth" means a place. "Berth Window" means the hours of a berth.

## 2 Stay

2.1 The Berth Window ends at noon.

## 3 Forms

3.1 The certificate is MC-1.
`,
    "b.md": "# Desk\n\nMC-1 is in the tray. MC-10 is not.\n",
  })
  await it.kb.add({ path: it.folder })
  const trace = async (query: string) => {
    const [hit] = (await it.kb.search({ query })).hits
    const { steps } = await it.kb.trace({
      paragraphs: [hit?.paragraph.id ?? ""],
      depth: 1,
      limit: 9,
    })
    const shown = await Promise.all(steps.map((step) => it.kb.paragraph({ id: step.to })))
    return steps.map((step, at) => [step.kind, step.text, shown[at]?.paragraph.citation])
  }
  expect(await trace("noon")).toEqual([["defined in", "Berth Window", "Rules § 1.1"]])
  expect(await trace("tray")).toEqual([["same entity", "MC-1", "Rules § 3.1"]])
})
