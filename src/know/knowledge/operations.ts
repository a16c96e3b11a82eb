import { type CallContext, defineOperation, type KbWeb, SIGNATURES } from "#ground/contract"
import type { Knowledge } from "./knowledge.ts"

export type KnowledgeOperationDeps = {
  knowledge(): Promise<Knowledge>
  /** The web, by a source that can; what there is none for, the answer says. */
  web(input: { query: string; limit: number }, context: CallContext): Promise<KbWeb>
  /** A path as it was given, absolute and without links; throws for what may not be read. */
  place(path: string): Promise<string>
  /** The same for one that may be gone. */
  called(path: string): Promise<string>
}

export function knowledgeOperations(deps: KnowledgeOperationDeps) {
  return [...keeping(deps), ...asking(deps), ...following(deps), ...verifying(deps)] as const
}

const ofPersons = ["cli", "http"] as const
const ofAll = ["cli", "http", "mcp"] as const
const ofPrograms = ["http", "mcp"] as const

function keeping({ knowledge, place, called }: KnowledgeOperationDeps) {
  return [
    defineOperation({
      name: "kb.add",
      summary: "Read a folder of documents into the knowledge base, or what changed in it",
      effect: "write",
      surfaces: ofPersons,
      ...SIGNATURES["kb.add"],
      run: async ({ path, tier }, context) =>
        (await knowledge()).add({ path: await place(path), tier }, context),
    }),
    defineOperation({
      name: "kb.remove",
      summary: "Take a folder out of the knowledge base; its files stay as they are",
      effect: "write",
      surfaces: ofPersons,
      ...SIGNATURES["kb.remove"],
      run: async ({ path }) => (await knowledge()).remove({ path: await called(path) }),
    }),
    defineOperation({
      name: "kb.status",
      summary: "Say which folders are known, whether they changed, and what leads nowhere",
      effect: "read",
      surfaces: ofAll,
      ...SIGNATURES["kb.status"],
      run: async () => (await knowledge()).status(),
    }),
    defineOperation({
      name: "kb.documents",
      summary: "List the documents of the knowledge base",
      effect: "read",
      surfaces: ofAll,
      ...SIGNATURES["kb.documents"],
      run: async (input) => (await knowledge()).documents(input),
    }),
  ] as const
}

function asking({ knowledge, web }: KnowledgeOperationDeps) {
  return [
    defineOperation({
      name: "kb.search",
      summary: "Find paragraphs by words, and by meaning where an embedder is configured",
      effect: "read",
      surfaces: ofAll,
      ...SIGNATURES["kb.search"],
      run: async (input, context) => (await knowledge()).search(input, context),
    }),
    defineOperation({
      name: "kb.paragraph",
      summary: "Show a paragraph with its neighbours and references",
      effect: "read",
      surfaces: ofAll,
      ...SIGNATURES["kb.paragraph"],
      run: async (input) => (await knowledge()).paragraph(input),
    }),
    defineOperation({
      name: "kb.web",
      summary: "Search the web by a source that can",
      effect: "read",
      surfaces: ofAll,
      ...SIGNATURES["kb.web"],
      run: (input, context) => web(input, context),
    }),
  ] as const
}

function following({ knowledge }: KnowledgeOperationDeps) {
  return [
    defineOperation({
      name: "kb.hop",
      summary: "Follow the references of paragraphs",
      effect: "read",
      surfaces: ofPrograms,
      ...SIGNATURES["kb.hop"],
      run: async (input) => (await knowledge()).hop(input),
    }),
    defineOperation({
      name: "kb.trace",
      summary: "Tell step by step how paragraphs hang together, and by which words",
      effect: "read",
      surfaces: ofPrograms,
      ...SIGNATURES["kb.trace"],
      run: async (input) => (await knowledge()).trace(input),
    }),
    defineOperation({
      name: "kb.context",
      summary: "Write paragraphs for a model, labelled, within a budget of tokens",
      effect: "read",
      surfaces: ofPrograms,
      ...SIGNATURES["kb.context"],
      run: async (input) => (await knowledge()).context(input),
    }),
  ] as const
}

function verifying({ knowledge }: KnowledgeOperationDeps) {
  return [
    defineOperation({
      name: "kb.entities",
      summary: "Verify that the names and figures of an answer stand in what it cites",
      effect: "read",
      surfaces: ofPrograms,
      ...SIGNATURES["kb.entities"],
      run: async (input) => (await knowledge()).entities(input),
    }),
    defineOperation({
      name: "kb.citations",
      summary: "Verify that what an answer cites exists and supports it",
      effect: "read",
      surfaces: ofPrograms,
      ...SIGNATURES["kb.citations"],
      run: async (input) => (await knowledge()).citations(input),
    }),
    defineOperation({
      name: "kb.relations",
      summary: "Verify that what an answer relates is related in what it cites",
      effect: "read",
      surfaces: ofPrograms,
      ...SIGNATURES["kb.relations"],
      run: async (input) => (await knowledge()).relations(input),
    }),
    defineOperation({
      name: "kb.contradictions",
      summary: "Find sentences of an answer that contradict each other, or what they rest on",
      effect: "read",
      surfaces: ofPrograms,
      ...SIGNATURES["kb.contradictions"],
      run: async (input) => (await knowledge()).contradictions(input),
    }),
  ] as const
}
