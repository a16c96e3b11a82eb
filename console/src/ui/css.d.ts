import "react"

declare module "react" {
  // Custom properties are how a component is told its columns and shares; React passes them on
  // through CSSOM, which `style-src 'self'` allows.
  interface CSSProperties {
    [name: `--${string}`]: string | number | undefined
  }
}
