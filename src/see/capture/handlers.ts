import type { captureOperations, Handlers } from "#ground/contract"
import { createCapture } from "./capture.ts"
import type { CaptureDeps } from "./take.ts"

export function captureHandlers(deps: CaptureDeps): Handlers<typeof captureOperations> {
  const capture = createCapture(deps)
  return {
    take: (input, { signal }) => capture.take({ ...input, signal }),
    settings: (input) => capture.settings(input),
    hosts: () => capture.hosts(),
    list: (input) => capture.list(input),
    show: (input) => capture.show(input),
    text: (input) => capture.text(input),
    lint: (input, { signal }) => capture.lint({ ...input, signal }),
    diff: (input) => capture.diff(input),
  }
}
