import { type ContextPack, formatCount, formatExact } from "../../contract.ts"
import { Sparkline } from "../../ui/sparkline/sparkline.tsx"
import { Text } from "../../ui/text/text.tsx"

/** Expected recall by size, with the place where this package ends. */
export function Expectation({ pack }: { readonly pack: ContextPack }) {
  const { tokens, expectation } = pack
  const { recall, curve } = expectation
  if (curve.length === 0) return null
  const own = { key: "own", tokens, recall, isMarked: true }
  const others = curve.map((it) => ({ ...it, key: String(it.tokens), isMarked: false }))
  const points = [...others, own].toSorted((a, b) => a.tokens - b.tokens)
  const sizes = others.map((it) => `${formatCount(it.tokens)} ${percent(it.recall)}`)
  const text = `Estimate: ${percent(recall)} of the code the task needs. The package ends at ${formatExact(tokens)} tokens; other sizes: ${sizes.join(", ")}.`
  return (
    <>
      <Sparkline
        label={text}
        bars={points.map((it) => ({
          key: it.key,
          value: it.recall,
          label: `${formatCount(it.tokens)} tokens: ${percent(it.recall)}`,
          isMarked: it.isMarked,
        }))}
      />
      <Text as="p" size="sm" tone="3">
        {text}
      </Text>
    </>
  )
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`
}
