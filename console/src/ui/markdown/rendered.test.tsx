import { renderToStaticMarkup } from "react-dom/server"
import { describe, expect, it } from "vitest"
import { resolveReferences, safeLink } from "./links.ts"
import { Rendered } from "./rendered.tsx"

const html = (text: string) => renderToStaticMarkup(<Rendered text={text} />)

/** Without the names of classes, which a build makes up. */
const plain = (text: string) => html(text).replaceAll(/ class="[^"]*"/g, "")

describe("text of an agent", () => {
  it("[CONSOLE-32] headings, lists, tables, quotes and code become elements", () => {
    expect(plain("# One\n\n- a\n- b\n\n> q")).toBe(
      "<div><h3>One</h3><ul><li>a</li><li>b</li></ul><blockquote><p>q</p></blockquote></div>",
    )
    expect(plain("|a|\n|-|\n|1|")).toContain("<th>a</th>")
    expect(plain("```ts\nx < 1\n```")).toContain("<pre>x &lt; 1</pre>")
    expect(plain("a **b** _c_ `d` ~~e~~")).toBe(
      "<div><p>a <strong>b</strong> <em>c</em> <code>d</code> <del>e</del></p></div>",
    )
  })

  it("[CONSOLE-32] raw HTML is text", () => {
    for (const hostile of [
      "<script>alert(1)</script>",
      "a <img src=x onerror=alert(1)> b",
      "<a href='javascript:alert(1)'>x</a>",
      "<svg onload=alert(1)>",
      "<details open ontoggle=alert(1)>",
    ]) {
      const shown = html(hostile)
      expect(shown).not.toMatch(/<(script|img|a|svg|details|iframe)\b/)
      expect(shown).toContain("&lt;")
    }
  })

  it("[CONSOLE-32] images are links and never loaded", () => {
    const shown = html("![cat](https://stranger.test/cat.png)")
    expect(shown).not.toContain("<img")
    expect(shown).toContain("image: cat")
    expect(shown).toContain("(stranger.test)")
  })

  it("[CONSOLE-32] a link says where it leads, opens apart, and only the known kinds are links", () => {
    expect(html("[bank](https://evil.test/login)")).toMatch(
      /<a href="https:\/\/evil\.test\/login" target="_blank" rel="noopener noreferrer nofollow">bank<\/a> <small>\(evil\.test\)<\/small>/,
    )
    for (const href of [
      "javascript:alert(1)",
      "data:text/html,x",
      "/settings",
      "//evil.test",
      "vbscript:x",
      "file:///etc/passwd",
    ]) {
      expect(html(`[x](${href})`)).not.toContain("<a ")
    }
    expect(safeLink("mailto:ada@example.test")).toMatchObject({ place: "ada@example.test" })
    expect(safeLink("JaVaScRiPt:alert(1)")).toBeUndefined()
    expect(html("[x](&#106;avascript:alert(1))")).not.toContain("<a ")
  })

  it("[CONSOLE-22] what hides or turns the line is shown", () => {
    expect(html("safe \u202Egpj.exe")).toContain("\\u{202e}")
    expect(html("&#x202E;gpj")).toContain("\\u{202e}")
    expect(resolveReferences("&lt;b&gt; &amp; &#65; &#x0; &unknown;")).toBe(
      "<b> & A &#x0; &unknown;",
    )
  })

  it("[CONSOLE-32] nesting without end is text, not a crash", () => {
    const quoted = html(`${"> ".repeat(300)}end`)
    expect(quoted.match(/<blockquote>/g)?.length).toBeLessThan(20)
    expect(quoted).toContain("end")
    expect(html(">".repeat(3_000))).toContain("&gt;")
    expect(html(`${"+ ".repeat(1_000)}x`)).toContain("<ul>")
    expect(html("[".repeat(4_000))).toContain("[[")
    expect(html(`${"*a ".repeat(1_500)}${"b* ".repeat(1_500)}`).length).toBeGreaterThan(3_000)
  })
})
