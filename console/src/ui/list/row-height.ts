import { useSyncExternalStore } from "react"

const FALLBACK_PX = 30

export function useRowHeight(lines: 1 | 2 = 1): number {
  return useSyncExternalStore(watch, lines === 1 ? readOne : readTwo, () => FALLBACK_PX)
}

const readOne = (): number => read("--row")
const readTwo = (): number => read("--row-2")

function watch(changed: () => void): () => void {
  const observer = new MutationObserver(changed)
  observer.observe(document.documentElement, { attributeFilter: ["data-density"] })
  window.addEventListener("resize", changed)
  return () => {
    observer.disconnect()
    window.removeEventListener("resize", changed)
  }
}

function read(name: string): number {
  const px = Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue(name))
  return Number.isFinite(px) ? px : FALLBACK_PX
}
