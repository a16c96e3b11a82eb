import { type ComponentType, lazy } from "react"
import { type Failure, failure } from "../base/errors.ts"

/**
 * A part of the console that is loaded when it is first shown. Chromium remembers a module that
 * could not be fetched and never asks for it again (seen in 153), so only a reload brings the part;
 * that costs nothing, because the address is the state.
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
    message: "The server does not answer, and this part was not loaded yet.",
    hint: "Nothing was lost. Start it with `qm up`, then reload the page.",
    data: {},
  })

/** Reload, but never into the browser's own error page. */
export function reloadOnceServed(): void {
  void fetch("/healthz").then(
    () => window.location.reload(),
    () => undefined,
  )
}
