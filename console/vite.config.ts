import { availableParallelism } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import react from "@vitejs/plugin-react"
import type { Plugin } from "vite"
import { defineConfig } from "vitest/config"
import { diagramPage } from "./dev/diagram-page.ts"

const ground = (file: string) => fileURLToPath(new URL(`../src/ground/${file}`, import.meta.url))

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), preloadFonts(), diagramPage()],
  resolve: {
    alias: [
      // Exact files: a room's index would add zod or Node modules.
      { find: /^#ground\/base\/format$/, replacement: ground("base/format.ts") },
      { find: /^#ground\/base\/json$/, replacement: ground("base/json.ts") },
      { find: /^#ground\/base\/object$/, replacement: ground("base/object.ts") },
      { find: /^#ground\/base\/truncate$/, replacement: ground("base/truncate.ts") },
      { find: /^#ground\/contract$/, replacement: ground("contract/index.ts") },
      // The first load has a limit; engine.io-client leaves out transports that are undefined.
      {
        find: /^\.\/webtransport\.js$/,
        replacement: path.join(import.meta.dirname, "src/data/live/no-webtransport.ts"),
      },
    ],
  },
  build: {
    target: "es2024",
    outDir: "dist",
    emptyOutDir: true,
    // font-src and script-src 'self' reject data: URLs.
    assetsInlineLimit: 0,
    // The polyfill is an inline script, which script-src 'self' rejects; supported browsers need
    // none.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  // The test of the tokens reads style sheets.
  test: {
    include: ["src/**/*.test.{ts,tsx}"],
    environment: "node",
    css: true,
    // These tests only compute; sharing a process between files saves most of their time.
    isolate: false,
    // Vitest runs projects side by side only if they have the same number.
    maxWorkers: Math.max(3, Math.floor(availableParallelism() / 2)),
    // Guards against hanging, as in vitest.config.ts.
    testTimeout: 600_000,
    // Coverage counts only `src`.
    env: { QM_TEST_COVERAGE: "off" },
  },
})

/**
 * Both fonts load with the page, not after the style sheet, so that text does not change its shape.
 */
function preloadFonts(): Plugin {
  return {
    name: "preload-fonts",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle }) {
        const fonts = Object.keys(bundle ?? {}).filter((it) => it.endsWith(".woff2"))
        return fonts.map((font) => ({
          tag: "link",
          attrs: {
            rel: "preload",
            href: `/${font}`,
            as: "font",
            type: "font/woff2",
            crossorigin: true,
          },
          injectTo: "head-prepend" as const,
        }))
      },
    },
  }
}
