import type { Page } from "playwright-core"

/**
 * Finds in a rendered page what a type checker cannot: low contrast, rows higher than their height,
 * overlapping cells, text clipped without an ellipsis. The browser tests run it over pages, themes
 * and densities.
 */
export type Finding = {
  readonly rule: "contrast" | "row-height" | "overlap" | "cut" | "sideways"
  readonly where: string
  readonly says: string
}

export type Audit = {
  readonly findings: readonly Finding[]
  /** Number of inspected texts; an audit that inspects nothing has failed. */
  readonly texts: number
  readonly rows: number
  readonly lowestContrast: number
}

/** WCAG AA minimum for normal text. */
const LEAST_CONTRAST = 4.5

export async function auditPage(page: Page): Promise<Audit> {
  const measuring = [
    seeTexts,
    isInSight,
    nameOf,
    colourOf,
    drawColour,
    over,
    groundOf,
    opacityOf,
    luminance,
  ]
  const finding = [contrastOf, findContrast, findRowFaults, findOverlaps, findCuts, isCut]
  const functions = [...measuring, ...finding, findSideways, runAudit]
  const audit: Audit = await page.evaluate(
    `(() => { const KNOWN_COLOURS = new Map(); ${functions.map(String).join("\n")}; return runAudit(${LEAST_CONTRAST}) })()`,
  )
  return audit
}

/* The functions below are sent to the page as source text, so each must be self-contained. */

declare const KNOWN_COLOURS: Map<string, Rgba>
type Rgba = [number, number, number, number]
type SeenText = { element: Element; text: string; box: DOMRect }

function runAudit(leastContrast: number): Audit {
  const texts = seeTexts()
  const rows = [...document.querySelectorAll("[data-row]")]
  const { findings, lowest } = findContrast(texts, leastContrast)
  return {
    findings: [
      ...findings,
      ...findRowFaults(rows),
      ...findOverlaps(rows),
      ...findCuts(texts),
      ...findSideways(),
    ],
    texts: texts.length,
    rows: rows.length,
    lowestContrast: lowest,
  }
}

function seeTexts(): SeenText[] {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const texts: SeenText[] = []
  while (walker.nextNode()) {
    const node = walker.currentNode
    const text = (node.textContent ?? "").trim()
    const element = node.parentElement
    if (text === "" || element === null) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    const box = range.getBoundingClientRect()
    if (isInSight(element, box)) texts.push({ element, text, box })
  }
  return texts
}

function isInSight(element: Element, box: DOMRect): boolean {
  const isDrawn = element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
  // Visually hidden text is 1 px wide.
  const isHeardOnly = element.getBoundingClientRect().width < 2
  if (!isDrawn || isHeardOnly || box.width < 2 || box.height < 2) return false
  const x = Math.min(box.left + box.width / 2, box.left + 4)
  const hit = document.elementFromPoint(x, box.top + box.height / 2)
  return hit !== null && (hit === element || element.contains(hit) || hit.contains(element))
}

function nameOf(element: Element): string {
  const label = element.getAttribute("aria-label") ?? element.textContent ?? ""
  return `${element.tagName.toLowerCase()} "${label.trim().slice(0, 40)}"`
}

/** The four bytes a screen would show. Kept per colour: reading a canvas is slow. */
function colourOf(text: string): Rgba {
  const known = KNOWN_COLOURS.get(text) ?? drawColour(text)
  KNOWN_COLOURS.set(text, known)
  return known
}

function drawColour(text: string): Rgba {
  const canvas = document.createElement("canvas")
  canvas.width = 1
  canvas.height = 1
  const context = canvas.getContext("2d", { willReadFrequently: true })
  if (context === null) return [0, 0, 0, 0]
  context.fillStyle = text
  context.fillRect(0, 0, 1, 1)
  const [r = 0, g = 0, b = 0, a = 0] = context.getImageData(0, 0, 1, 1).data
  return [r, g, b, a / 255]
}

function over(top: Rgba, below: Rgba): Rgba {
  const mix = (i: 0 | 1 | 2) => top[i] * top[3] + below[i] * (1 - top[3])
  return [mix(0), mix(1), mix(2), 1]
}

