import type { HeapSpaceInfo } from "node:v8"
import { invariant } from "../error.ts"

/** A command without a long task does not load the module. */
const v8 = () => process.getBuiltinModule("node:v8")

/**
 * Frees the bytes of these arrays now, with all other arrays over the same memory; their length
 * becomes 0. V8 frees such memory only when it collects the small objects that refer to it.
 */
export function releaseMemory(arrays: Iterable<Uint8Array | Uint32Array>): void {
  for (const { buffer } of arrays) {
    if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0)
  }
}

/** V8 has room for this once it lets the young heap grow to 8 or 17 MB. */
const LARGE_YOUNG_HEAP_BYTES = 5 * 1_024 ** 2

/** Collecting 42 MB of small objects takes 0.1 s, in which a server answers no request. */
const LARGEST_COLLECTED_BYTES = 48 * 1_024 ** 2

let limits = 0

/**
 * For a long task: the heap of young objects of this process, which V8 lets grow to 67 MB while it
 * starts, shrinks, and while the limit exists, `check()` keeps it from growing beyond 17 MB, except
 * while V8 marks old objects. V8 takes a limit only at its start, but reads the factor of growth each
 * time.
 */
export async function limitYoungHeap(): Promise<Disposable & { check(): void }> {
  const oldBytes = v8().getHeapStatistics().used_heap_size - youngHeap().space_used_size
  if (oldBytes < LARGEST_COLLECTED_BYTES) await collectGarbage()
  let isLimited = false
  return {
    check() {
      if (isLimited || youngHeap().space_size < LARGE_YOUNG_HEAP_BYTES) return
      isLimited = true
      if (++limits === 1) v8().setFlagsFromString("--semi-space-growth-factor=1")
    },
    [Symbol.dispose]() {
      if (!isLimited) return
      isLimited = false
      if (--limits === 0) v8().setFlagsFromString("--semi-space-growth-factor=2")
    },
  }
}

/** Only this request also shrinks the young heap; `gc()` does not. */
async function collectGarbage(): Promise<void> {
  if (!process.features.inspector) return
  const session = new (process.getBuiltinModule("node:inspector").Session)()
  session.connect()
  const { promise, resolve } = Promise.withResolvers<void>()
  session.post("HeapProfiler.collectGarbage", () => resolve())
  await promise
  session.disconnect()
}

function youngHeap(): HeapSpaceInfo {
  const space = v8()
    .getHeapSpaceStatistics()
    .find((it) => it.space_name === "new_space")
  invariant(space !== undefined, "V8 has a heap of young objects")
  return space
}
