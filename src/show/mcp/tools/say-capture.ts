import { formatExact } from "#ground/base"
import { type Capture, type ManifestItem } from "#ground/contract"

/** What a host loads, one line a file, in load order. */
export function sayCapture({ manifest, budget }: Capture): string {
  const { tokensInWindow, tokensOnDemand } = manifest.totals
  const later = tokensOnDemand === 0 ? "" : `, ${formatExact(tokensOnDemand)} more on demand`
  return [
    `${manifest.host} in ${manifest.workingDirectory}`,
    `${formatExact(tokensInWindow)} of ${formatExact(budget.window)} tokens before the first word${later}`,
    ...manifest.items.map(itemLine),
    ...manifest.notes.map((it) => `Note: ${it.text}`),
    ...budget.duplicates.map(
      (it) => `The same in ${it.labels.join(", ")}: ${formatExact(it.tokens)} tokens again`,
    ),
  ].join("\n")
}

function itemLine(it: ManifestItem): string {
  const tokens = it.tokens === 0 && it.tokensOnDemand > 0 ? it.tokensOnDemand : it.tokens
  return `- ${it.label} (${it.kind}, ${it.load}): ${formatExact(tokens)} tokens; ${it.reason}`
}
