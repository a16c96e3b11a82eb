import { formatCount, formatExact, plural } from "#ground/base"
import type { GatewayFolded, GatewayMasks } from "#ground/contract"
import { table } from "../terminal/layout.ts"
import type { Screen } from "../terminal/screen.ts"
import { listing, rowLimit, rowText, timeText } from "./lines.ts"

const MOST_ROWS = 60

const NOTHING =
  "No tool result is masked. `qm gateway run --mode fold --auto-fold on -- claude` masks old ones."

export function renderGatewayMasks(shown: GatewayMasks, screen: Screen): string {
  const { paint } = screen
  const { masks, savedTokens, rereads, maskable } = shown
  const suggestion =
    maskable === null
      ? []
      : [
          `${plural(maskable.results, "old tool result")} with ${formatExact(maskable.tokens)} tokens could be masked.`,
          "To mask them in later sessions: `qm config set gateway.autoFold on`.",
        ]
  if (masks.length === 0)
    return suggestion.length > 0 ? suggestion.join("\n") : paint.muted(NOTHING)
  const newest = masks.slice(-rowLimit(MOST_ROWS, screen))
  const hidden = masks.length - newest.length
  const head = `${plural(masks.length, "masked result")}, ${formatExact(savedTokens)} tokens saved over all requests, ${plural(rereads, "re-read")}`
  return [
    paint.bold(head),
    "",
    kindTable(shown, screen),
    "",
    listing(
      HEADINGS,
      newest.map((it) => rowOf(it, screen)),
      screen,
    ),
    "",
    ...(hidden === 0 ? [] : [paint.muted(`${plural(hidden, "earlier mask")} not shown.`)]),
    paint.muted("The agent reads the texts with read_handle; --json lists all with their handles."),
  ].join("\n")
}

export function renderGatewayFolded({ results, tokens }: GatewayFolded): string {
  return `${plural(results, "tool result")} with ${formatExact(tokens)} tokens will be replaced by your summary at the next prompt of the session.`
}

const HEADINGS = ["time", "kind", "tokens", "read again", "call"]

function kindTable({ kinds }: GatewayMasks, screen: Screen): string {
  return table(
    kinds.map((it) => [
      it.kind,
      plural(it.masks, "mask"),
      `${formatExact(it.tokens)} tokens`,
      plural(it.rereads, "re-read"),
      it.isStopped ? screen.paint.warn("not masked any more") : "",
    ]),
    screen,
  )
}

function rowOf(mask: GatewayMasks["masks"][number], screen: Screen): readonly string[] {
  const { at, kind, tokens, rereadAfterTurns, agent, label } = mask
  return [
    screen.paint.muted(timeText(at)),
    kind,
    formatCount(tokens),
    rereadAfterTurns === null ? "" : `after ${plural(rereadAfterTurns, "turn")}`,
    rowText(`${agent === "" ? "" : "↳ "}${label}`),
  ]
}
