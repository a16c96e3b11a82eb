import { z } from "zod"
import { listedBy } from "../input-fields.ts"
import { defineOperations } from "../operation.ts"
import {
  CredentialName,
  Credentials,
  Source,
  SourceList,
  SourceSlug,
  SourceTest,
} from "../shapes/source.ts"

const slug = listedBy("source.list", SourceSlug.describe("Source, by folder name"))

/** Not for agents: the user approves what may be executed. */
export const sourceOperations = defineOperations("source", {
  list: {
    summary: "List sources: what each runs, its approval and its state",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      words: ["source"],
      aliases: ["source list"],
      group: "Knowledge",
      examples: ["qm source"],
    },
    input: z.strictObject({}),
    output: SourceList,
    rows: { field: "sources", id: "slug", title: ["title"] },
  },
  test: {
    summary: "Start a source, list its tools and measure the time",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["slug"], group: "Knowledge", examples: ["qm source test web-search"] },
    input: z.strictObject({ slug }),
    output: SourceTest,
  },
  approve: {
    summary: "Approve a source in its current version; changes need a new approval",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["slug"], group: "Knowledge", examples: ["qm source approve web-search"] },
    input: z.strictObject({
      slug,
      digest: z
        .string()
        .max(100)
        .optional()
        .describe("Digest of the version you read; fails if the source has changed"),
    }),
    output: Source,
  },
})

/** Not for agents: the user sets keys. */
export const credentialOperations = defineOperations("credential", {
  set: {
    summary: "Store a credential, encrypted; it can be replaced but not read back",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: {
      args: ["name"],
      group: "Setup",
      examples: ["qm credential set anthropic", "printenv MY_KEY | qm credential set anthropic"],
      summary: "Store a credential, encrypted; reads it from the terminal or stdin",
      omit: ["value"],
      notes: [
        "It is never an argument, because other programs can read the arguments of a process.",
      ],
    },
    input: z.strictObject({
      name: CredentialName.describe(
        "Name: anthropic, openai, azure, custom, or the name a source uses",
      ),
      value: z
        .string()
        .min(1)
        .max(20_000)
        .optional()
        .describe("API only; the command line reads it from stdin"),
    }),
    output: Credentials,
  },
  remove: {
    summary: "Delete a credential",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["name"], group: "Setup", examples: ["qm credential remove openai"] },
    input: z.strictObject({
      name: listedBy(
        "credential.list",
        CredentialName.describe("Credential name, listed by `qm credential`"),
      ),
    }),
    output: Credentials,
  },
  list: {
    summary: "List stored credentials and where they are stored",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      words: ["credential"],
      aliases: ["credential list"],
      group: "Setup",
      examples: ["qm credential"],
    },
    input: z.strictObject({}),
    output: Credentials,
    rows: { field: "credentials", id: "name", title: [] },
  },
})
