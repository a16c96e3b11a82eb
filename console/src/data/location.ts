import { useSyncExternalStore } from "react"
import { BASE_PATH, basePathOf } from "./base-path.ts"

/**
 * The only function that changes the URL; links are ordinary anchors that `followLinks` turns into
 * navigation.
 */
export function navigate(to: string, how: "push" | "replace" = "push"): void {
  // Another repository is another page load.
  if (basePathOf(to) !== BASE_PATH) return window.location.assign(to)
  const isSame = to === here()
  if (how === "replace" || isSame) window.history.replaceState(null, "", to)
  else window.history.pushState(null, "", to)
  for (const changed of listeners) changed()
}

export function useLocation(): { readonly path: string; readonly search: string } {
  const url = currentUrl(useSyncExternalStore(listen, here, () => "/"))
  const cut = url.indexOf("?")
  return cut < 0 ? { path: url, search: "" } : { path: url.slice(0, cut), search: url.slice(cut) }
}

const FORMER_PATHS: readonly (readonly [RegExp, string])[] = [
  [/^\/agents(?=\?|$)/, "/recipes"],
  [/^\/decisions(?:\?|$)/, "/memory?kind=decision&"],
]

/** Bookmarks of pages that were renamed or merged open the current page. */
export function currentUrl(url: string): string {
  const base = basePathOf(url)
  const inside = url.slice(base.length)
  const former = FORMER_PATHS.find(([pattern]) => pattern.test(inside))
  return former === undefined ? url : base + inside.replace(...former).replace(/&$/, "")
}

export function followLinks(root: HTMLElement): () => void {
  const follow = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey)
    if (link === null || !isPlain || event.defaultPrevented) return
    const isOurs = link.origin === window.location.origin && link.target === ""
    const isAnchor = link.hash !== "" && link.pathname === window.location.pathname
    const isHere = basePathOf(link.pathname) === BASE_PATH
    if (!isOurs || isAnchor || !isHere) return
    event.preventDefault()
    navigate(`${link.pathname}${link.search}`)
  }
  root.addEventListener("click", follow)
  return () => root.removeEventListener("click", follow)
}

const listeners = new Set<() => void>()

function listen(changed: () => void): () => void {
  listeners.add(changed)
  window.addEventListener("popstate", changed)
  return () => {
    listeners.delete(changed)
    window.removeEventListener("popstate", changed)
  }
}

function here(): string {
  const { pathname, search } = window.location
  return `${pathname === BASE_PATH ? `${pathname}/` : pathname}${search}`
}
