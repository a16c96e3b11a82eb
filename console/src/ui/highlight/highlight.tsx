import { useEffect, useState } from "react"
import { visible } from "../../base/format.ts"
import styles from "./highlight.module.css"
import type { tokenizeCode } from "./tokenize.ts"

type HighlightProps = {
  readonly text: string
  /** A language's name or a file's ending; an unknown one gets no colours. */
  readonly language: string
}

let tokenize: typeof tokenizeCode | null = null

/** Code in colours. The rules of languages are loaded with the first code that needs them. */
export function Highlight({ text, language }: HighlightProps) {
  const [isLoaded, setIsLoaded] = useState(tokenize !== null)
  const isWanted = language !== "" && !isLoaded
  useEffect(() => {
    if (!isWanted) return
    let isMounted = true
    void import("./tokenize.ts").then(
      (module) => {
        tokenize = module.tokenizeCode
        if (isMounted) setIsLoaded(true)
      },
      () => undefined,
    )
    return () => {
      isMounted = false
    }
  }, [isWanted])
  const parts = tokenize?.(text, language)
  if (parts === undefined) return visible(text)
  return parts.map((it, i) =>
    it.kind === undefined ? (
      visible(it.text)
    ) : (
      <span key={i} className={styles[it.kind]}>
        {visible(it.text)}
      </span>
    ),
  )
}
