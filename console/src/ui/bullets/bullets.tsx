import styles from "./bullets.module.css"

export function Bullets({ lines }: { readonly lines: readonly string[] }) {
  return (
    <ul className={styles.bullets}>
      {lines.map((it, i) => (
        <li key={`${i} ${it}`}>{it}</li>
      ))}
    </ul>
  )
}
