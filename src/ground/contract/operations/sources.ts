import { z } from "zod"
import { defineOperations } from "../operation.ts"
import {
  CredentialName,
  Credentials,
  Source,
  SourceList,
  SourceSlug,
  SourceTest,
} from "../source.ts"

const slug = SourceSlug.describe("Source, by its folder's name")

/** Not for agents: a person approves what may be executed. */
export const sourceOperations = defineOperations("source", {
  list: {
    summary: "List the sources: what each would execute, whether it is approved, how it is",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["source"], alsoWords: ["source", "list"], group: "See" },
    input: z.strictObject({}),
    output: SourceList,
  },
  test: {
    summary: "Start a source, ask for its tools and say how long it took",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["slug"], group: "See" },
    input: z.strictObject({ slug }),
    output: SourceTest,
  },
  approve: {
    summary: "Let a source be started or called, as it is now; another version is asked for again",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["slug"], group: "See" },
    input: z.strictObject({
      slug,
      digest: z.string().max(100).optional().describe("What was read; refused when it has changed"),
    }),
    output: Source,
  },
})

/** Not for agents: a person sets keys. */
export const credentialOperations = defineOperations("credential", {
  set: {
    summary: "Keep a key, encrypted; it can be used and replaced, never read back",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: {
      args: ["name"],
      group: "Set up",
      summary: "Keep a key, encrypted; it is read from the terminal or from stdin",
      omit: ["value"],
      notes: ["It is never an argument: other programs can read the arguments of a process."],
    },
    input: z.strictObject({
      name: CredentialName.describe(
        "What it is called: anthropic, openai, azure, custom, or as a source says",
      ),
      value: z
        .string()
        .min(1)
        .max(20_000)
        .optional()
        .describe("Only over the API; the command line reads it from standard input"),
    }),
    output: Credentials,
  },
  remove: {
    summary: "Forget a key",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["name"], group: "Set up" },
    input: z.strictObject({
      name: CredentialName.describe("Credential, by name"),
    }),
    output: Credentials,
  },
  list: {
    summary: "List the names of the keys that are kept, and what keeps them",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["credential"], alsoWords: ["credential", "list"], group: "Set up" },
    input: z.strictObject({}),
    output: Credentials,
  },
})
