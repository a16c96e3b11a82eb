import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { renderToStaticMarkup } from "react-dom/server"
import { expect } from "vitest"
import { failure } from "./base/errors.ts"

export function renderPage(queries: QueryClient, page: ReactNode): string {
  const html = renderToStaticMarkup(
    <QueryClientProvider client={queries}>{page}</QueryClientProvider>,
  )
  expect(html, "the policy refuses inline scripts and styles").not.toMatch(/<script|<style/)
  return html
}

export function textOf(html: string): string {
  return html.replaceAll(/<[^<>]*>/g, " ").replaceAll(/\s+/g, " ")
}

export async function failedQuery(
  ...queryKeys: readonly (readonly unknown[])[]
): Promise<QueryClient> {
  const queries = new QueryClient({
    defaultOptions: { queries: { retry: false, retryOnMount: false } },
  })
  const error = { code: "STORE_DISK_FULL", message: "The disk is full", hint: "x", data: {} }
  for (const queryKey of queryKeys) {
    await queries.prefetchQuery({ queryKey, queryFn: () => Promise.reject(failure(error)) })
  }
  return queries
}
