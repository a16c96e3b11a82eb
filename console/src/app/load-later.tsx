import { type ComponentType, lazy } from "react"
import { type Failure, failure } from "../base/errors.ts"

/**
 * Loads a component when it is first shown. Chromium caches a failed module fetch and never retries
 * it (seen in 153), so only a reload helps; it loses nothing, because the URL is the state.
 */
export function loadLater<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => {
    try {
      return { default: await load() }
    } catch {
      throw partNotLoaded()
    }
  })
}

export const PART_NOT_LOADED = "CONSOLE_PART_NOT_LOADED"

const partNotLoaded = (): Failure =>
  failure({
    code: PART_NOT_LOADED,
    message: "The server does not respond, and this part of the console is not loaded.",
    hint: "Start the server with `qm up`, then reload the page. No data is lost.",
    data: {},
  })

/** Reloads once the server responds, so that the browser's own error page is never shown. */
export function reloadOnceServed(): void {
  void fetch("/healthz").then(
    () => window.location.reload(),
    () => undefined,
  )
}
