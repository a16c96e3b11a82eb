import { z } from "zod"
import { listedBy } from "../input-fields.ts"
import { defineOperations } from "../operation.ts"
import {
  AuditLog,
  Invitation,
  IssuedToken,
  PeopleList,
  Person,
  PersonName,
  PersonToken,
  PersonTokens,
  Role,
  TokenScope,
} from "../shapes/person.ts"

const MOST_ENTRIES_LISTED = 1_000

const name = listedBy("people.list", PersonName.describe("Name of the person"))
const tokenId = listedBy(
  "people.tokens",
  z.string().min(1).max(100).describe("Token id, listed by `qm people token list`"),
)

/** Not for agents: they decide who may do what. */
export const peopleOperations = defineOperations("people", {
  list: {
    summary: "List the people of the team's store with role, tokens and last use",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      words: ["people"],
      aliases: ["people list"],
      group: "People",
      examples: ["qm people"],
    },
    input: z.strictObject({}),
    output: PeopleList,
    rows: { field: "people", id: "name", title: ["role"] },
  },
  invite: {
    summary: "Add a person and print a link that signs in one browser, once",
    effect: "write",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: {
      args: ["name"],
      group: "People",
      examples: ["qm people invite ada --role operator", "qm people invite ada"],
      notes: ["For a person who exists it prints another link."],
    },
    input: z.strictObject({
      name: PersonName.describe("Name shown beside what the person does; it cannot change"),
      role: Role.optional().describe("What the person may do (default: viewer for a new person)"),
      hours: z.int().min(1).max(168).default(24).describe("Hours until the link expires"),
    }),
    output: Invitation,
  },
  role: {
    summary: "Change the role of a person; it applies to their next request",
    effect: "write",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: { args: ["name", "role"], group: "People", examples: ["qm people role ada viewer"] },
    input: z.strictObject({ name, role: Role.describe("What the person may do") }),
    output: Person,
  },
  revoke: {
    summary: "Revoke a person: all tokens, links and sessions end at once",
    effect: "write",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: { args: ["name"], group: "People", examples: ["qm people revoke ada"] },
    input: z.strictObject({ name }),
    output: Person,
  },
  issue: {
    summary: "Create a token of a person for scripts or agents; it is shown once",
    effect: "write",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: {
      words: ["people", "token", "new"],
      args: ["name"],
      group: "People",
      examples: ["qm people token new ada --label laptop --days 90"],
    },
    input: z.strictObject({
      name,
      label: z
        .string()
        .trim()
        .min(1)
        .max(60)
        .default("token")
        .describe("What the token is for, such as laptop"),
      days: z.int().min(1).max(3_650).optional().describe("Days until it expires (default: none)"),
      scope: TokenScope.default("all").describe("tools: only /mcp, for an agent"),
    }),
    output: IssuedToken,
  },
  tokens: {
    summary: "List the tokens of people with label, expiry and last use",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      words: ["people", "token", "list"],
      args: ["name"],
      group: "People",
      examples: ["qm people token list", "qm people token list ada"],
    },
    input: z.strictObject({
      name: listedBy("people.list", PersonName.optional().describe("Only tokens of this person")),
    }),
    output: PersonTokens,
    rows: { field: "tokens", id: "id", title: ["person", "label"] },
  },
  withdraw: {
    summary: "Revoke a token at once, on every server of the store",
    effect: "write",
    // A person may end their own token; the handler refuses those of others.
    role: "viewer",
    surfaces: ["cli", "http"],
    cli: {
      words: ["people", "token", "revoke"],
      args: ["id"],
      group: "People",
      examples: ["qm people token revoke key_abc123"],
    },
    input: z.strictObject({ id: tokenId }),
    output: PersonToken,
  },
  log: {
    summary: "List what people changed: operation, ids, outcome and time",
    effect: "read",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: {
      group: "People",
      examples: ["qm people log", "qm people log --person ada --operation agents."],
      notes: ["`qm doctor` verifies the chain of hashes over all entries."],
    },
    input: z.strictObject({
      person: listedBy(
        "people.list",
        PersonName.optional().describe("Only entries of this person"),
      ),
      operation: z
        .string()
        .max(100)
        .default("")
        .describe("Only operations whose name starts with this, such as agents."),
      before: z.int().positive().optional().describe("Only entries before this number"),
      limit: z
        .int()
        .min(1)
        .max(MOST_ENTRIES_LISTED)
        .default(50)
        .describe("Maximum number of entries"),
    }),
    output: AuditLog,
  },
})
