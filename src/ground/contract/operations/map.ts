import { z } from "zod"
import { ALWAYS_LOADED, defineOperations } from "../operation.ts"
import {
  MapExport,
  MapFolder,
  MapScan,
  MapShow,
  MapTree,
  MapTreemap,
  MapUsers,
  SearchFind,
  SearchNames,
} from "../shapes/map.ts"

const InputPath = z.string().min(1).max(4_096)

export const mapOperations = defineOperations("map", {
  scan: {
    summary: "Update the map of the repository and show a summary",
    effect: "write",
    surfaces: ["cli", "http", "mcp"],
    cli: { words: ["map"], group: "Code", examples: ["qm map", "qm map --full"] },
    input: z.object({
      full: z.boolean().default(false).describe("Read all files again, not only changed ones"),
    }),
    output: MapScan,
  },
  export: {
    summary: "Write an ast_context.json file for each module",
    effect: "write",
    // It can write to any folder of this machine, so only the user at the terminal may call it.
    surfaces: ["cli"],
    cli: { args: ["out"], group: "Code", examples: ["qm map export build/map --module src"] },
    input: z.object({
      out: InputPath.describe("Folder to write to"),
      module: z
        .string()
        .max(4_096)
        .default("")
        .describe("Only folders below this one (default: all)"),
    }),
    output: MapExport,
  },
  tree: {
    summary: "List a folder of the map, or files whose path contains a text",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: {
      args: ["folder"],
      group: "Code",
      examples: ["qm map tree src", "qm map tree --filter test"],
    },
    input: z.object({
      folder: z
        .string()
        .max(4_096)
        .default("")
        .describe("Folder to list (default: the repository root)"),
      filter: z
        .string()
        .max(200)
        .default("")
        .describe("List all files whose path contains this text instead"),
      limit: z.int().min(1).max(2_000).default(500).describe("Maximum number of entries"),
      measures: z
        .boolean()
        .default(false)
        .describe("Add changes, last change, position by rank and agent reads of each entry"),
    }),
    output: MapTree,
  },
  treemap: {
    summary: "Show the largest files of a folder with changes, rank and agent reads",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      args: ["folder"],
      group: "Code",
      examples: ["qm map treemap", "qm map treemap src --limit 20"],
    },
    input: z.object({
      folder: z.string().max(4_096).default("").describe("Folder (default: the repository root)"),
      limit: z
        .int()
        .min(1)
        .max(5_000)
        .default(1_500)
        .describe("Maximum number of tiles; small files of a folder share one"),
    }),
    output: MapTreemap,
  },
  folder: {
    summary: "Show which folders use a folder, and which it depends on",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      args: ["folder"],
      group: "Code",
      examples: ["qm map folder src/server"],
    },
    input: z.object({
      folder: z.string().max(4_096).default("").describe("Folder (default: the repository root)"),
    }),
    output: MapFolder,
  },
  users: {
    summary: "List the code of other files that uses the symbols of a file",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["path"], group: "Code", examples: ["qm map users src/server.ts"] },
    input: z.object({ path: InputPath.describe("Path of the file") }),
    output: MapUsers,
  },
  show: {
    summary: "Show a file, symbol or folder: content, callers and dependencies",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: {
      args: ["what"],
      group: "Code",
      examples: [
        "qm map show src/server.ts",
        "qm map show createServer --hops 2",
        "qm map show src/server",
      ],
    },
    mcp: {
      set: "core",
      name: "map",
      rank: 7,
      title: "Show a file or symbol",
      description:
        "Show a file's symbols, imports and importers; a symbol's signature, callers and callees; a folder's users and dependencies; or the entries of a folder with their sizes. Cheaper than reading the files.",
    },
    input: z.object({
      what: InputPath.describe("Path of a file or folder, symbol, or path#symbol"),
      hops: z.int().min(1).max(2).default(1).describe("Number of call levels to follow, 1 or 2"),
    }),
    output: MapShow,
  },
})

export const searchOperations = defineOperations("search", {
  find: {
    summary: "Find files and symbols by words, with the reason for each match",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: {
      words: ["search"],
      args: ["words"],
      group: "Code",
      examples: ['qm search "session token"'],
    },
    mcp: {
      set: "core",
      name: "search",
      rank: 6,
      title: "Search the code",
      description:
        "Find files and symbols of this repository by names, words and history. Best match first, with lines to read.",
      meta: ALWAYS_LOADED,
      fields: { query: "words", limit: "limit" },
      texts: { query: "", limit: "Files; default 20" },
    },
    input: z.object({
      words: z.string().min(1).max(1_000_000).describe("Words to search for"),
      limit: z.int().min(1).max(200).default(20).describe("Maximum number of files"),
    }),
    output: SearchFind,
  },
  names: {
    summary: "Find files and symbols by a part of their name, as of the last scan",
    effect: "read",
    surfaces: ["http"],
    input: z.object({
      text: z.string().max(200).describe("Parts of the name or path; all must occur"),
      limit: z.int().min(1).max(100).default(10).describe("Maximum number of files and symbols"),
    }),
    output: SearchNames,
  },
})
