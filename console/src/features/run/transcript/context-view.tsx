import { useState } from "react"
import { asRecord } from "#ground/base/object"
import { toWireError } from "../../../base/errors.ts"
import { visibleLine } from "../../../base/format.ts"
import { KINDS } from "../../../base/kinds.ts"
import { type ContextKind, formatExact, plural } from "../../../contract.ts"
import { paths } from "../../../data/paths.ts"
import { useOperation } from "../../../data/queries.tsx"
import { RowBudgetBar } from "../../../ui/budget-bar/budget-bar.tsx"
import { Failure } from "../../../ui/failure/failure.tsx"
import { Box, BoxBody, BoxCode, BoxTop } from "../../../ui/transcript/box.tsx"
import { Line, Muted, TextLink } from "../../../ui/transcript/transcript.tsx"
import type { ContextStart } from "./entry.ts"

type ContextViewProps = {
  readonly entry: ContextStart
  readonly isOpen: boolean
  onToggle(): void
}

/** Items are files; tools and the system prompt have tokens in any case. */
function describeCount(count: number): string {
  return count === 0 ? "no files" : plural(count, "item")
}

/** The window before the first prompt, from the run's own capture. */
export function ContextView({ entry, isOpen, onToggle }: ContextViewProps) {
  const { contextFileCount, tokens, kinds, capture, disclaimer, inWindow } = entry.message.metadata
  const items = readItems(inWindow)
  const scale = scaleOf(entry.message.metadata)
  const count = items?.length ?? contextFileCount
  const summary = [
    typeof count === "number" ? describeCount(count) : "",
    typeof tokens === "number" ? `${formatExact(tokens)} tokens` : "",
  ].filter((it) => it !== "")
  const listed = (items ?? []).reduce((sum, it) => sum + it.tokens, 0)
  const rest = typeof tokens === "number" ? tokens - listed : 0
  const amounts = readKinds(kinds)
  const id = typeof capture === "string" ? capture : ""
  return (
    <Box>
      <BoxBody>
        <BoxTop aside={<TextLink href={paths.capture({ id })}>Open</TextLink>}>
          <Line
            keeps
            title="Context at start"
            description={summary.join(", ")}
            {...(items === undefined ? {} : { isOpen, onToggle })}
          />
        </BoxTop>
        {Object.keys(amounts).length === 0 ? null : <RowBudgetBar tokens={amounts} {...scale} />}
        {isOpen && items !== undefined ? (
          <>
            {items.map((it) => (
              <ItemView key={it.path} item={it} capture={id} />
            ))}
            {rest > 0 ? <Line plain title={REST} figures={[formatExact(rest)]} /> : null}
            {typeof disclaimer === "string" ? <Muted>{visibleLine(disclaimer)}</Muted> : null}
          </>
        ) : null}
      </BoxBody>
    </Box>
  )
}

/** A start fills little of a window, so it is drawn against the start budget; older runs have none. */
function scaleOf({ window, startBudget }: Readonly<Record<string, unknown>>) {
  if (typeof startBudget === "number" && startBudget > 0) return { budget: startBudget }
  return typeof window === "number" ? { window } : {}
}

/** Parts of the host without a file; with this line the others add up to the total. */
const REST = "System prompt, tools and lists of the host"

type WindowItem = { readonly path: string; readonly label: string; readonly tokens: number }

function ItemView({ item, capture }: { readonly item: WindowItem; readonly capture: string }) {
  const [isOpen, setOpen] = useState(false)
  const { path, label, tokens } = item
  return (
    <>
      <Line
        plain
        title={visibleLine(label)}
        figures={[formatExact(tokens)]}
        {...(capture === "" ? {} : { isOpen, onToggle: () => setOpen(!isOpen) })}
      />
      {isOpen ? <ItemText path={path} label={label} capture={capture} /> : null}
    </>
  )
}

type ItemTextProps = Pick<WindowItem, "path" | "label"> & { readonly capture: string }

function ItemText({ path, label, capture }: ItemTextProps) {
  const { data, error, refetch } = useOperation("capture.text", { id: capture, path })
  if (error !== null) {
    return <Failure size="row" error={toWireError(error)} onRetry={() => void refetch()} />
  }
  if (data === undefined) return <Muted>Reading…</Muted>
  if (data.withheld !== undefined) return <Muted>{visibleLine(data.withheld)}</Muted>
  return <BoxCode text={data.text} label={`Text of ${visibleLine(label)}`} />
}

function readItems(listed: unknown): readonly WindowItem[] | undefined {
  if (!Array.isArray(listed)) return undefined
  return listed.flatMap((value: unknown) => {
    const { path, label, tokens } = asRecord(value)
    const isItem =
      typeof path === "string" && typeof label === "string" && typeof tokens === "number"
    return isItem ? [{ path, label, tokens }] : []
  })
}

function readKinds(kinds: unknown): Partial<Record<ContextKind, number>> {
  const amounts: Partial<Record<ContextKind, number>> = {}
  if (!Array.isArray(kinds)) return amounts
  const listed: readonly unknown[] = kinds
  for (const item of listed) {
    const { kind: name, tokens } = asRecord(item)
    const kind = KINDS.find((one) => one === name)
    if (kind !== undefined && typeof tokens === "number") amounts[kind] = tokens
  }
  return amounts
}
