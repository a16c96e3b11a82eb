import { deflateRawSync } from "node:zlib"

export type PdfLine = { readonly text: string; readonly size?: number; readonly gap?: number }
export type PdfPage = { readonly lines: readonly PdfLine[] }

type PdfOptions = {
  readonly title?: string
  /** Titles of the outline, each leading to the page of this number. */
  readonly outline?: readonly { readonly title: string; readonly page: number }[]
  /** Adds an encryption dictionary that no empty password opens. */
  readonly isEncrypted?: boolean
}

/** A PDF with one Helvetica font; `lines: []` is a page without a text layer. */
export function makePdf(pages: readonly PdfPage[], options: PdfOptions = {}): Buffer {
  const objects: string[] = []
  const add = (body: string): number => objects.push(body)
  const catalog = add("")
  const tree = add("")
  const font = add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
  const kids = pages.map(({ lines }) => {
    const content = contentOf(lines)
    const stream = add(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`)
    return add(
      `<< /Type /Page /Parent ${tree} 0 R /MediaBox [0 0 612 792] /Contents ${stream} 0 R ` +
        `/Resources << /Font << /F1 ${font} 0 R >> >> >>`,
    )
  })
  objects[tree - 1] =
    `<< /Type /Pages /Count ${kids.length} /Kids [${kids.map((it) => `${it} 0 R`).join(" ")}] >>`
  const outline = addOutline(options.outline ?? [], { add, objects, kids })
  objects[catalog - 1] =
    `<< /Type /Catalog /Pages ${tree} 0 R${outline === undefined ? "" : ` /Outlines ${outline} 0 R`} >>`
  const info = add(
    `<< ${options.title === undefined ? "" : `/Title (${escaped(options.title)})`} >>`,
  )
  const trailer =
    options.isEncrypted === true ? `/Encrypt ${add(ENCRYPTION)} 0 R /ID [<00> <00>]` : ""
  return written(objects, `/Root ${catalog} 0 R /Info ${info} 0 R ${trailer}`)
}

const ENCRYPTION = `<< /Filter /Standard /V 2 /R 3 /Length 128 /P -44 /O <${"1f".repeat(32)}> /U <${"2e".repeat(32)}> >>`

function contentOf(lines: readonly PdfLine[]): string {
  let y = 740
  return lines
    .map(({ text, size = 11, gap = 0 }) => {
      y -= size * 1.25 + gap
      return `BT /F1 ${size} Tf 72 ${y.toFixed(1)} Td (${escaped(text)}) Tj ET`
    })
    .join("\n")
}

function escaped(text: string): string {
  return text.replaceAll(/[\\()]/g, (it) => `\\${it}`).replaceAll("§", "\\247")
}

type Target = {
  add(body: string): number
  readonly objects: string[]
  readonly kids: readonly number[]
}

function addOutline(
  entries: readonly { readonly title: string; readonly page: number }[],
  { add, objects, kids }: Target,
): number | undefined {
  if (entries.length === 0) return undefined
  const root = add("")
  const first = objects.length + 1
  for (const [at, { title, page }] of entries.entries()) {
    const next = at + 1 < entries.length ? `/Next ${first + at + 1} 0 R` : ""
    add(
      `<< /Title (${escaped(title)}) /Parent ${root} 0 R ${next} /Dest [${kids[page - 1]} 0 R /Fit] >>`,
    )
  }
  objects[root - 1] =
    `<< /First ${first} 0 R /Last ${objects.length} 0 R /Count ${entries.length} >>`
  return root
}

function written(objects: readonly string[], trailer: string): Buffer {
  let text = "%PDF-1.4\n"
  const offsets = objects.map((body, at) => {
    const offset = text.length
    text += `${at + 1} 0 obj\n${body}\nendobj\n`
    return offset
  })
  const start = text.length
  const rows = offsets.map((it) => `${String(it).padStart(10, "0")} 00000 n \n`).join("")
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`
  text += `trailer << /Size ${objects.length + 1} ${trailer} >>\nstartxref\n${start}\n%%EOF\n`
  return Buffer.from(text, "latin1")
}

/** A zip file with deflated parts. */
export function makeZip(parts: Readonly<Record<string, string | Buffer>>): Buffer {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(parts)) {
    const raw = Buffer.from(content)
    const packed = deflateRawSync(raw)
    const header = Buffer.alloc(30)
    header.writeUInt32LE(0x04_03_4b_50, 0)
    header.writeUInt16LE(8, 8)
    header.writeUInt32LE(packed.length, 18)
    header.writeUInt32LE(raw.length, 22)
    header.writeUInt16LE(name.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02_01_4b_50, 0)
    entry.writeUInt16LE(8, 10)
    entry.writeUInt32LE(packed.length, 20)
    entry.writeUInt32LE(raw.length, 24)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt32LE(offset, 42)
    files.push(header, Buffer.from(name), packed)
    directory.push(entry, Buffer.from(name))
    offset += header.length + name.length + packed.length
  }
  const size = directory.reduce((sum, it) => sum + it.length, 0)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06_05_4b_50, 0)
  end.writeUInt16LE(Object.keys(parts).length, 8)
  end.writeUInt16LE(Object.keys(parts).length, 10)
  end.writeUInt32LE(size, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...files, ...directory, end])
}

type DocxParts = {
  readonly body: string
  readonly styles?: string
  readonly numbering?: string
  readonly links?: string
  readonly title?: string
}

export function makeDocx({ body, styles, numbering, links, title }: DocxParts): Buffer {
  return makeZip({
    "[Content_Types].xml": "<Types/>",
    "word/document.xml": `<?xml version="1.0"?><w:document><w:body>${body}</w:body></w:document>`,
    ...(styles === undefined ? {} : { "word/styles.xml": `<w:styles>${styles}</w:styles>` }),
    ...(numbering === undefined
      ? {}
      : { "word/numbering.xml": `<w:numbering>${numbering}</w:numbering>` }),
    ...(links === undefined
      ? {}
      : { "word/_rels/document.xml.rels": `<Relationships>${links}</Relationships>` }),
    ...(title === undefined
      ? {}
      : {
          "docProps/core.xml": `<cp:coreProperties><dc:title>${title}</dc:title></cp:coreProperties>`,
        }),
  })
}
