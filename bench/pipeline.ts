import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { postProcess } from "#act/pipeline"
import { createApp } from "#show/app"
import { atMost, type Bench, interleave, makeRow } from "./frame.ts"

const ROUNDS = 60
const QUESTION = "When may a booking be re-priced after arrival?"
const { signal } = new AbortController()

export const bench: Bench = {
  name: "pipeline",
  about:
    "the post-processor of a document, a search of the knowledge base, a whole offline research",
  async run(context) {
    const home = mkdtempSync(path.join(tmpdir(), "qm-bench-"))
    try {
      await using app = await createApp({
        directory: home,
        environment: { PATH: process.env["PATH"], QM_HOME: path.join(home, "home") },
        settings: [],
        writeLog: () => {},
      })
      const corpus = path.join(context.root, "recipes/deep-research/corpus")
      await app.call("kb.add", { path: corpus }, { signal })
      const pipelines = await app.pipelines()
      const research = async () => {
        const request = { agent: "deep-research", query: QUESTION, auto: true, depth: "standard" }
        const { id } = await pipelines.run({ ...request, depth: "standard" })
        return pipelines.finished(id)
      }
      const document = documentOf()
      const times = await interleave(
        [
          { name: "floor", run: () => void JSON.parse(JSON.stringify(document)) },
          { name: "post-process", run: () => postProcess(document) },
          { name: "search", run: () => app.call("kb.search", { query: QUESTION }, { signal }) },
          { name: "research", run: research },
        ],
        { clock: context.clock, rounds: context.rounds ?? ROUNDS, warmUpRounds: 5 },
      )
      const row = (what: string, name: "post-process" | "search" | "research") =>
        makeRow({
          what,
          measured: times(name).median,
          unit: "ms",
          against: "the document through JSON and back",
          floor: times("floor").median,
          ...(name === "post-process" ? { bar: atMost(1, "ms") } : {}),
        })
      return [
        row("labels and references of a document of 7 kB", "post-process"),
        row("a question to 10 documents, 145 paragraphs", "search"),
        row("a whole deep research, offline, six stages", "research"),
      ]
    } finally {
      rmSync(home, { recursive: true, force: true })
    }
  },
}

function documentOf() {
  const references = Array.from({ length: 17 }, (_, at) => ({
    label: `P${at + 1}`,
    text: `Paragraph ${at + 1}: a booking of berth ${at} may be re-priced on ground ${at * 7}.`,
  }))
  const sentence = (at: number) =>
    `A booking of berth ${at % 17} may be re-priced on ground ${(at % 17) * 7}${at % 3 === 0 ? ` [P${(at % 17) + 1}]` : ""}.`
  const sections = Array.from({ length: 6 }, (_, s) => ({
    title: `Section ${s}`,
    text: Array.from({ length: 17 }, (_, at) => sentence(s * 17 + at)).join(" "),
  }))
  return { sections, references }
}
