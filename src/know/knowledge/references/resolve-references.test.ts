import { expect, test } from "vitest"
import { knowledgeFixture } from "#test/knowledge-room"
import { createLibrary } from "../library.ts"
import { createGraph } from "./reference-graph.ts"

/** Documents with the names that texts use for them, and the numbers of their parts. */
const DOCUMENTS = [
  {
    file: "isa-315.md",
    title: "International Standard on Auditing 315 (Revised): Identifying and Assessing Risks",
    names: ["ISA 315", "International Standard on Auditing 315", "ISA 315 (Revised)"],
    parts: ["315.5", "315.13", "315.26"],
  },
  {
    file: "isa-330.md",
    title: "International Standard on Auditing 330: Responses to Assessed Risks",
    names: ["ISA 330", "International Standard on Auditing 330"],
    parts: ["330.5", "330.18", "330.21"],
  },
  {
    file: "fee-rules.md",
    title: "Fee Rules (FR)",
    names: ["Fee Rules", "FR"],
    parts: ["4.1", "4.2", "7.3"],
  },
  {
    file: "notices.html",
    title: "Notices to Masters",
    names: ["Notices to Masters"],
    parts: ["1.1", "1.2", "4.1"],
  },
  {
    file: "rules-of-conduct.md",
    title: "Rules of Conduct for Pilots and Agents in the Port",
    names: ["Rules of Conduct for Pilots and Agents in the Port", "RCP"],
    parts: ["1.2", "4.1", "9.4"],
  },
] as const

const PHRASES = [
  (name: string, part: string) => `The answer is in ${name} § ${part}.`,
  (name: string, part: string) => `See ${name}, § ${part}, for the rule.`,
  (name: string, part: string) => `This follows § ${part} of the ${name}.`,
  (name: string, part: string) => `Under paragraph ${part} of ${name} a copy is kept.`,
  (name: string, part: string) => `A copy is kept, as ${name} section ${part} says.`,
  (name: string, part: string) => `The Master signs it under ${name} § ${part}.`,
  (name: string, part: string) => `(${name} § ${part})`,
]

/** No document has these names or parts. */
const NOWHERE = [
  "see FR 7 § 4.1",
  "Pilot Order § 4.1 applies.",
  "It is in ISA 240 § 4.1.",
  "It is in ISA 240.18.",
  "See § 1.2 of the Tariff Act.",
  "as Notices to Pilots § 1.2 says",
  "Fee Rules § 9.9 says it.",
  "ISA 315.99 says it.",
  "The Harbour Master § 4.1",
]

/** These only look like references. */
const NO_REFERENCES = ["Use TLS 1.3 or HTTP 1.1.", "Version 4.1 of Node 26.5 is used."]

const short = (part: string): string => part.replace(/^3\d\d\./, "")

test("[KNOW-7] of 200 labelled references all but 5 % resolve, and none to a wrong part", async () => {
  await using it = await knowledgeFixture()
  const labelled = DOCUMENTS.flatMap(({ title, names, parts }) =>
    names.flatMap((name) =>
      parts.flatMap((part) => [
        ...PHRASES.map((phrase) => ({ text: phrase(name, part), title, part })),
        ...(part.length > 4 && name === `ISA ${part.slice(0, 3)}`
          ? [
              { text: `${name}.${short(part)} requires it.`, title, part },
              { text: `Read ${name} § ${part} first.`, title, part },
            ]
          : []),
      ]),
    ),
  )
  expect(labelled.length).toBeGreaterThanOrEqual(200)
  const lines = [...labelled.map((its) => its.text), ...NOWHERE, ...NO_REFERENCES]
  const marked = lines.map((text, at) => `Note ${at}x. ${text}`)
  await it.write({
    ...Object.fromEntries(
      DOCUMENTS.map(({ file, title, parts }) => [
        file,
        file.endsWith(".html")
          ? `<h1>${title}</h1>${parts.map((part) => `<p>${part} It is so in ${part}.</p>`).join("")}`
          : `# ${title}\n\n${parts.map((part) => `${part} It is so.`).join("\n\n")}`,
      ]),
    ),
    "guides/guide.md": `# Practice Guide\n\nThe Rules of Conduct for Pilots and Agents in the Port (RCP) come first.\n\n${marked.join("\n\n")}\n`,
    "guides/other-guide.md": "# Desk Guide\n\n1.2 Something else.\n\n4.1 Something else.\n",
  })
  await it.kb.add({ path: it.folder })
  const library = await createLibrary(it.deps.db)()
  const graph = createGraph(library)
  const endsOf = (at: number): readonly string[] => {
    const from = library.paragraphs.find((its) => its.body.text.startsWith(`Note ${at}x.`))
    if (from === undefined) throw new Error(`paragraph ${at} is missing`)
    const edges = graph.edges(from).filter((its) => its.kind === "refers to")
    return edges.map(({ to }) => `${to.document.title} § ${to.body.number}`)
  }
  const results = labelled.map(({ text, title, part }, at) => {
    const ends = endsOf(at)
    const isRight = ends.length === 1 && ends[0] === `${title} § ${part}`
    return { text, ends, isRight, isWrong: ends.length > 0 && !isRight }
  })
  expect(results.filter((its) => its.isWrong)).toEqual([])
  const missing = results.filter((its) => !its.isRight).map((its) => its.text)
  expect(missing.length / labelled.length, missing.join("\n")).toBeLessThan(0.05)
  for (const [at, text] of [...NOWHERE, ...NO_REFERENCES].entries())
    expect([text, endsOf(labelled.length + at)]).toEqual([text, []])
  const reported = graph.unresolved.filter((its) => its.document === "Practice Guide")
  expect(reported).toHaveLength(NOWHERE.length + missing.length)
})
