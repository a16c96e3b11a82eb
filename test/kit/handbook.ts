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

/** Where the shipped agents lie. */
export const AGENTS = fileURLToPath(new URL("../../agents", import.meta.url))

const CORPUS = path.join(AGENTS, "deep-research", "corpus")

export const VERIFY = {
  entityGrounding,
  citationAccuracy,
  relationPreservation,
  findContradictions,
}

/** Four characters are a token: quick, and the same everywhere. */
export const countQuarters = (text: string): number => Math.ceil(text.length / 4)

/** The shipped handbook in a store of its own: its documents as primary ones, its guides as guides. */
export async function openHandbook() {
  const world = { clock: systemClock, random: systemRandom, log: silentLog }
  const store = await openStore({ ...world, location: { kind: "memory" } })
  const secrets = createSecrets({ random: systemRandom })
  const knowledge = createKnowledge({
    ...world,
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

/** Nobody set up a source that searches the web. */
export async function noWeb(): Promise<KbWeb> {
  return { source: null, note: "No source searches the web here.", results: [] }
}

/** Pages a web source could have found. */
export function pages(count: number): KbWeb["results"] {
  return Array.from({ length: count }, (_, index) => ({
    title: `Tariffs of small harbours, part ${index + 1}`,
    url: `https://harbour.example/${index + 1}`,
    text: `Small harbour ${index + 1} reckons a surcharge for a longer stay.`,
  }))
}
