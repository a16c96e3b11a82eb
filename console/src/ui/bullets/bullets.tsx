import styles from "./bullets.module.css"

/** Sentences that stand beside one another without an order; each breaks where it must. */
export function Bullets({ lines }: { readonly lines: readonly string[] }) {
  return (
    <ul className={styles.bullets}>
      {lines.map((it, i) => (
        // Two may say the same; the place tells them apart.
        <li key={`${i} ${it}`}>{it}</li>
      ))}
    </ul>
  )
}
