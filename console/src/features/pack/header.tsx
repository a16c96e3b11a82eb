import { formatWhen, visibleLine } from "../../base/format.ts"
import { paths } from "../../data/paths.ts"
import { Button } from "../../ui/button/button.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { OnlyWide } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import type { Choices } from "./choices.ts"
import { describeTitle } from "./words.ts"

type PackHeaderProps = {
  readonly now: number
  readonly choices: Choices
  /**
   * Time at which the stored package was built; null if it is not stored, undefined while loading.
   */
  readonly keptAt: number | null | undefined
  readonly isPending: boolean
  readonly isOff: boolean
  readonly isKeeping: boolean
  readonly isEmpty: boolean
  readonly onCopy: (() => void) | undefined
  onNew(): void
  onCompare(): void
  onKeep(): void
  onRun(): void
}

export function PackHeader(props: PackHeaderProps) {
  const { choices, keptAt, isOff, isKeeping, isEmpty, onCopy } = props
  return (
    <Header
      parent={{ label: "Pack", href: paths.pack() }}
      isDetail
      title={visibleLine(describeTitle(choices))}
      facts={
        <Text size="sm" tone="3">
          {describeState(props)}
        </Text>
      }
    >
      <OnlyWide>
        <Button variant="ghost" keyId="pack.new" onPress={props.onNew}>
          New
        </Button>
      </OnlyWide>
      <OnlyWide>
        <Button variant="ghost" keyId="pack.compare" onPress={props.onCompare}>
          Compare
        </Button>
      </OnlyWide>
      <Button
        icon="copy"
        keyId="pack.copy"
        shrinks
        disabled={onCopy === undefined}
        onPress={() => onCopy?.()}
      >
        Copy
      </Button>
      <Button
        icon="check"
        keyId="pack.keep"
        shrinks
        disabled={isOff || isKeeping || keptAt !== null}
        onPress={props.onKeep}
      >
        {typeof keptAt === "number" ? "Saved" : "Save"}
      </Button>
      <Button
        variant="primary"
        icon="play"
        keyId="pack.run"
        shrinks
        disabled={isOff || isKeeping || isEmpty}
        onPress={props.onRun}
      >
        Start run
      </Button>
    </Header>
  )
}

function describeState({ now, choices, keptAt, isPending }: PackHeaderProps): string {
  // Without a task the title is unknown, and this text would move with it.
  if (choices.task === "") return ""
  if (isPending) return "building"
  return typeof keptAt === "number" ? `saved ${formatWhen(keptAt, now)}` : "not saved"
}
