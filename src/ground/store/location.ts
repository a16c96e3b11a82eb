import { parsePostgresUrl } from "./postgres/url.ts"

/** Where a store lies. */
export type StoreLocation =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "memory" }
  | { readonly kind: "postgres"; readonly url: string }

/** A postgres:// URL as a location, or STORE_URL_INVALID; its password is never repeated. */
export function parseDatabaseUrl(url: string): StoreLocation {
  parsePostgresUrl(url)
  return { kind: "postgres", url }
}

/** For people, logs and messages: where the store lies, without a password. */
export function describeLocation(location: StoreLocation): string {
  switch (location.kind) {
    case "sqlite":
      return location.file
    case "memory":
      return "memory"
    case "postgres":
      return parsePostgresUrl(location.url).masked
    default:
      return location satisfies never
  }
}
