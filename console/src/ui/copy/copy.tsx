import { useState } from "react"
import { Button, IconButton } from "../button/button.tsx"
import { useToast } from "../toast/toast.tsx"

type CopyProps = { readonly text: string; readonly label?: string; readonly keyId?: string }

export function CopyButton({ text, label = "Copy" }: CopyProps) {
  const { copied, copy } = useCopy(text)
  return (
    <Button small icon={copied ? "check" : "copy"} onPress={copy}>
      {copied ? "Copied" : label}
    </Button>
  )
}

export function CopyIcon({ text, label = "Copy", keyId }: CopyProps) {
  const { copied, copy } = useCopy(text)
  return (
    <IconButton
      small
      icon={copied ? "check" : "copy"}
      label={copied ? "Copied" : label}
      onPress={copy}
      {...(keyId === undefined ? {} : { keyId })}
    />
  )
}

function useCopy(text: string) {
  const [copiedText, setCopiedText] = useState<string | null>(null)
  const toast = useToast()
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setCopiedText(text),
      () => toast.show({ text: "The browser denied access to the clipboard" }),
    )
  }
  return { copied: copiedText === text, copy }
}

export function useCopyText(): (text: string, description: string) => void {
  const toast = useToast()
  return (text, description) => {
    navigator.clipboard.writeText(text).then(
      () => toast.show({ text: description }),
      () => toast.show({ text: "The browser denied access to the clipboard" }),
    )
  }
}
