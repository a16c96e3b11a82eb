import { useSyncExternalStore } from "react"

const FALLBACK_PX = 30

/** The height of a row in pixels, which depends on the density and on the width of the window. */
export function useRowHeight(): number {
  return useSyncExternalStore(watch, read, () => FALLBACK_PX)
}

function watch(changed: () => void): () => void {
  const observer = new MutationObserver(changed)
  observer.observe(document.documentElement, { attributeFilter: ["data-density"] })
  window.addEventListener("resize", changed)
  return () => {
    observer.disconnect()
    window.removeEventListener("resize", changed)
  }
}

function read(): number {
  const px = Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--row"))
  return Number.isFinite(px) ? px : FALLBACK_PX
}
