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
              <i style={{ width: percent(share) }} />
              {gone === 0 ? null : <i data-gone style={{ width: percent(gone) }} />}
            </span>
            <b>{figure}</b>
          </dd>
        </div>
      ))}
    </dl>
  )
}

const percent = (share: number) => `${(share * 100).toFixed(2)}%`
