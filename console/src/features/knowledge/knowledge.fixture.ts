import type { KbDocument, KbHit, KbParagraph, KbStatus } from "../../contract.ts"

export const NOW = Date.UTC(2026, 10, 15, 8, 16)

const BY = { words: true, meaning: null, note: "no embedder is configured" } as const

export function aParagraph(id: string, overrides: Partial<KbParagraph> = {}): KbParagraph {
  return {
    id,
    document: "kd_1",
    title: "Handbook",
    path: "handbook.md",
    tier: "primary",
    headings: ["Handbook", "4 Arrival"],
    number: "4.2",
    text: "A vessel has **arrived** inside the breakwater.",
    line: 118,
    page: null,
    citation: "Handbook § 4.2",
    ...overrides,
  }
}

export function aHit(id: string, overrides: Partial<KbHit> = {}): KbHit {
  return {
    paragraph: aParagraph(id),
    score: 1,
    words: 1,
    meaning: null,
    hop: null,
    matched: ["arrived"],
    ...overrides,
  }
}

export function aDocument(id: string, overrides: Partial<KbDocument> = {}): KbDocument {
  return {
    id,
    title: "Handbook",
    path: "handbook.md",
    folder: "/docs",
    tier: "primary",
    format: "markdown",
    digest: "d",
    paragraphs: 41,
    references: 22,
    sizeBytes: 9_400,
    updatedAt: NOW - 60_000,
    ...overrides,
  }
}

export function aStatus(overrides: Partial<KbStatus> = {}): KbStatus {
  return {
    folders: [aFolder("/docs")],
    documents: 1,
    paragraphs: 41,
    references: 22,
    unresolved: [],
    by: BY,
    ...overrides,
  }
}

export const aFolder = (
  folder: string,
  overrides: Partial<KbStatus["folders"][number]> = {},
): KbStatus["folders"][number] => ({
  folder,
  tier: "primary",
  documents: 1,
  paragraphs: 41,
  addedAt: NOW,
  isStale: false,
  skipped: 0,
  ...overrides,
})
