import { visibleLine } from "../../base/format.ts"
import { plural } from "../../contract.ts"
import { Markdown } from "../../ui/markdown/markdown.tsx"
import { Line, SaidText } from "../../ui/transcript/transcript.tsx"
import type { TurnEnd } from "./entry.ts"
import type { RowDoes } from "./row-does.ts"
import { WholeText } from "./whole-text.tsx"
import { sayTook } from "./words.ts"

type TurnViewProps = { readonly entry: TurnEnd; readonly does: RowDoes }

/** How the turn ended; its last word only where it was not said just before. */
export function TurnView({ entry, does }: TurnViewProps) {
  const { event, message, isRepeated } = entry
  const isFailed = event.outcome === "failed"
  const facts = [
    event.turns === undefined ? "" : plural(event.turns, "model call"),
    event.denials === 0 ? "" : plural(event.denials, "call not allowed", "calls not allowed"),
    isFailed ? visibleLine(event.error ?? message.content) : "",
  ].filter((it) => it !== "")
  return (
    <>
      <Line
        plain
        title={`Turn ${event.outcome}`}
        says={facts.join(", ")}
        tone={isFailed ? "bad" : undefined}
        figures={event.durationMs === undefined ? [] : ["", sayTook(event.durationMs)]}
      />
      {isRepeated || isFailed ? null : (
        <SaidText>
          <WholeText message={message} does={does} render={(text) => <Markdown text={text} />} />
        </SaidText>
      )}
    </>
  )
}
