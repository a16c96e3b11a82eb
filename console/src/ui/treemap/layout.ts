/** A file, or several small files of one folder. */
export type TreemapItem = {
  readonly path: string
  readonly weight: number
  readonly files: number
}

type Rect = { readonly x: number; readonly y: number; readonly w: number; readonly h: number }

type TreemapFrame = Rect & {
  readonly kind: "frame"
  /** The path of the folder with a slash at its end. */
  readonly key: string
  readonly name: string
  readonly weight: number
  readonly files: number
  readonly depth: number
  readonly headerPx: number
}

export type TreemapTile = Rect & {
  readonly kind: "tile"
  /** The path of a file; of small files their folder with a slash at its end. */
  readonly key: string
  readonly path: string
  readonly weight: number
  readonly files: number
  /** The items that share the tile; one for a file. */
  readonly items: readonly TreemapItem[]
  readonly label: readonly string[]
  readonly hasWeight: boolean
}

export type TreemapSpot = TreemapFrame | TreemapTile

type Folder = {
  readonly path: string
  name: string
  weight: number
  files: number
  readonly folders: Map<string, Folder>
  readonly items: TreemapItem[]
}

type Node = {
  readonly weight: number
  readonly folder?: Folder
  readonly items: readonly TreemapItem[]
  readonly of: string
}

const TOP_HEADER_PX = 18
const INNER_HEADER_PX = 15
const FRAME_PAD_PX = 4
const FRAME_GAP_PX = 2
const TILE_GAP_PX = 1

/** Smaller tiles cannot be pointed at; they share one. */
const LEAST_TILE_PX2 = 180
const LEAST_FOLDER_PX2 = 700
const LEAST_HEADER = { w: 64, h: 44 }

/** A folder of folders this large is replaced by its folders, as `packages/cart`. */
const LARGEST_TOP_SHARE = 0.25

/** Squarified: tiles are as square as possible, and a folder contains its files. */
export function layoutTreemap(
  items: readonly TreemapItem[],
  {
    folder,
    width,
    height,
  }: { readonly folder: string; readonly width: number; readonly height: number },
): readonly TreemapSpot[] {
  const root = treeOf(items, folder)
  if (root.weight === 0 || width < 1 || height < 1) return []
  const spots: TreemapSpot[] = []
  place(spots, withTopFolders(root), { rect: { x: 0, y: 0, w: width, h: height }, depth: 0 })
  return spots
}

function treeOf(items: readonly TreemapItem[], path: string): Folder {
  const root = emptyFolder(path, path)
  const start = path === "" ? 0 : path.length + 1
  for (const item of items) {
    if (item.weight <= 0) continue
    const parts = item.path.slice(start).split("/")
    // A tile of small files is named by its folder, which may be the root.
    const folders = item.files > 1 ? parts.filter((it) => it !== "") : parts.slice(0, -1)
    let at = root
    add(at, item)
    for (const name of item.path.length < start ? [] : folders) {
      const below = at.folders.get(name) ?? emptyFolder(join(at.path, name), name)
      at.folders.set(name, below)
      at = below
      add(at, item)
    }
    at.items.push(item)
  }
  return root
}

function emptyFolder(path: string, name: string): Folder {
  return { path, name, weight: 0, files: 0, folders: new Map(), items: [] }
}

function add(folder: Folder, item: TreemapItem): void {
  folder.weight += item.weight
  folder.files += item.files
}

const join = (path: string, name: string) => (path === "" ? name : `${path}/${name}`)

function withTopFolders(root: Folder): Folder {
  const folders = new Map<string, Folder>()
  const visit = (folder: Folder, name: string) => {
    const isLarge = folder.weight > root.weight * LARGEST_TOP_SHARE
    const hasOnlyFolders = folder.items.length === 0
    const only = [...folder.folders.values()]
    if (hasOnlyFolders && (only.length === 1 || (isLarge && only.length > 1))) {
      for (const it of only) visit(it, `${name}/${it.name}`)
    } else {
      folders.set(folder.path, { ...folder, name })
    }
  }
  for (const it of root.folders.values()) visit(it, it.name)
  return { ...root, folders }
}

type FolderArea = { readonly rect: Rect; readonly depth: number }

