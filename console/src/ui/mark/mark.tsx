/**
 * The logo: a window packed in load order; the piece at the corner makes it a Q and is the only
 * accent.
 */
export function Mark({ size }: { readonly size: 16 | 32 }) {
  return (
    <svg viewBox="0 0 16 16" width={size} height={size} aria-hidden="true">
      <path
        fill="var(--text)"
        fillRule="evenodd"
        d="M4 1h6a3 3 0 0 1 3 3v7h-2v2H4a3 3 0 0 1-3-3V4a3 3 0 0 1 3-3Zm-1 2v2h5V3H3Zm2 3v2h5V6H5Zm2 3v2h3V9H7Z"
      />
      <rect fill="var(--accent)" x="12" y="12" width="3" height="3" rx=".75" />
    </svg>
  )
}
