import { z } from "zod"
import { defineOperations } from "../operation.ts"
import {
  ReviewComments,
  ReviewCreated,
  ReviewPosted,
  ReviewStatus,
  SyncPreflight,
  SyncPrepr,
} from "../shapes/review.ts"

const Branch = z.string().min(1).max(300)

const SyncInput = z.strictObject({
  base: Branch.optional().describe(
    "Branch of the remote to compare with (default: its main branch)",
  ),
  fetch: z
    .boolean()
    .default(true)
    .describe("Fetch from the remote first; otherwise use the last fetch"),
})

export const syncOperations = defineOperations("sync", {
  preflight: {
    summary: "Check before work: ahead, behind, who else touched the files, open PRs",
    // It fetches, which moves the remote's branches in the repository.
    effect: "write",
    surfaces: ["cli", "http"],
    cli: {
      args: ["paths"],
      group: "Board",
      examples: ["qm sync preflight", "qm sync preflight src/bill.ts --base main"],
      notes: [
        "A check that could not run is listed as skipped, never as passed.",
        "Pull requests are read with your own gh, glab, bb or tea.",
      ],
    },
    input: SyncInput.extend({
      paths: z
        .array(z.string().min(1).max(4_096))
        .max(500)
        .default([])
        .describe("Files to check in addition to the changed ones"),
      days: z
        .int()
        .min(1)
        .max(365)
        .default(14)
        .describe("Check branches with a commit in the last days"),
    }),
    output: SyncPreflight,
  },
  prepr: {
    summary: "Check before a pull request: divergence, duplicates, conflict forecast",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: {
      group: "Board",
      examples: ["qm sync prepr", "qm sync prepr --base release --no-fetch"],
      notes: ["Exits with 1 if a check failed. A check that could not run is listed as skipped."],
    },
    input: SyncInput,
    output: SyncPrepr,
  },
})

const PullNumber = z
  .int()
  .min(1)
  .max(2_147_483_647)
  .optional()
  .describe("Number of the pull request (default: the open one of the current branch)")

export const reviewOperations = defineOperations("review", {
  create: {
    summary: "Open a pull request with your own gh, glab, bb or tea",
    effect: "write",
    // It publishes in the user's name, so only the user at the terminal may call it.
    surfaces: ["cli"],
    cli: {
      args: ["title"],
      group: "Board",
      examples: ['qm review create "fix rounding of quotes" --body-file notes.md'],
      notes: [
        "The branch must be pushed and must not have an open pull request yet.",
        "Secrets in title and text are replaced before anything is sent.",
      ],
    },
    input: z.strictObject({
      title: z.string().min(1).max(250).describe("Title"),
      body: z.string().max(60_000).default("").describe("Text in Markdown"),
      bodyFile: z.string().min(1).max(4_096).optional().describe("File with the text"),
      base: Branch.optional().describe("Branch to merge into (default: the remote's main branch)"),
      draft: z.boolean().default(false).describe("Open it as a draft"),
    }),
    output: ReviewCreated,
  },
  comments: {
    summary: "List unresolved review comments of a pull request",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["number"], group: "Board", examples: ["qm review comments 12"] },
    input: z.strictObject({ number: PullNumber }),
    output: ReviewComments,
  },
  post: {
    summary: "Post a comment on a pull request, or on one of its lines",
    effect: "write",
    surfaces: ["cli"],
    cli: {
      args: ["text"],
      group: "Board",
      examples: ['qm review post "Rounds down" --number 12 --path src/bill.ts --line 40'],
    },
    input: z.strictObject({
      text: z.string().min(1).max(60_000).describe("Text in Markdown"),
      number: PullNumber,
      path: z.string().min(1).max(4_096).optional().describe("File of the comment; needs --line"),
      line: z.int().min(1).max(10_000_000).optional().describe("Line of the file, from 1"),
    }),
    output: ReviewPosted,
  },
  status: {
    summary: "Show the pull request of a branch or ticket with CI and review",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      args: ["number"],
      group: "Board",
      examples: ["qm review status", "qm review status --branch qm/rounding"],
    },
    input: z.strictObject({
      number: PullNumber,
      branch: Branch.optional().describe("Branch (default: the current one)"),
      ticket: z
        .string()
        .min(1)
        .max(100)
        .optional()
        .describe("Ticket; uses the branch of its worktree"),
    }),
    output: ReviewStatus,
  },
})
