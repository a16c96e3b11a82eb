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
