import styles from "./announce.module.css"

/** Said to who hears the page, when there is a pause, each time it changes. */
export function Announce({ children }: { readonly children: string }) {
  return (
    <p className={styles.announce} role="status">
      {children}
    </p>
  )
}
