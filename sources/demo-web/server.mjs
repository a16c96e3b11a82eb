// A web search that is not the web: it finds the made-up pages of pages.mjs, the same way always.
import { McpServer } from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { z } from "zod"
import { PAGES } from "./pages.mjs"

const STOP_WORDS = new Set(
  "a an and are as at be by can do does for from has have how in is it may of on or that the this to was what when where which who why will with".split(
    " ",
  ),
)

/** @param {string} text */
function wordsOf(text) {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return words.filter((it) => !STOP_WORDS.has(it)).map((it) => it.replace(/(?:ing|ed|s)$/, ""))
}

const INDEX = PAGES.map((page) => ({
  page,
  title: new Set(wordsOf(page.title)),
  text: new Set(wordsOf(page.text)),
}))

/**
 * Pages that share at least two words with the question, or all it has; a word in a title counts
 * twice, and equal scores stay in the order of the file.
 *
 * @param {string} query
 * @param {number} limit
 */
function search(query, limit) {
  const words = [...new Set(wordsOf(query))]
  const needed = Math.min(2, words.length)
  return INDEX.map(({ page, title, text }) => {
    const found = words.filter((it) => title.has(it) || text.has(it))
    const score = found.length + found.filter((it) => title.has(it)).length
    return { page, score, isFound: found.length >= needed && needed > 0 }
  })
    .filter((it) => it.isFound)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map((it) => it.page)
}

function makeServer() {
  const server = new McpServer({ name: "demo-web", version: "1" })
  server.registerTool(
    "search",
    {
      title: "Search the demo web",
      description: "Finds made-up pages about small harbours by words.",
      inputSchema: z.object({
        query: z.string().min(1).max(1_000),
        limit: z.int().min(1).max(20).default(5),
      }),
      outputSchema: z.object({
        results: z.array(z.object({ title: z.string(), url: z.string(), text: z.string() })),
      }),
    },
    async ({ query, limit }) => {
      const answer = { results: search(query, limit) }
      return {
        content: [{ type: "text", text: JSON.stringify(answer) }],
        structuredContent: answer,
      }
    },
  )
  return server
}

serveStdio(makeServer)
