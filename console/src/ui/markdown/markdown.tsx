import { type ComponentType, useEffect, useState } from "react"
import { visible } from "../../base/format.ts"
import styles from "./markdown.module.css"

type Reader = ComponentType<{ readonly text: string }>

let reader: Reader | null = null

/**
 * Loads the markdown renderer, which most pages never need. Pages that need it load it together
 * with their own code, so that no raw text is shown first. If it fails, the text is shown raw.
 */
export async function loadMarkdown(): Promise<void> {
  try {
    reader = (await import("./rendered-markdown.tsx")).Rendered
  } catch {
    reader = Plain
  }
}

export function Markdown({ text }: { readonly text: string }) {
  const [isLoaded, setIsLoaded] = useState(reader !== null)
  useEffect(() => {
    if (!isLoaded) void loadMarkdown().then(() => setIsLoaded(true))
  }, [isLoaded])
  const Shown = reader ?? Plain
  return <Shown text={text} />
}

function Plain({ text }: { readonly text: string }) {
  return <div className={styles.plain}>{visible(text)}</div>
}
