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
  relationPreservation,
} from "#know/knowledge"

export const RECIPES = fileURLToPath(new URL("../../recipes", import.meta.url))

const CORPUS = path.join(RECIPES, "deep-research", "corpus")

export const VERIFY = {
  entityGrounding,
  citationAccuracy,
  relationPreservation,
  findContradictions,
}

/** Four characters per token: fast, and the same everywhere. */
export const countQuarters = (text: string): number => Math.ceil(text.length / 4)

/**
 * The shipped handbook in its own store: its documents as primary documents, its guides as guides.
 */
export async function openHandbook() {
  const fixture = { clock: systemClock, random: systemRandom, log: silentLog }
  const store = await openStore({ ...fixture, location: { kind: "memory" } })
  const secrets = createSecrets({ random: systemRandom })
  const knowledge = createKnowledge({
    ...fixture,
    db: async () => store.forRoom("knowledge"),
    count: async () => countQuarters,
    secrets: async () => secrets,
    embedder: async () => undefined,
  })
  await knowledge.add({ path: path.join(CORPUS, "guides"), tier: "guide" })
  for (const file of globSync("*.*", { cwd: CORPUS }).toSorted()) {
    await knowledge.add({ path: path.join(CORPUS, file), tier: "primary" })
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
