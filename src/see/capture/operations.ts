import { defineOperation, SIGNATURES } from "#ground/contract"
import { createCapture } from "./capture.ts"
import type { CaptureDeps } from "./take.ts"

export function captureOperations(deps: CaptureDeps) {
  const capture = createCapture(deps)
  return [...historyOperations(capture), ...placeOperations(capture)] as const
}

type Capturing = ReturnType<typeof createCapture>

/** What is so now, in a directory and on this machine. */
function placeOperations(capture: Capturing) {
  return [
    defineOperation({
      name: "capture.take",
      summary: "Show what an agent loads in a directory, in what order, why, and what it costs",
      effect: "write",
      surfaces: ["cli", "http"],
      ...SIGNATURES["capture.take"],
      run: (input, { signal }) => capture.take({ ...input, signal }),
    }),
    defineOperation({
      name: "capture.settings",
      summary: "Show a host's settings in force, what they hide, and its MCP servers",
      effect: "read",
      surfaces: ["cli", "http"],
      ...SIGNATURES["capture.settings"],
      run: (input) => capture.settings(input),
    }),
    defineOperation({
      name: "capture.hosts",
      summary: "List the agent hosts that are known, and those found here",
      effect: "read",
      surfaces: ["cli", "http"],
      ...SIGNATURES["capture.hosts"],
      run: () => capture.hosts(),
    }),
  ] as const
}

/** What was captured before. */
function historyOperations(capture: Capturing) {
  return [
    defineOperation({
      name: "capture.list",
      summary: "List earlier captures, newest first",
      effect: "read",
      surfaces: ["cli", "http", "mcp"],
      ...SIGNATURES["capture.list"],
      run: (input) => capture.list(input),
    }),
    defineOperation({
      name: "capture.show",
      summary: "Show an earlier capture",
      effect: "read",
      surfaces: ["cli", "http", "mcp"],
      ...SIGNATURES["capture.show"],
      run: (input) => capture.show(input),
    }),
    defineOperation({
      name: "capture.text",
      summary: "Show the text of one item of a capture, secrets replaced",
      effect: "read",
      surfaces: ["cli", "http"],
      ...SIGNATURES["capture.text"],
      run: (input) => capture.text(input),
    }),
    defineOperation({
      name: "capture.diff",
      summary: "Compare two captures: added, removed, changed, grown",
      effect: "read",
      surfaces: ["cli", "http", "mcp"],
      ...SIGNATURES["capture.diff"],
      run: (input) => capture.diff(input),
    }),
  ] as const
}