function place(spots: TreemapSpot[], folder: Folder, { rect, depth }: FolderArea): void {
  const nodes = nodesOf(folder, (rect.w * rect.h) / Math.max(1, folder.weight))
  const areas = squarify(
    nodes.map((it) => it.weight),
    rect,
  )
  for (const [at, node] of nodes.entries()) {
    const area = areas[at]
    if (area === undefined) continue
    if (node.folder === undefined) spots.push(tileIn(node, area))
    else placeFolder(spots, node.folder, { rect: area, depth })
  }
}

function placeFolder(spots: TreemapSpot[], folder: Folder, { rect, depth }: FolderArea): void {
  const gap = depth === 0 ? FRAME_GAP_PX : 0
  const frame = { x: rect.x, y: rect.y, w: shrunk(rect.w, gap), h: shrunk(rect.h, gap) }
  const hasHeader = frame.w >= LEAST_HEADER.w && frame.h >= LEAST_HEADER.h
  const fullHeaderPx = depth === 0 ? TOP_HEADER_PX : INNER_HEADER_PX
  const headerPx = hasHeader ? fullHeaderPx : 0
  const pad = depth === 0 ? FRAME_PAD_PX : 0
  const { path, name, weight, files } = folder
  spots.push({ ...frame, kind: "frame", key: `${path}/`, name, weight, files, depth, headerPx })
  const inner = {
    x: frame.x + pad,
    y: frame.y + Math.max(headerPx, pad),
    w: frame.w - 2 * pad,
    h: frame.h - Math.max(headerPx, pad) - pad,
  }
  if (inner.w >= 4 && inner.h >= 4) place(spots, folder, { rect: inner, depth: depth + 1 })
}

/** Folders, files, and one node for everything too small to be drawn; largest first. */
function nodesOf(folder: Folder, pxPerWeight: number): readonly Node[] {
  const of = folder.path
  const folders = [...folder.folders.values()].map((it) => ({
    weight: it.weight,
    folder: it,
    items: itemsBelow(it),
    of,
  }))
  const files = folder.items.map((it) => ({ weight: it.weight, items: [it], of }))
  const all: readonly Node[] = [...folders, ...files]
  const isSmall = (it: Node) =>
    it.weight * pxPerWeight < (it.folder === undefined ? LEAST_TILE_PX2 : LEAST_FOLDER_PX2)
  const small = all.filter(isSmall)
  const merged = {
    weight: small.reduce((sum, it) => sum + it.weight, 0),
    items: small.flatMap((it) => it.items),
    of,
  }
  const nodes = small.length < 2 ? all : [...all.filter((it) => !isSmall(it)), merged]
  return nodes.toSorted((a, b) => b.weight - a.weight)
}

function itemsBelow(folder: Folder): readonly TreemapItem[] {
  return [...folder.items, ...[...folder.folders.values()].flatMap(itemsBelow)]
}

function tileIn({ items, weight, of }: Node, area: Rect): TreemapTile {
  const [first] = items
  const files = items.reduce((sum, it) => sum + it.files, 0)
  const isFile = files === 1 && first !== undefined
  const path = isFile ? first.path : of
  const rect = {
    x: area.x,
    y: area.y,
    w: shrunk(area.w, TILE_GAP_PX),
    h: shrunk(area.h, TILE_GAP_PX),
  }
  const label = isFile ? fileLabel(path, rect) : mergedLabel(files, rect)
  const hasWeight = label.length > 0 && isFile && rect.h >= (label.length + 1) * LINE_PX + LABEL_PX
  return {
    ...rect,
    kind: "tile",
    key: isFile ? path : `${of}/`,
    path,
    weight,
    files,
    items,
    label,
    hasWeight,
  }
}

/** At least a pixel stays, where there is one. */
const shrunk = (px: number, gap: number) => Math.max(Math.min(1, px), px - gap)

const LINE_PX = 13
/** Above and below the lines of a label, and beside them. */
const LABEL_PX = 6
/** The widest usual letters of 11 px; a label that might not fit is left out. */
const LETTER_PX = 6.4

const fits = (text: string, rect: Rect) => text.length * LETTER_PX + 2 * LABEL_PX <= rect.w

