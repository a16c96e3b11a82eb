import { cssPercent } from "../../base/format.ts"
import type { ContextKind } from "../../contract.ts"
import kinds from "../budget-bar/budget-bar.module.css"
import { classNames } from "../class-names.ts"
import { type Axis, formatTick } from "./axis.ts"
import styles from "./waterfall.module.css"

export function AxisLabels({ axis }: { readonly axis: Axis }) {
  return (
    <span className={styles.axis} aria-hidden="true">
      {axis.ticks.map((it) => (
        <i key={it} style={{ left: cssPercent(it / axis.max) }}>
          {formatTick(it)}
        </i>
      ))}
    </span>
  )
}

type FallProps = {
  readonly axis: Axis
  readonly bar: {
    readonly start: number
    readonly tokens: number
    readonly kind: ContextKind
  } | null
  readonly isHatched?: boolean
  readonly bare?: boolean
}

export function Fall({ axis, bar, isHatched = false, bare = false }: FallProps) {
  return (
    <span className={styles.fall} data-bare={bare || undefined} aria-hidden="true">
      {bar === null ? null : (
        <i
          className={classNames(kinds[bar.kind], isHatched && styles.hatched)}
          style={{
            left: cssPercent(bar.start / axis.max),
            width: cssPercent(bar.tokens / axis.max),
          }}
        />
      )}
    </span>
  )
}
