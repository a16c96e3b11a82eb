/** Returns the same value, or promise, on every call. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Like `once`, but after a rejection the next call tries again. */
export function onceUnlessRejected<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return async () => {
    made ??= make()
    try {
      return await made
    } catch (error) {
      made = undefined
      throw error
    }
  }
}

type Closable = { close(): Promise<void> }

export function openOnce<Resource extends Closable>(make: () => Promise<Resource>) {
  let opened: Promise<Resource> | undefined
  return {
    open: (): Promise<Resource> => {
      opened ??= Promise.try(make)
      return opened
    },
    async close(): Promise<void> {
      // A failed open was reported to the caller of `open()`.
      const resource = await opened?.catch(() => undefined)
      await resource?.close()
    },
  }
}

/**
 * `share(key, work)` runs works of one key one after the other. A work that has not begun serves
 * every caller that arrives until it begins, so no result is older than the call.
 */
export function shareNext<Result>() {
  const waiting = new Map<string, Promise<Result>>()
  const newest = new Map<string, Promise<void>>()
  return (key: string, work: () => Promise<Result>): Promise<Result> => {
    const shared = waiting.get(key)
    if (shared !== undefined) return shared
    const before = newest.get(key)
    const next = (async () => {
      await before
      waiting.delete(key)
      return await work()
    })()
    const ended = next.then(
      () => forget(),
      () => forget(),
    )
    const forget = (): void => {
      if (newest.get(key) === ended) newest.delete(key)
    }
    waiting.set(key, next)
    newest.set(key, ended)
    return next
  }
}
