import { cssPercent } from "../../base/format.ts"
import styles from "./compare.module.css"

export type CompareLine = {
  readonly name: string
  readonly share: number
  readonly gone?: number
  readonly figure: string
}

export function Compare({ lines }: { readonly lines: readonly CompareLine[] }) {
  return (
    <dl className={styles.compare}>
      {lines.map(({ name, share, gone = 0, figure }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <span className={styles.track} aria-hidden="true">
              <i style={{ width: cssPercent(share) }} />
              {gone === 0 ? null : <i data-gone style={{ width: cssPercent(gone) }} />}
            </span>
            <b>{figure}</b>
          </dd>
        </div>
      ))}
    </dl>
  )
}
