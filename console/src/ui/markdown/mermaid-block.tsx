import { useEffect, useState } from "react"
import { visible } from "../../base/format.ts"
import { CopyIcon } from "../copy/copy.tsx"
import styles from "./markdown.module.css"
import type { Drawing } from "./mermaid-draw.ts"

export function MermaidBlock({ source }: { readonly source: string }) {
  const [drawing, setDrawing] = useState<Drawing | null>(null)
  const [isSource, setIsSource] = useState(false)
  useEffect(() => {
    const gone = new AbortController()
    const { signal } = gone
    const show = (it: Drawing | undefined) => {
      if (!signal.aborted && it !== undefined) setDrawing(it)
    }
    import("./mermaid-draw.ts")
      .then(({ drawDiagram }) => drawDiagram({ source, look: lookNow(), signal }))
      .then(show, () =>
        show({ kind: "refused", says: "The diagram renderer could not be loaded." }),
      )
    return () => gone.abort()
  }, [source])
  const isDrawn = drawing?.kind === "drawn"
  return (
    <figure className={styles.code}>
      <figcaption>
        <span>mermaid</span>
        {isDrawn ? (
          <button type="button" className={styles.switch} onClick={() => setIsSource(!isSource)}>
            {isSource ? "Show the diagram" : "Show the source"}
          </button>
        ) : null}
        <CopyIcon text={source} label="Copy the source" />
      </figcaption>
      {drawing?.kind === "refused" ? (
        <p className={styles.problem}>Diagram error: {visible(drawing.says)}</p>
      ) : null}
      {isDrawn && !isSource ? (
        <img
          className={styles.picture}
          src={drawing.url}
          width={drawing.width}
          height={drawing.height}
          alt={source}
          onError={() =>
            setDrawing({ kind: "refused", says: "The browser cannot show the image." })
          }
        />
      ) : (
        <pre>{visible(source)}</pre>
      )}
    </figure>
  )
}

function lookNow(): "light" | "dark" {
  return document.documentElement.dataset.theme === "dark" ? "dark" : "light"
}
