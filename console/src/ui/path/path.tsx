import styles from "./path.module.css"

/** Where it does not fit, only the folder is cut, never the name. */
export function Path({ path }: { readonly path: string }) {
  const cut = path.lastIndexOf("/", path.length - 2) + 1
  return (
    <span className={styles.path} title={path}>
      <i>{path.slice(0, cut)}</i>
      <b>{path.slice(cut)}</b>
    </span>
  )
}
