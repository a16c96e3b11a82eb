import type { Agreement, Capture, ManifestItem, Observation, SearchedPath } from "../../contract.ts"

export function aCapture(of: {
  readonly items: readonly ManifestItem[]
  readonly searched?: readonly SearchedPath[]
  readonly files?: readonly Agreement[]
}): Capture {
  const { items, searched = [], files } = of
  const tokens = items.reduce((sum, it) => sum + it.tokens, 0)
  return {
    manifest: {
      id: "cap_1",
      kind: "estimated",
      host: "claude-code",
      workingDirectory: "/r",
      capturedAt: 0,
      estimator: "claude",
      disclaimer: "An estimate.",
      items: [...items],
      searched: [...searched],
      notes: [],
      totals: { files: items.length, bytes: 0, tokensInWindow: tokens, tokensOnDemand: 0 },
    },
    headline: {
      tokens,
      window: 200_000,
      share: tokens / 200_000,
      by: "estimate",
      kinds: [],
      at: 0,
      estimate: tokens,
    },
    advice: [],
    budget: {
      window: 200_000,
      tokens,
      share: tokens / 200_000,
      startBudget: 20_000,
      kinds: [],
      biggest: [],
      duplicates: [],
    },
    observation: files === undefined ? null : anObservation(files),
    observationProblem: null,
    historyProblem: null,
    isNew: true,
    previous: null,
    texts: [],
    diff: null,
  }
}

function anObservation(files: readonly Agreement[]): Observation {
  const agreed = files.filter((it) => it.state === "both").length
  const accuracy = files.length === 0 ? 1 : agreed / files.length
  const counted = { agreed, compared: files.length, accuracy }
  return { by: "transcript", at: 0, files: [...files], ...counted, categories: [] }
}

export function anItem(label: string, of: Partial<ManifestItem>): ManifestItem {
  return {
    path: `/r/${label}`,
    label,
    source: "project-root",
    priority: 100,
    order: 0,
    load: "always",
    reason: "Project root memory",
    kind: "instructions",
    tokens: 100,
    tokensOnDemand: 0,
    bytes: 400,
    sentBytes: 390,
    sha256: "0".repeat(64),
    modifiedAt: 0,
    scope: "project",
    trust: "project",
    redactions: 0,
    ...of,
  }
}

export function aSearched(label: string, outcome: SearchedPath["outcome"]): SearchedPath {
  return { path: `/r/${label}`, source: "project-root", outcome }
}

export function anAgreement(
  label: string,
  state: Agreement["state"],
  of: Partial<Agreement>,
): Agreement {
  return { path: `/r/${label}`, label, state, ...of }
}
