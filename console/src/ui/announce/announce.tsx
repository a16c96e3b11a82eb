import styles from "./announce.module.css"

export function Announce({ children }: { readonly children: string }) {
  return (
    <p className={styles.announce} role="status">
      {children}
    </p>
  )
}
