import { globSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import type { KbWeb } from "#ground/contract"
import { createSecrets } from "#ground/secrets"
import { openStore } from "#ground/store"
import {
  citationAccuracy,
  createKnowledge,
  entityGrounding,
  findContradictions,
  type KnowledgeDeps,
  relationPreservation,
} from "#know/knowledge"
import { loadWordVectors } from "#know/search"

export const RECIPES = fileURLToPath(new URL("../../recipes", import.meta.url))

export const HARBOUR = path.join(RECIPES, "deep-research", "corpus")

export const VERIFY = {
  entityGrounding,
  citationAccuracy,
  relationPreservation,
  findContradictions,
}

/** Four characters per token: fast, and the same everywhere. */
export const countQuarters = (text: string): number => Math.ceil(text.length / 4)

/**
 * A corpus, by default the shipped one, in its own store: its documents as primary documents, those
 * in `guides/` as guides.
 */
export async function openHandbook(
  corpus = HARBOUR,
  changes: Partial<Pick<KnowledgeDeps, "synonyms" | "wordVectors">> = {},
) {
  const fixture = { clock: systemClock, random: systemRandom, log: silentLog }
  const store = await openStore({ ...fixture, location: { kind: "memory" } })
  const secrets = createSecrets({ random: systemRandom })
  const knowledge = createKnowledge({
    ...fixture,
    db: async () => store.forRoom("knowledge"),
    count: async () => countQuarters,
    secrets: async () => secrets,
    embedder: async () => undefined,
    wordVectors: () => loadWordVectors(),
    ...changes,
  })
  await knowledge.add({ path: path.join(corpus, "guides"), tier: "guide" })
  for (const file of globSync("*.*", { cwd: corpus }).toSorted()) {
    await knowledge.add({ path: path.join(corpus, file), tier: "primary" })
  }
  return { knowledge, store, [Symbol.asyncDispose]: () => store.close() }
}

export async function noWeb(): Promise<KbWeb> {
  return { source: null, note: "No source searches the web here.", results: [] }
}

export function pages(count: number): KbWeb["results"] {
  return Array.from({ length: count }, (_, index) => ({
    title: `Tariffs of small harbours, part ${index + 1}`,
    url: `https://harbour.example/${index + 1}`,
    text: `Small harbour ${index + 1} reckons a surcharge for a longer stay.`,
  }))
}
