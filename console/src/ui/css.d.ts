import "react"

declare module "react" {
  // Components get columns and shares as custom properties; React sets them through CSSOM, which
  // `style-src 'self'` allows.
  interface CSSProperties {
    [name: `--${string}`]: string | number | undefined
  }
}
