const UNDER_REPOSITORY = /^\/r\/[a-z0-9-]{1,80}(?=\/|$)/

/** Where a repository is in the console: "" for the server's own one, `/r/<id>` for another. */
export function basePathOf(pathname: string): string {
  return UNDER_REPOSITORY.exec(pathname)?.[0] ?? ""
}

/** Of this page; another repository is another page load, so no data of two are ever mixed. */
export const BASE_PATH = typeof window === "undefined" ? "" : basePathOf(window.location.pathname)

/** A path as the routes know it. */
export function withoutBase(path: string): string {
  return path.slice(basePathOf(path).length) || "/"
}
