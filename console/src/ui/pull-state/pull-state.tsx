import { visibleLine } from "../../base/format.ts"
import type { PullRequest, WireError } from "../../contract.ts"
import { Button } from "../button/button.tsx"
import { Flow, Stack } from "../pane/pane.tsx"
import { Text } from "../text/text.tsx"

type PullStateProps = {
  /** Undefined before the first check; null if the branch has no open pull request. */
  readonly pull: PullRequest | null | undefined
  readonly error: WireError | undefined
  readonly isChecking: boolean
  check(): void
}

/** Number, CI and review of a pull request, and the button that asks for them. */
export function PullState({ pull, error, isChecking, check }: PullStateProps) {
  const idleLabel = pull === undefined ? "Check" : "Check again"
  return (
    <Stack>
      {error === undefined ? null : (
        <Text size="sm" tone="warn" wrap>
          {`${visibleLine(error.message)} ${visibleLine(error.hint)}`}
        </Text>
      )}
      {pull === undefined ? null : <PullLine pull={pull} />}
      <Flow>
        <Button small variant="ghost" disabled={isChecking} onPress={check}>
          {isChecking ? "Checking" : idleLabel}
        </Button>
      </Flow>
    </Stack>
  )
}

function PullLine({ pull }: { readonly pull: PullRequest | null }) {
  if (pull === null) return <Text tone="2">no open pull request</Text>
  const { number, title, isDraft, ci, review } = pull
  const isBad = ci === "failed" || review === "changes-requested"
  const goodTone = ci === "passed" && review === "approved" ? "ok" : "2"
  return (
    <Text wrap tone={isBad ? "bad" : goodTone}>
      {`#${number} ${visibleLine(title)}${isDraft ? ", draft" : ""}: CI ${ci}, review ${review}`}
    </Text>
  )
}
