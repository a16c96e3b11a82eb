import styles from "./bullets.module.css"

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
