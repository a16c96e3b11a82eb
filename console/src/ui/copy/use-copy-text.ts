import { useToast } from "../toast/toast.tsx"

export function useCopyText(): (text: string, says: string) => void {
  const toast = useToast()
  return (text, says) => {
    navigator.clipboard.writeText(text).then(
      () => toast.show({ text: says }),
      () => toast.show({ text: "The browser did not allow copying" }),
    )
  }
}