function fileLabel(path: string, rect: Rect): readonly string[] {
  if (rect.h < LINE_PX + LABEL_PX) return []
  const name = path.slice(path.lastIndexOf("/") + 1)
  const dot = name.lastIndexOf(".")
  const short = dot > 0 ? name.slice(0, dot) : name
  if (fits(short, rect)) return [short]
  if (rect.h < 2 * LINE_PX + LABEL_PX) return []
  const cuts = [...short.matchAll(/[-._]/g)].map((it) => it.index)
  for (const cut of cuts.toReversed()) {
    const at = short[cut] === "-" || short[cut] === "_" ? cut + 1 : cut
    const [head, tail] = [short.slice(0, at), short.slice(at)]
    if (head !== "" && tail !== "" && fits(head, rect) && fits(tail, rect)) return [head, tail]
  }
  return []
}

function mergedLabel(files: number, rect: Rect): readonly string[] {
  if (rect.h < LINE_PX + LABEL_PX) return []
  const long = `${files} small files`
  if (fits(long, rect)) return [long]
  const short = `+${files}`
  return fits(short, rect) ? [short] : []
}

/** Each weight gets its share of the area, in rows along the shorter side. */
export function squarify(weights: readonly number[], rect: Rect): readonly Rect[] {
  const total = weights.reduce((sum, it) => sum + it, 0)
  if (total <= 0) return []
  const scale = (rect.w * rect.h) / total
  const areas = weights.map((it) => it * scale)
  const rects: Rect[] = []
  let rest = rect
  let from = 0
  while (from < areas.length) {
    const side = Math.max(1e-6, Math.min(rest.w, rest.h))
    let to = from + 1
    while (
      to < areas.length &&
      worst(areas.slice(from, to + 1), side) <= worst(areas.slice(from, to), side)
    ) {
      to++
    }
    const row = areas.slice(from, to)
    rects.push(...rowIn(row, rest))
    rest = without(row, rest)
    from = to
  }
  return rects
}

function worst(row: readonly number[], side: number): number {
  const sum = row.reduce((total, it) => total + it, 0)
  const [most, least] = [Math.max(...row), Math.min(...row)]
  const squared = side * side
  return Math.max((squared * most) / (sum * sum), (sum * sum) / (squared * Math.max(least, 1e-9)))
}

function rowIn(row: readonly number[], { x, y, w, h }: Rect): readonly Rect[] {
  const sum = row.reduce((total, it) => total + it, 0)
  const isColumn = w >= h
  const thickness = sum / Math.max(1e-6, isColumn ? h : w)
  let at = isColumn ? y : x
  return row.map((area) => {
    const length = area / Math.max(1e-6, thickness)
    const own = isColumn
      ? { x, y: at, w: thickness, h: length }
      : { x: at, y, w: length, h: thickness }
    at += length
    return own
  })
}

function without(row: readonly number[], { x, y, w, h }: Rect): Rect {
  const sum = row.reduce((total, it) => total + it, 0)
  if (w >= h) {
    const used = sum / Math.max(1e-6, h)
    return { x: x + used, y, w: Math.max(0, w - used), h }
  }
  const used = sum / Math.max(1e-6, w)
  return { x, y: y + used, w, h: Math.max(0, h - used) }
}

type Direction = "left" | "right" | "up" | "down"

/** The nearest tile in a direction, preferring those in line with the middle of the current spot. */
export function spotBeside(
  spots: readonly TreemapSpot[],
  from: TreemapSpot,
  direction: Direction,
): TreemapSpot | undefined {
  const isAcross = direction === "left" || direction === "right"
  const sign = direction === "left" || direction === "up" ? -1 : 1
  const middle = (it: Rect) => ({ x: it.x + it.w / 2, y: it.y + it.h / 2 })
  const own = middle(from)
  const candidates = spots
    .filter((it) => it.kind === "tile" && it !== from)
    .flatMap((spot) => {
      const their = middle(spot)
      const ahead = sign * (isAcross ? their.x - own.x : their.y - own.y)
      if (ahead <= 0.5) return []
      const isInLine = isAcross
        ? spot.y < own.y && own.y < spot.y + spot.h
        : spot.x < own.x && own.x < spot.x + spot.w
      const aside = Math.abs(isAcross ? their.y - own.y : their.x - own.x)
      return [{ it: spot, far: ahead + (isInLine ? 0 : 2 * aside + 1_000) }]
    })
  return candidates.toSorted((a, b) => a.far - b.far)[0]?.it
}
