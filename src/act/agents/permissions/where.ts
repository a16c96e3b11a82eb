import path from "node:path"

/** The repository, and how a path is followed to where it really leads. */
export type World = {
  readonly root: string
  /** The path without links, as far as it exists; undefined when it cannot be told. */
  resolve(path: string): string | undefined
}

/** One file by its names: from the root, and from the top. */
export type Place = {
  /** From the repository's root, with slashes; undefined outside of it. */
  readonly inRoot: string | undefined
  readonly absolute: string
}

/** As it is written, and where it really lies. */
export type Whereabouts = { readonly written: Place; readonly real: Place | undefined }

export function whereIs(given: string, cwd: string, world: World): Whereabouts {
  const absolute = path.resolve(cwd, given)
  const real = world.resolve(absolute)
  const root = world.resolve(world.root) ?? world.root
  return {
    written: placeOf(absolute, world.root),
    real: real === undefined ? undefined : placeOf(real, root),
  }
}

/** Whether a folder really lies in the repository. */
export function isInRepository(folder: string, world: World): boolean {
  return whereIs(folder, world.root, world).real?.inRoot !== undefined
}

function placeOf(absolute: string, root: string): Place {
  const way = path.relative(root, absolute)
  const isOutside = way === ".." || way.startsWith(`..${path.sep}`) || path.isAbsolute(way)
  const inRoot = isOutside ? undefined : way.split(path.sep).join("/")
  return { inRoot, absolute: absolute.split(path.sep).join("/") }
}
