import { renderToStaticMarkup } from "react-dom/server"
import { describe, expect, it } from "vitest"
import { LabelsContext, type TextLabel } from "./labels.ts"
import { Rendered, resolveReferences, safeLink } from "./rendered-markdown.tsx"

const html = (text: string) => renderToStaticMarkup(<Rendered text={text} />)

const plain = (text: string) => html(text).replaceAll(/ class="[^"]*"/g, "")

describe("markdown of an agent", () => {
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

  it("[CONSOLE-32] raw HTML is shown as text", () => {
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

  it("[CONSOLE-32] images become links and are never loaded", () => {
    const shown = html("![cat](https://stranger.test/cat.png)")
    expect(shown).not.toContain("<img")
    expect(shown).toContain("image: cat")
    expect(shown).toContain("(stranger.test)")
  })

  it("[CONSOLE-32] a link shows its target and opens in a new tab, and only known schemes become links", () => {
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

  it("[CONSOLE-22] control and bidirectional characters are escaped", () => {
    expect(html("safe \u202Egpj.exe")).toContain("\\u{202e}")
    expect(html("&#x202E;gpj")).toContain("\\u{202e}")
    expect(resolveReferences("&lt;b&gt; &amp; &#65; &#x0; &unknown;")).toBe(
      "<b> & A &#x0; &unknown;",
    )
  })

  it("[CONSOLE-32] unlimited nesting is shown as text and does not crash", () => {
    const quoted = html(`${"> ".repeat(300)}end`)
    expect(quoted.match(/<blockquote>/g)?.length).toBeLessThan(20)
    expect(quoted).toContain("end")
    expect(html(">".repeat(3_000))).toContain("&gt;")
    expect(html(`${"+ ".repeat(1_000)}x`)).toContain("<ul>")
    expect(html("[".repeat(4_000))).toContain("[[")
    expect(html(`${"*a ".repeat(1_500)}${"b* ".repeat(1_500)}`).length).toBeGreaterThan(3_000)
  })

  it("[CONSOLE-53] known labels become links, others stay text", () => {
    const labels = new Map<string, TextLabel>([
      ["P3", { href: "/knowledge?show=a", title: "Handbook \u202E§ 4", outside: null }],
      ["W1", { href: "https://a.example/", title: "Dues", outside: "a.example" }],
    ])
    const linked = (text: string) =>
      renderToStaticMarkup(
        <LabelsContext value={labels}>
          <Rendered text={text} />
        </LabelsContext>,
      )
    expect(linked("So it is [P3].")).toContain(
      'So it is [<a href="/knowledge?show=a" title="Handbook \\u{202e}§ 4">P3</a>].',
    )
    expect(linked("a [P3][W1] b [P3, P9] c [P9]").match(/<a /g)?.length).toBe(3)
    expect(linked("- [W1] x")).toContain('target="_blank" rel="noopener noreferrer nofollow"')
    expect(linked("`[P3]` and [x](javascript:P3)")).not.toContain("<a ")
    expect(html("plain [P3]"), "without labels nothing changes").toContain("plain [P3]")
  })
})
