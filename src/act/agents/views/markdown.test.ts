import { describe, expect, test } from "vitest"
import { renderMarkdown } from "./markdown.ts"

describe("markdown on a page", () => {
  test.each([
    [
      "a **b** _c_ `d<e>` ~~f~~",
      "<p>a <strong>b</strong> <em>c</em> <code>d&lt;e&gt;</code> <del>f</del></p>",
    ],
    ["# Head\n\ntext", "<h3>Head</h3><p>text</p>"],
    ["- a\n- [x] b", "<ul><li>a</li><li>☑ b</li></ul>"],
    ["3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'],
    ["> q", "<blockquote><p>q</p></blockquote>"],
    ["```ts\nlet a = '<b>'\n```", "<pre><code>let a = &#39;&lt;b&gt;&#39;</code></pre>"],
    [
      "|a|b|\n|-|-|\n|1|<i>|",
      "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>&lt;i&gt;</td></tr></tbody></table>",
    ],
    ["a\r\nb", "<p>a\nb</p>"],
  ])("%j", (text, html) => {
    expect(renderMarkdown(text)).toBe(html)
  })

  test("[AGENTS-66] links use only http, https and mailto", () => {
    expect(renderMarkdown("[x](https://a.test/?q=1&r=2)")).toBe(
      '<p><a href="https://a.test/?q=1&amp;r=2" rel="noopener noreferrer nofollow">x</a></p>',
    )
    for (const address of [
      "javascript:alert(1)",
      "data:text/html,x",
      "file:///x",
      "/local",
      "vbscript:x",
    ]) {
      expect(renderMarkdown(`[x](${address}) <${address}>`)).not.toContain("<a")
    }
  })

  test("[AGENTS-66] HTML and images are shown as text", () => {
    const html = renderMarkdown(
      '<img src=x onerror="y">\n\n![alt](https://a.test/x.png) <b>bold</b>',
    )
    expect(html).not.toMatch(/<(?:img|b)\b/)
    expect(html).toContain("&lt;img src=x onerror=&quot;y&quot;&gt;")
    expect(html).toContain("![alt](https://a.test/x.png)")
  })

  test.each([
    ["stars", "*a_".repeat(6_000)],
    ["quotes in quotes", `${">".repeat(15_000)}a`],
    ["lists in lists", Array.from({ length: 200 }, (_, i) => `${"  ".repeat(i)}- a`).join("\n")],
    ["a long text", "word ".repeat(40_000)],
  ])("[AGENTS-66] %s: rendering terminates", (_, text) => {
    const html = renderMarkdown(text)
    expect(html.length).toBeGreaterThan(text.length / 4)
    expect(html.match(/<blockquote>|<ul>/g)?.length ?? 0).toBeLessThan(40)
  })
})
