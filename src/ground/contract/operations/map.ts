import { z } from "zod"
import { MapExport, MapScan, MapShow, MapTree, SearchFind } from "../map.ts"
import { defineOperations } from "../operation.ts"

const Place = z.string().min(1).max(4_096)

export const mapOperations = defineOperations("map", {
  scan: {
    summary: "Bring the map of the repository up to date, and say what it holds",
    effect: "write",
    surfaces: ["cli", "http", "mcp"],
    cli: { words: ["map"], group: "Know" },
    input: z.object({
      full: z.boolean().default(false).describe("Read every file again, whatever is known already"),
    }),
    output: MapScan,
  },
  export: {
    summary: "Write an ast_context.json for each module of the repository",
    effect: "write",
    // It can name any folder of this machine: for the person before it only.
    surfaces: ["cli"],
    cli: { args: ["out"], group: "Know" },
    input: z.object({
      out: Place.describe("Folder to write into; one ast_context.json for each module"),
      module: z.string().max(4_096).default("").describe("Only the folders below this one"),
    }),
    output: MapExport,
  },
  tree: {
    summary: "List a folder of the map, or all files whose path has a text in it",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: { args: ["folder"], group: "Know" },
    input: z.object({
      folder: z.string().max(4_096).default("").describe("The folder to list; empty for the root"),
      filter: z
        .string()
        .max(200)
        .default("")
        .describe("Instead: all files whose path has this in it"),
      limit: z.int().min(1).max(2_000).default(500).describe("At most so many entries"),
    }),
    output: MapTree,
  },
  show: {
    summary: "Show a file or a symbol: what it holds, who uses it, what it uses",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: { args: ["what"], group: "Know" },
    mcp: {
      set: "core",
      name: "map",
      rank: 7,
      title: "Look at the map of the code",
      description:
        "A file's symbols, imports and who imports it; a symbol's signature, callers and what it calls; or the folders of the repository with their sizes. Cheaper than reading the files.",
    },
    input: z.object({
      what: Place.describe("A path of the tree, a symbol, or path#symbol"),
      hops: z.int().min(1).max(2).default(1).describe("How far callers and called are followed"),
    }),
    output: MapShow,
  },
})

export const searchOperations = defineOperations("search", {
  find: {
    summary: "Find the files and symbols that some words are about, and why",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: { words: ["search"], args: ["words"], group: "Know" },
    mcp: {
      set: "core",
      name: "search",
      rank: 6,
      title: "Search the code",
      description:
        "Find files and symbols of this repository by what they are about: names, words, history. Best first, with places to read.",
      fields: { query: "words", limit: "limit" },
      texts: { query: "", limit: "Files; default 20" },
    },
    input: z.object({
      words: z.string().min(1).max(1_000_000).describe("What is looked for, in words"),
      limit: z.int().min(1).max(200).default(20).describe("At most so many files"),
    }),
    output: SearchFind,
  },
})
