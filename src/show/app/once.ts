/** Made at the first call. */
export function memo<Thing>(make: () => Thing) {
  let made: { readonly thing: Thing } | undefined
  return {
    get: (): Thing => {
      made ??= { thing: make() }
      return made.thing
    },
    made: (): Thing | undefined => made?.thing,
  }
}

type Closable = { close(): Promise<void> }

/** Something that is opened at the first call, and closed if it ever was. */
export function once<Thing extends Closable>(make: () => Promise<Thing>) {
  let made: Promise<Thing> | undefined
  return {
    open: (): Promise<Thing> => {
      made ??= Promise.try(make)
      return made
    },
    async close(): Promise<void> {
      // What could not be opened was reported by whoever asked for it.
      const thing = await made?.catch(() => undefined)
      await thing?.close()
    },
  }
}