function groundOf(element: Element): Rgba {
  const layers: Rgba[] = []
  for (let it: Element | null = element; it !== null; it = it.parentElement) {
    const layer = colourOf(getComputedStyle(it).backgroundColor)
    layers.push(layer)
    if (layer[3] === 1) break
  }
  const white: Rgba = [255, 255, 255, 1]
  return layers.reduceRight((below, layer) => over(layer, below), white)
}

function opacityOf(element: Element): number {
  let opacity = 1
  for (let it: Element | null = element; it !== null; it = it.parentElement) {
    opacity *= Number(getComputedStyle(it).opacity)
  }
  return opacity
}

function luminance([r, g, b]: Rgba): number {
  const [x = 0, y = 0, z = 0] = [r, g, b].map((it) => {
    const channel = it / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * x + 0.7152 * y + 0.0722 * z
}

function contrastOf(element: Element): number {
  const ground = groundOf(element)
  const [r, g, b, a] = colourOf(getComputedStyle(element).color)
  const shown = over([r, g, b, a * opacityOf(element)], ground)
  const lights = [luminance(shown), luminance(ground)]
  return (Math.max(...lights) + 0.05) / (Math.min(...lights) + 0.05)
}

function findContrast(texts: SeenText[], least: number): { findings: Finding[]; lowest: number } {
  const measured = texts.map(({ element }) => ({ element, contrast: contrastOf(element) }))
  const findings = measured
    .filter((it) => it.contrast < least)
    .map(({ element, contrast }): Finding => {
      return { rule: "contrast", where: nameOf(element), says: `${contrast.toFixed(2)}:1` }
    })
  return { findings, lowest: Math.min(21, ...measured.map((it) => it.contrast)) }
}

function findRowFaults(rows: Element[]): Finding[] {
  return rows.flatMap((row) => {
    const box = row.getBoundingClientRect()
    return [...row.querySelectorAll("*")].flatMap((it): Finding[] => {
      const inner = it.getBoundingClientRect()
      const leaves = inner.height > 0 && (inner.top < box.top - 1 || inner.bottom > box.bottom + 1)
      const says = `${inner.height.toFixed(0)} px in a row of ${box.height.toFixed(0)}`
      return leaves ? [{ rule: "row-height", where: nameOf(it), says }] : []
    })
  })
}

function findOverlaps(rows: Element[]): Finding[] {
  return rows.flatMap((row) => {
    const cells = [...row.children].filter((it) => it.getBoundingClientRect().width > 0)
    return cells.slice(1).flatMap((cell, i): Finding[] => {
      const before = cells[i]?.getBoundingClientRect()
      const own = cell.getBoundingClientRect()
      if (before === undefined) return []
      const across = before.right - own.left
      const along = Math.min(before.bottom, own.bottom) - Math.max(before.top, own.top)
      if (across <= 1 || along <= 1) return []
      return [{ rule: "overlap", where: nameOf(cell), says: `${across.toFixed(0)} px` }]
    })
  })
}

function findCuts(texts: SeenText[]): Finding[] {
  return texts
    .filter(isCut)
    .map(({ element, text }) => ({ rule: "cut", where: nameOf(element), says: text.slice(0, 60) }))
}

/** Clipped by an ancestor, and no element between shows an ellipsis. */
function isCut({ element, box }: SeenText): boolean {
  for (let it: Element | null = element; it !== null; it = it.parentElement) {
    const { overflowX, textOverflow, display } = getComputedStyle(it)
    if (textOverflow === "ellipsis" && overflowX !== "visible") return false
    if (overflowX === "auto" || overflowX === "scroll") return false
    const isClipping = (overflowX === "hidden" || overflowX === "clip") && display !== "inline"
    const edge = it.getBoundingClientRect()
    if (isClipping && (box.right > edge.right + 1 || box.left < edge.left - 1)) return true
  }
  return false
}

function findSideways(): Finding[] {
  const { scrollWidth, clientWidth } = document.documentElement
  if (scrollWidth <= clientWidth) return []
  return [{ rule: "sideways", where: "page", says: `${scrollWidth} px in ${clientWidth}` }]
}
