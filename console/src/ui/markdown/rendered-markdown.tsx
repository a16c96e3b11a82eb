import { Lexer, type MarkedToken, type Token, type Tokens } from "marked"
import {
  Fragment,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from "react"
import { visible } from "../../base/format.ts"
import { CopyIcon } from "../copy/copy.tsx"
import { Highlight } from "../highlight/highlight.tsx"
import { LABELS, LabelsContext, type TextLabel } from "./labels.ts"
import styles from "./markdown.module.css"
import type { Drawing } from "./mermaid-draw.ts"

/** Longer text is shown raw. */
const LONGEST_CHARACTERS = 200_000
/** A hostile text could nest until the stack overflows. */
const DEEPEST = 16

export function Rendered({ text }: { readonly text: string }) {
  const tokens = useMemo(() => lex(text), [text])
  return (
    <div className={styles.markdown}>{tokens === undefined ? plain(text) : blocks(tokens, 0)}</div>
  )
}

function lex(text: string): readonly Token[] | undefined {
  if (text.length > LONGEST_CHARACTERS) return undefined
  try {
    return Lexer.lex(text, { gfm: true })
  } catch {
    // Nesting exceeded the stack.
    return undefined
  }
}

function blocks(tokens: readonly Token[], depth: number): ReactNode {
  // The text never changes its order, so the index is the key.
  return tokens.map((token, i) => <Fragment key={i}>{block(token, depth)}</Fragment>)
}

function isOwn(token: Token): token is MarkedToken {
  return token.type !== ""
}

function block(token: Token, depth: number): ReactNode {
  if (!isOwn(token) || depth > DEEPEST) return plain(token.raw)
  switch (token.type) {
    case "space":
    case "def":
      return null
    case "hr":
      return <hr />
    case "heading":
      return <Heading depth={token.depth}>{inline(token.tokens, depth)}</Heading>
    case "paragraph":
      return <p>{inline(token.tokens, depth)}</p>
    case "blockquote":
      return <blockquote>{blocks(token.tokens, depth + 1)}</blockquote>
    case "list":
      return <List list={token} depth={depth} />
    case "code":
      return <CodeBlock token={token} />
    case "table":
      return <Table table={token} depth={depth} />
    case "html":
      return plain(token.text)
    case "text":
      return token.tokens === undefined ? <Words text={token.text} /> : inline(token.tokens, depth)
    default:
      return inlineOne(token, depth)
  }
}

function Heading({ depth, children }: { readonly depth: number; readonly children: ReactNode }) {
  return depth <= 2 ? <h3>{children}</h3> : <h4>{children}</h4>
}

function List({ list, depth }: { readonly list: Tokens.List; readonly depth: number }) {
  const items = list.items.map((item, i) => (
    <li key={i} data-task={item.task || undefined}>
      {blocks(item.tokens, depth + 1)}
    </li>
  ))
  if (!list.ordered) return <ul>{items}</ul>
  return <ol start={list.start === "" ? 1 : list.start}>{items}</ol>
}

function CodeBlock({ token }: { readonly token: Tokens.Code }) {
  const language = (token.lang ?? "").split(/\s/)[0] ?? ""
  if (language === "mermaid") return <MermaidBlock source={token.text} />
  return (
    <figure className={styles.code}>
      <figcaption>
        {visible(language)}
        <CopyIcon text={token.text} label="Copy the code" />
      </figcaption>
      <pre>
        <Highlight text={token.text} language={language} />
      </pre>
    </figure>
  )
}

function Table({ table, depth }: { readonly table: Tokens.Table; readonly depth: number }) {
  const cells = (row: readonly Tokens.TableCell[], Tag: "th" | "td") =>
    row.map((cell, i) => (
      <Tag key={i} data-align={cell.align ?? undefined}>
        {inline(cell.tokens, depth)}
      </Tag>
    ))
  return (
    <section className={styles.table} aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>{cells(table.header, "th")}</tr>
        </thead>
        <tbody>
          {table.rows.map((row, i) => (
            <tr key={i}>{cells(row, "td")}</tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function inline(tokens: readonly Token[], depth: number): ReactNode {
  return tokens.map((token, i) => (
    <Fragment key={i}>
      {isOwn(token) && depth <= DEEPEST ? inlineOne(token, depth + 1) : plain(token.raw)}
    </Fragment>
  ))
}

function inlineOne(token: MarkedToken, depth: number): ReactNode {
  switch (token.type) {
    case "text":
      return token.tokens === undefined ? <Words text={token.text} /> : inline(token.tokens, depth)
    case "escape":
      return <Words text={token.text} />
    case "strong":
      return <strong>{inline(token.tokens, depth)}</strong>
    case "em":
      return <em>{inline(token.tokens, depth)}</em>
    case "del":
      return <del>{inline(token.tokens, depth)}</del>
    case "codespan":
      return <code>{visible(token.text)}</code>
    case "br":
      return <br />
    case "checkbox":
      return token.checked ? "[x] " : "[ ] "
    case "link":
      return <Link href={token.href}>{inline(token.tokens, depth)}</Link>
    case "image":
      // Never loaded: the request alone would reveal that the text was read.
      return (
        <Link href={token.href}>
          image: <Words text={token.text} />
        </Link>
      )
    default:
      return plain(token.raw)
  }
}

function Link({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  const link = safeLink(resolveReferences(href))
  if (link === undefined) {
    return (
      <>
        {children} <small>({visible(href)})</small>
      </>
    )
  }
  return (
    <>
      <a href={link.href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>{" "}
      <small>({visible(link.place)})</small>
    </>
  )
}

function Words({ text }: { readonly text: string }) {
  const labels = useContext(LabelsContext)
  const shown = visible(resolveReferences(text))
  if (labels.size === 0) return shown
  return shown
    .split(LABELS)
    .map((part, i) => (i % 2 === 0 ? part : <Labels key={i} names={part} labels={labels} />))
}

type LabelsProps = { readonly names: string; readonly labels: ReadonlyMap<string, TextLabel> }

function Labels({ names, labels }: LabelsProps) {
  const parts = names.split(", ").map((name, i) => {
    const before = i === 0 ? "" : ", "
    const label = labels.get(name)
    if (label === undefined) return `${before}${name}`
    const apart =
      label.outside === null ? {} : { target: "_blank", rel: "noopener noreferrer nofollow" }
    return (
      <Fragment key={i}>
        {before}
        <a href={label.href} title={visible(label.title)} {...apart}>
          {name}
        </a>
      </Fragment>
    )
  })
  return <>[{parts}]</>
}

function plain(text: string): ReactNode {
  return <span className={styles.plain}>{visible(text)}</span>
}

type SafeLink = {
  readonly href: string
  /** Shown beside the link, because the link text may claim another target. */
  readonly place: string
}

const PROTOCOLS = new Set(["http:", "https:", "mailto:"])

export function safeLink(href: string): SafeLink | undefined {
  // A relative URL would lead into the console.
  if (!URL.canParse(href)) return undefined
  const url = new URL(href)
  if (!PROTOCOLS.has(url.protocol)) return undefined
  return { href: url.href, place: url.protocol === "mailto:" ? url.pathname : url.host }
}

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
}

export function resolveReferences(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi, (whole, ...groups) => {
    const [decimal, hex, name] = groups.map((it) => (typeof it === "string" ? it : ""))
    if (name) return NAMED[name.toLowerCase()] ?? whole
    const point = decimal ? Number(decimal) : Number.parseInt(hex ?? "", 16)
    const isCharacter = point > 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff)
    return isCharacter ? String.fromCodePoint(point) : whole
  })
}

function MermaidBlock({ source }: { readonly source: string }) {
  const [drawing, setDrawing] = useState<Drawing | null>(null)
  const [isSource, setIsSource] = useState(false)
  const look = useSyncExternalStore<"light" | "dark">(watchTheme, lookNow, () => "light")
  useEffect(() => {
    const gone = new AbortController()
    const { signal } = gone
    const show = (drawing: Drawing | undefined) => {
      if (!signal.aborted && drawing !== undefined) setDrawing(drawing)
    }
    import("./mermaid-draw.ts")
      .then(({ drawDiagram }) => drawDiagram({ source, look, signal }))
      .then(show, () =>
        show({ kind: "refused", says: "The diagram renderer could not be loaded." }),
      )
    return () => gone.abort()
  }, [source, look])
  const isDrawn = drawing?.kind === "drawn"
  return (
    <figure className={styles.code}>
      <figcaption>
        <span>mermaid</span>
        {isDrawn ? (
          <button type="button" className={styles.switch} onClick={() => setIsSource(!isSource)}>
            {isSource ? "Show the diagram" : "Show the source"}
          </button>
        ) : null}
        <CopyIcon text={source} label="Copy the source" />
      </figcaption>
      {drawing?.kind === "refused" ? (
        <p className={styles.problem}>Diagram error: {visible(drawing.says)}</p>
      ) : null}
      {isDrawn && !isSource ? (
        <img
          className={styles.picture}
          src={drawing.url}
          width={drawing.width}
          height={drawing.height}
          alt={source}
          onError={() =>
            setDrawing({ kind: "refused", says: "The browser cannot show the image." })
          }
        />
      ) : (
        <pre>{visible(source)}</pre>
      )}
    </figure>
  )
}

/** A diagram is a picture with its own colours, so it is drawn again for another theme. */
function watchTheme(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange)
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] })
  return () => observer.disconnect()
}

function lookNow(): "light" | "dark" {
  return document.documentElement.dataset.theme === "dark" ? "dark" : "light"
}
